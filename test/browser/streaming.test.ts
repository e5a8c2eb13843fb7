/** What a page pays while tokens come in fast, measured by the browser's own profiler. */
import type { Session, TranscriptEntry } from 'idb-sessions'
import { createElement as h, memo, useSyncExternalStore } from 'react'
import { createRoot } from 'react-dom/client'
import { expect, onTestFinished, test } from 'vitest'
import { cdp } from 'vitest/browser'
import { PlainLog, shapes } from '../support/shapes.js'
import { engine } from '../support/engine.js'
import { page } from '../support/lifetime.js'
import { beginTurn } from '../support/logs.js'

const EVENTS = 100_000
const CHUNKS_A_SECOND = 1000
const SECONDS = 4
/** Entries that a list shows at once; a long one is virtual. */
const SHOWN = 50

const Entry = memo(function Entry({ entry }: { entry: TranscriptEntry }) {
  return h('li', null, entry.blocks.map((block) => ('text' in block ? block.text : '')).join(''))
})

function List({ session }: { session: Session }) {
  const transcript = useSyncExternalStore(session.subscribe, () => session.transcript)
  return h('ol', null, ...transcript.slice(-SHOWN).map((entry) => h(Entry, { key: entry.key, entry })))
}

interface Profile {
  nodes: { id: number; callFrame: { url: string; functionName: string } }[]
  samples: number[]
  timeDeltas: number[]
}

/** µs by the part of the page that spent them. */
function spent({ nodes, samples, timeDeltas }: Profile): Record<'library' | 'idle' | 'rest' | 'all', number> {
  const urls = new Map(nodes.map(({ id, callFrame }) => [id, callFrame]))
  const sum = { library: 0, idle: 0, rest: 0, all: 0 }
  for (const [i, sample] of samples.entries()) {
    const { url, functionName } = urls.get(sample)!
    const time = timeDeltas[i]!
    sum.all += time
    if (/\/lib\/|comlink/.test(url)) sum.library += time
    else if (functionName === '(idle)' || functionName === '(program)') sum.idle += time
    else sum.rest += time
  }
  return sum
}

test.skipIf(engine !== 'chromium')(
  '1,000 chunks a second into a log of 100,000 events, with a mounted list (Chromium only: its profiler measures)',
  async () => {
    const { store } = await page()
    const log = new PlainLog()
    let turns = 0
    while (log.seq < EVENTS) {
      // `PlainLog` looks for its last turn each time it is asked.
      const writer = { append: log.append, seq: log.seq, turn: { next: ++turns }, surface: { nodes: [] } }
      shapes.packedChunks(writer, 8)
    }
    const session = await store.create('long', { seed: log.events })
    const box = document.body.appendChild(document.createElement('div'))
    const root = createRoot(box)
    root.render(h(List, { session }))
    onTestFinished(() => {
      root.unmount()
      box.remove()
    })
    const turn = beginTurn(session, 'go')
    await expect.poll(() => box.textContent).toContain('go')

    const client = cdp()
    await client.send('Profiler.enable')
    await client.send('Profiler.setSamplingInterval', { interval: 200 })
    await client.send('Profiler.start')
    const begin = performance.now()
    let sent = 0
    while (sent < CHUNKS_A_SECOND * SECONDS) {
      await new Promise((resolve) => setTimeout(resolve, 4))
      const due = Math.min(
        CHUNKS_A_SECOND * SECONDS,
        Math.floor(((performance.now() - begin) / 1000) * CHUNKS_A_SECOND),
      )
      for (; sent < due; sent++) {
        session.append('assistant/chunk', {
          turn,
          step: 1,
          chunk: { type: 'text-delta', index: 0, text: `word ${sent} ` },
        })
      }
    }
    const { profile } = (await client.send('Profiler.stop')) as unknown as { profile: Profile }
    const time = spent(profile)
    const percent = (part: number): string => `${((100 * part) / time.all).toFixed(1)} %`
    console.log(
      `${CHUNKS_A_SECOND} chunks/s into ${EVENTS} events: library ${percent(time.library)} of the main thread, ` +
        `React, layout and the test ${percent(time.rest)}, idle ${percent(time.idle)}`,
    )
    // The target is 10 %; machines that test are slow and busy.
    expect(time.library / time.all).toBeLessThan(0.3)
    await store.flush(session)
    expect(session.durable).toBe(session.seq)
  },
  120_000,
)
