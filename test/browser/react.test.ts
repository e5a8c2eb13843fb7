/** The views of a session under React, as an application reads them: `useSyncExternalStore` and nothing around it. */
import { openSessions, type Session, type TranscriptEntry } from 'idb-sessions'
import { createElement as h, memo, StrictMode, useEffect, useState, useSyncExternalStore, type ReactNode } from 'react'
import { createRoot } from 'react-dom/client'
import { expect, onTestFinished, test } from 'vitest'
import { page } from '../support/lifetime.js'
import { appendTurn, beginTurn } from '../support/logs.js'

/** Mounts an element for the time of a test; what React complains of fails it. */
function mount(element: ReactNode): HTMLElement {
  const box = document.body.appendChild(document.createElement('div'))
  const errors: unknown[] = []
  const fail = (error: unknown): void => void errors.push(error)
  const root = createRoot(box, { onUncaughtError: fail, onRecoverableError: fail })
  root.render(h(StrictMode, null, element))
  onTestFinished(() => {
    root.unmount()
    box.remove()
    expect(errors).toEqual([])
  })
  return box
}

/** How often each entry was rendered, by its key. */
const renders = new Map<string, number>()

const Entry = memo(function Entry({ entry }: { entry: TranscriptEntry }) {
  renders.set(entry.key, (renders.get(entry.key) ?? 0) + 1)
  return h('li', null, entry.blocks.map((block) => ('text' in block ? block.text : '')).join(''))
})

function Transcript({ session }: { session: Session }) {
  const transcript = useSyncExternalStore(session.subscribe, () => session.transcript)
  return h('ol', null, ...transcript.map((entry) => h(Entry, { key: entry.key, entry })))
}

/** Reads every view in one render, and whether they are of one moment. */
function Views({ session, onRender }: { session: Session; onRender: (isTorn: boolean) => void }) {
  const events = useSyncExternalStore(session.subscribe, () => session.events)
  const messages = useSyncExternalStore(session.subscribe, () => session.messages)
  const transcript = useSyncExternalStore(session.subscribe, () => session.transcript)
  const turn = useSyncExternalStore(session.subscribe, () => session.turn)
  const seq = useSyncExternalStore(session.subscribe, () => session.seq)
  const isTorn = events.length !== seq || messages.length > events.length || transcript.length > events.length
  onRender(isTorn)
  return h('output', null, `${seq} ${turn.next}`)
}

function chunk(session: Session, turn: number, text: string): void {
  session.append('assistant/chunk', { turn, step: 1, chunk: { type: 'text-delta', index: 0, text } })
}

function frame(): Promise<number> {
  return new Promise((resolve) => requestAnimationFrame(resolve))
}

test('views render without loops or tearing while tokens come in', async () => {
  const { store } = await page()
  const session = await store.create()
  const torn: boolean[] = []
  const box = mount(h(Views, { session, onRender: (isTorn) => void torn.push(isTorn) }))
  const turn = beginTurn(session, 'hi')
  for (let i = 0; i < 20; i++) {
    chunk(session, turn, 'token ')
    await frame()
  }
  await expect.poll(() => box.textContent).toBe(`${session.seq} 2`)
  expect(torn).not.toContain(true)
  // One a frame and one per step of storing, twice each in strict mode; a loop would be thousands.
  expect(torn.length).toBeLessThan(200)
})

test('an answer that streams keeps its element, and others are not rendered again', async () => {
  const { store } = await page()
  const session = await store.create()
  appendTurn(session, 'first', 'one')
  const turn = beginTurn(session, 'second')
  chunk(session, turn, 'to')
  const box = mount(h(Transcript, { session }))
  await expect.poll(() => box.querySelectorAll('li').length).toBe(4)
  const streaming = box.querySelectorAll('li')[3]
  renders.clear()
  chunk(session, turn, 'ken')
  await expect.poll(() => box.querySelectorAll('li')[3]?.textContent).toBe('token')
  expect(box.querySelectorAll('li')[3]).toBe(streaming)
  expect([...renders.keys()]).toEqual([session.transcript.at(-1)!.key])
})

test('strict mode opens the store once', async () => {
  const name = `test-${crypto.randomUUID()}`
  const opened: Awaited<ReturnType<typeof openSessions>>[] = []
  function App() {
    const [isOpen, setOpen] = useState(false)
    useEffect(() => {
      void openSessions({ name }).then((store) => {
        opened.push(store)
        setOpen(true)
      })
    }, [])
    return isOpen ? 'open' : 'opening'
  }
  const box = mount(h(App))
  await expect.poll(() => [box.textContent, opened.length]).toEqual(['open', 2])
  onTestFinished(() => opened[0]!.close())
  expect(opened[1]).toBe(opened[0])
})
