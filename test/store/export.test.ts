import { describe, expect, test } from 'vitest'
import { decodeStorageRecord } from 'idb-sessions/log'
import type { SessionEvent, SessionStore } from 'idb-sessions'
import { delta, fileOf, log, start, title, turn, user } from '../log/support.js'
import { beforeCall } from '../support/calls.js'
import { page, tab } from '../support/lifetime.js'
import { appendTurn, beginTurn } from '../support/logs.js'

async function textOf(store: SessionStore, id: string): Promise<string> {
  return new Response(await store.exportLog(id)).text()
}

/** The header line and the events of an exported file. */
async function exported(store: SessionStore, id: string): Promise<{ header: unknown; events: SessionEvent[] }> {
  const text = await textOf(store, id)
  expect(text.endsWith('\n')).toBe(true)
  const [header, ...lines] = text.trimEnd().split('\n')
  return {
    header: JSON.parse(header!),
    events: lines.flatMap((line) => decodeStorageRecord(JSON.parse(line))),
  }
}

describe('an exported file', () => {
  test('begins with the header, its keys in DSH’s order', async () => {
    const { store } = await page()
    const meta = { agentPreset: 'x', cwd: '/x', createdAt: 5, parentSession: 'p', seedLength: 0 }
    await store.create('a', { seed: [], meta })
    expect(await textOf(store, 'a')).toBe(
      '{"type":"session","version":0,"id":"a","createdAt":5,"cwd":"/x","parentSession":"p","seedLength":0,' +
        '"delegationDepth":0,"agentPreset":"x"}\n',
    )
  })

  test('holds one line for each event', async () => {
    const { store } = await page()
    const seed = log(turn(1))
    await store.create('a', { seed, meta: { createdAt: 5 } })
    const lines = (await textOf(store, 'a')).split('\n')
    expect(lines.slice(1)).toEqual([...seed.map((event) => JSON.stringify(event)), ''])
  })

  test('packs runs of three or more deltas into one line', async () => {
    const { store } = await page()
    const seed = log(delta('a'), delta('b'), delta('c'))
    await store.create('a', { seed })
    expect((await textOf(store, 'a')).trimEnd().split('\n')).toHaveLength(2)
    expect((await exported(store, 'a')).events).toEqual(seed)
  })

  test('is a stream of bytes that can be read piece by piece, and cancelled', async () => {
    const { store } = await page()
    const seed = log(...Array.from({ length: 1000 }, (_, i) => turn(i + 1, user('x'.repeat(6000)))))
    await store.create('a', { seed })
    const reader = (await store.exportLog('a')).getReader()
    expect((await reader.read()).value).toBeInstanceOf(Uint8Array)
    await reader.cancel()
    expect((await exported(store, 'a')).events).toEqual(seed)
  })
})

describe('of a live session', () => {
  test('the events that are not stored yet are in it', async () => {
    const opened = await page()
    const session = await opened.store.create('a', { seed: log(turn(1)) })
    beforeCall(opened, 'append', () => new Promise(() => {}))
    beginTurn(session, 'hi')
    expect((await exported(opened.store, 'a')).events).toEqual(session.events)
    expect(session.durable).toBe(3)
  })

  test('that is not stored at all it is whole', async () => {
    const opened = await page()
    const session = await opened.store.create('a')
    beforeCall(opened, 'append', () => new Promise(() => {}))
    appendTurn(session, 'hi', 'hello')
    expect((await exported(opened.store, 'a')).events).toEqual(session.events)
  })

  test('that is empty it is the header alone', async () => {
    const { store } = await page()
    await store.create('a')
    expect((await exported(store, 'a')).events).toEqual([])
  })

  test('what is appended after the call is not in it', async () => {
    const { store } = await page()
    const session = await store.create('a')
    appendTurn(session, 'hi', 'hello')
    const { events } = session
    const file = store.exportLog('a')
    appendTurn(session, 'too', 'late')
    const text = await new Response(await file).text()
    expect(text.split('"turn/end"')).toHaveLength(2)
    expect(events).toHaveLength(9)
  })

  test('an open turn stays open', async () => {
    const { store } = await page()
    const session = await store.create('a')
    beginTurn(session, 'hi')
    expect((await exported(store, 'a')).events).toEqual(session.events)
  })
})

describe('of a stored session', () => {
  test('it is whole, without making it live', async () => {
    const first = await page()
    const { events } = await first.store.create('a', { seed: log(turn(1), start(2)) })
    const { store } = await tab(first)
    expect((await exported(store, 'a')).events).toEqual(events)
    expect(store.get('a')).toBeUndefined()
  })

  test('that was deleted and created anew while it was read, it fails instead of mixing both', async () => {
    const opened = await page()
    const seed = log(...Array.from({ length: 1000 }, (_, i) => turn(i + 1, user('x'.repeat(6000)))))
    await opened.store.create('a', { seed })
    const other = await tab(opened)
    const reader = (await other.store.exportLog('a')).getReader()
    await reader.read()
    await opened.store.delete('a')
    await opened.store.create('a', { seed })
    const rest = async (): Promise<void> => {
      while (!(await reader.read()).done);
    }
    await expect(rest()).rejects.toMatchObject({ name: 'SessionStoreError', code: 'SESSION_NOT_FOUND' })
  })

  test('of nobody rejects with SESSION_NOT_FOUND', async () => {
    const { store } = await page()
    await expect(store.exportLog('nobody')).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND', sessionId: 'nobody' })
  })
})

describe('of a fork', () => {
  test('whose prefix ends inside a segment it ends there', async () => {
    const opened = await page()
    await opened.store.create('a', { seed: log(turn(1), turn(2), turn(3)) })
    const child = await opened.store.fork('a', 5, 'b')
    const { store } = await tab(opened)
    const { header, events } = await exported(store, 'b')
    expect(events).toEqual(child.events)
    expect(header).toMatchObject({ id: 'b', parentSession: 'a', seedLength: 6 })
  })

  test('whose prefix ends inside a row of chunks it ends there', async () => {
    const opened = await page({ rules: 'harness' })
    await opened.store.create('a', { seed: log(turn(1), delta('a'), delta('b'), delta('c'), delta('d'), delta('e')) })
    for (const boundary of [3, 4, 5, 6, 7]) {
      const child = await opened.store.fork('a', boundary, `${boundary}`)
      const { store } = await tab(opened)
      expect((await exported(store, `${boundary}`)).events).toEqual(child.events)
    }
  })

  test('of a fork it is whole', async () => {
    const opened = await page()
    const a = await opened.store.create('a', { seed: log(turn(1), title('t')) })
    appendTurn(a, 'a', 'a')
    const b = await opened.store.fork(a, undefined, 'b')
    appendTurn(b, 'b', 'b')
    const c = await opened.store.fork(b, undefined, 'c')
    appendTurn(c, 'c', 'c')
    expect((await exported(opened.store, 'c')).events).toEqual(c.events)
    await opened.store.flush(c)
    expect((await exported((await tab(opened)).store, 'c')).events).toEqual(c.events)
  })
})

describe('a round trip', () => {
  test('gives the same events back', async () => {
    const { store } = await page()
    const session = await store.create('a', { meta: { cwd: '/x' } })
    appendTurn(session, 'h\u00e9 \u{1f600}\n\u2028"\\', 'hello', 5)
    session.append('session/title', { title: 't', messageSeqs: [2], source: { kind: 'user' } })
    beginTurn(session, 'more')
    const report = await store.importLog(await store.exportLog('a'), { id: 'b' })
    expect(report).not.toHaveProperty('dropped')
    expect(report.session).toMatchObject({ length: session.seq, title: 't', openTurn: true, header: { cwd: '/x' } })
    expect((await store.inspect('b')).events.slice(0, session.seq)).toEqual(session.events)
  })

  test('between two databases keeps the id', async () => {
    const [from, to] = [await page(), await page()]
    const { events } = await from.store.create('a', { seed: log(turn(1)) })
    const { session } = await to.store.importLog(await from.store.exportLog('a'))
    expect(session.header.id).toBe('a')
    expect((await to.store.load('a')).events).toEqual(events)
  })

  test('gives an imported file back byte for byte', async () => {
    const { store } = await page()
    const file = fileOf(
      log(turn(1), delta('a'), delta('b'), delta('c')).map((event) =>
        JSON.stringify(event, null, 1).replaceAll('\n', ' '),
      ),
    )
    const text = new TextDecoder().decode(file)
    await store.importLog(text)
    expect(await textOf(store, 's')).toBe(text)
  })

  test('keeps what is imported, and appends what is new', async () => {
    const { store } = await page()
    const text = new TextDecoder().decode(fileOf(log(turn(1), delta('a'), delta('b'), delta('c'))))
    await store.importLog(text)
    const session = await store.load('s')
    appendTurn(session, 'new', 'one')
    const again = await textOf(store, 's')
    expect(again.startsWith(text)).toBe(true)
    expect((await exported(store, 's')).events).toEqual(session.events)
  })
})
