import { describe, expect, test } from 'vitest'
import type { Session, SessionStore, TurnEndReason } from 'idb-sessions'
import { checkTurns } from 'idb-sessions/log'
import { runTurn, toJson, userMessage, type TurnWriter } from 'idb-sessions/turn'
import { gate } from '../support/calls.js'
import { page } from '../support/lifetime.js'

const MODEL = { provider: 'p', model: 'm' }
const ABORTED: TurnEndReason = { kind: 'aborted', reason: { kind: 'user' } }

const SHORT: Record<string, string> = {
  'user/message': 'user',
  'assistant/chunk': 'chunk',
  'assistant/message': 'assistant',
}

interface Written {
  session: Session
  types: string[]
  reason: TurnEndReason | undefined
  returned: unknown
  thrown: unknown
}

/** Runs one turn in a new session; whatever happens, what it wrote keeps to the relations of turns. */
async function write(
  body: (turn: TurnWriter, session: Session, abort: (reason?: unknown) => void, store: SessionStore) => unknown,
): Promise<Written> {
  const { store } = await page()
  const session = await store.create('a')
  const controller = new AbortController()
  let returned: unknown
  let thrown: unknown
  try {
    returned = await runTurn(
      session,
      userMessage('hi'),
      async (turn) => body(turn, session, (reason) => controller.abort(reason), store),
      { signal: controller.signal },
    )
  } catch (error) {
    thrown = error
  }
  expect(checkTurns(session.events)).toEqual([])
  const types = session.events.map(({ type }) => SHORT[type] ?? type)
  const last = session.at(session.seq - 1)
  return { session, types, reason: last?.type === 'turn/end' ? last.data.reason : undefined, returned, thrown }
}

/** What the messages of the model say, a message a line. */
function said(session: Session): string[] {
  return session.messages.slice(1).map(({ content }) =>
    content
      .map((block) => {
        if (block.type === 'tool-call') return `call ${block.id}`
        if (block.type === 'tool-result') return `result ${block.toolCallId}`
        return block.type === 'text' || block.type === 'reasoning' ? `${block.type} ${block.text}` : block.type
      })
      .join(', '),
  )
}

function caught(act: () => void): unknown {
  try {
    act()
  } catch (error) {
    return error
  }
  return undefined
}

function errorsOf(session: Session): (string | undefined)[] {
  return session.events.flatMap((event) => (event.type === 'tool/result' ? [event.data.error?.code] : []))
}

describe('a turn that runs to its end', () => {
  test('is the prompt, then the step, its chunks, its message, and both ends', async () => {
    const { types, reason, returned } = await write((turn) => {
      turn.beginStep(MODEL)
      turn.delta('text', 'hel')
      turn.delta('text', 'lo')
      turn.commit({ usage: { inputTokens: 1, outputTokens: 2 } })
      return 'value'
    })
    expect(types).toEqual(['turn/start', 'user', 'step/start', 'chunk', 'chunk', 'assistant', 'step/end', 'turn/end'])
    expect(reason).toEqual({ kind: 'completed' })
    expect(returned).toBe('value')
  })

  test('has a message that names its chunks and its model, with the usage', async () => {
    const { session } = await write((turn) => {
      turn.beginStep(MODEL)
      turn.delta('text', 'hello')
      const usage = { inputTokens: 1, outputTokens: 2, reasoningTokens: undefined } as never
      turn.commit({ usage })
    })
    expect(session.at(4)).toMatchObject({
      data: {
        turn: 1,
        step: 1,
        message: { source: { kind: 'model', ...MODEL } },
        usage: { inputTokens: 1, outputTokens: 2 },
      },
      sourceEventSeqs: [3],
    })
  })

  test('makes one block of each kind in a row, and of each key', async () => {
    const { session } = await write((turn) => {
      turn.beginStep(MODEL)
      turn.delta('reasoning', 'a')
      turn.delta('reasoning', 'b')
      turn.delta('text', 'c')
      turn.delta('reasoning', 'd')
      turn.delta('text', 'x', 'one')
      turn.delta('text', 'y', 'two')
      turn.delta('text', 'z', 'one')
    })
    expect(said(session)).toEqual(['reasoning ab, text c, reasoning d, text xz, text y'])
  })

  test('commits what its body did not', async () => {
    const { session } = await write((turn) => {
      turn.beginStep(MODEL)
      turn.delta('text', 'one')
      turn.beginStep(MODEL)
      turn.delta('text', 'two')
    })
    expect(said(session)).toEqual(['text one', 'text two'])
  })

  test('without any text has an empty message, which the model is not told', async () => {
    const { types, session } = await write((turn) => {
      turn.beginStep(MODEL)
      turn.commit()
    })
    expect(types).toContain('assistant')
    expect(session.messages).toHaveLength(1)
  })

  test('may have no step at all', async () => {
    const { types } = await write((turn) => turn.end({ kind: 'blocked' }))
    expect(types).toEqual(['turn/start', 'user', 'turn/end'])
  })

  test('goes on with the next number', async () => {
    const { session } = await write(() => {})
    await runTurn(session, userMessage('again'), async ({ turn }) => expect(turn).toBe(2))
  })

  test('drops calls that were not started when it stops at its length', async () => {
    const { session, reason } = await write((turn) => {
      turn.beginStep(MODEL)
      turn.delta('text', 'so')
      turn.call('c', 'ls', '{"pa')
      turn.end({ kind: 'max-tokens' })
    })
    expect(said(session)).toEqual(['text so'])
    expect(reason).toEqual({ kind: 'max-tokens' })
  })
})

test('a length stop keeps its usage, and no call that was cut off', async () => {
  const { session } = await write((turn) => {
    turn.beginStep(MODEL)
    turn.delta('text', 'so')
    turn.call('c', 'ls', '{"pa')
    turn.end({ kind: 'max-tokens' }, { usage: { inputTokens: 1, outputTokens: 2 } })
  })
  const message = session.events.find((event) => event.type === 'assistant/message')
  expect(message?.data).toMatchObject({
    usage: { outputTokens: 2 },
    message: { content: [{ type: 'text', text: 'so' }] },
  })
  expect(message?.data).not.toHaveProperty('interrupted')
})

test('a message keeps what its provider wants back', async () => {
  const { session } = await write((turn) => {
    turn.beginStep(MODEL)
    turn.delta('reasoning', 'hm')
    turn.commit({ replayState: { signature: 'abc' } })
  })
  expect(session.messages[1]?.source).toEqual({ kind: 'model', ...MODEL, replayState: { signature: 'abc' } })
})

describe('tools', () => {
  test('answer in any order, each result after its call', async () => {
    const { types, session } = await write((turn) => {
      turn.beginStep(MODEL)
      turn.call('a', 'ls', '{}')
      turn.call('b', 'ls', '{}')
      turn.commit()
      turn.start('a')
      turn.start('b')
      turn.result('b', 'second')
      turn.result('a', [{ type: 'text', text: 'first' }])
    })
    expect(types.slice(5)).toEqual([
      'assistant',
      'tool/call',
      'tool/call',
      'tool/result',
      'tool/result',
      'step/end',
      'turn/end',
    ])
    expect(said(session)).toEqual(['call a, call b', 'result b', 'result a'])
  })

  test('get their arguments piece by piece, as the text that the model wrote', async () => {
    const { session } = await write((turn) => {
      turn.beginStep(MODEL)
      turn.call('a', 'ls')
      turn.call('a', 'ls', '{"no')
      turn.call('a', undefined, ' json')
      turn.commit()
      turn.result('a', 'bad arguments', { error: { name: 'InvalidArguments', code: 'INVALID' } })
    })
    const call = session.events.find(({ type }) => type === 'tool/call')
    expect(call?.data).toEqual({ turn: 1, step: 1, callId: 'a', name: 'ls', arguments: '{"no json' })
    expect(errorsOf(session)).toEqual(['INVALID'])
  })

  test('that start and answer while the answer streams wait for its message', async () => {
    const { types, session } = await write((turn) => {
      turn.beginStep(MODEL)
      turn.call('a', 'ls', '{}')
      turn.start('a')
      turn.result('a', 'early')
      turn.delta('text', 'and more')
    })
    expect(types.slice(3)).toEqual(['chunk', 'chunk', 'assistant', 'tool/call', 'tool/result', 'step/end', 'turn/end'])
    expect(said(session)).toEqual(['call a, text and more', 'result a'])
  })

  test('without a result are answered before the step ends: unknown, or never started', async () => {
    const { session } = await write((turn) => {
      turn.beginStep(MODEL)
      turn.call('a', 'ls', '{}')
      turn.call('b', 'ls', '{}')
      turn.commit()
      turn.start('a')
      turn.endStep()
    })
    expect(errorsOf(session)).toEqual(['TOOL_OUTCOME_UNKNOWN', 'TOOL_NOT_STARTED'])
  })

  test('that throw end the turn with what they threw', async () => {
    const { thrown, reason, session } = await write(async (turn) => {
      turn.beginStep(MODEL)
      turn.call('a', 'ls', '{}')
      turn.commit()
      turn.start('a')
      throw Object.assign(new Error('no such folder'), { code: 'ENOENT' })
    })
    expect(thrown).toMatchObject({ message: 'no such folder' })
    expect(reason).toEqual({ kind: 'error', error: { message: 'no such folder', code: 'ENOENT' } })
    expect(errorsOf(session)).toEqual(['TOOL_OUTCOME_UNKNOWN'])
  })

  test('give results that are copied when they are given', async () => {
    const { session } = await write((turn) => {
      const output = [{ type: 'text' as const, text: 'as it was' }]
      turn.beginStep(MODEL)
      turn.call('a', 'ls', '{}')
      turn.result('a', output)
      output[0]!.text = 'changed'
    })
    expect(JSON.stringify(session.messages.at(-1))).toContain('as it was')
  })

  const huge = 'x'.repeat(33 << 20)
  const deep = JSON.parse(`${'['.repeat(501)}${']'.repeat(501)}`) as never
  test.each([
    ['over 32 MiB', huge],
    ['of 501 levels', [{ type: 'text', text: '', deep }]],
    ['that is no JSON', [undefined]],
  ])('that answer before the message with a result %s are told at once, and others go on', async (_name, output) => {
    const { session, thrown } = await write((turn) => {
      turn.beginStep(MODEL)
      turn.call('a', 'ls')
      turn.call('b', 'ls')
      turn.start('b')
      expect(() => turn.result('a', output as string)).toThrow(expect.objectContaining({ code: 'INVALID_EVENT' }))
      turn.result('a', 'too much')
      turn.commit()
      turn.result('b', 'fine')
    })
    expect(thrown).toBeUndefined()
    expect(said(session)).toEqual(['call a, call b', 'result a', 'result b'])
  })

  test('that cannot start from inside a listener can start after it', async () => {
    let early: unknown
    const { types } = await write((turn, session, _abort, store) => {
      turn.beginStep(MODEL)
      turn.call('a', 'ls')
      turn.commit()
      store.on('session/event', (_session, { type }) => {
        if (type === 'session/title') early = caught(() => turn.result('a', 'early'))
      })
      session.append('session/title', { title: 'now', messageSeqs: [], source: { kind: 'user' } })
      turn.result('a', 'out')
    })
    expect(early).toMatchObject({ code: 'INVALID_EVENT' })
    expect(types.slice(-5)).toEqual(['session/title', 'tool/call', 'tool/result', 'step/end', 'turn/end'])
  })

  test('that answer inside a listener of their message wait for it', async () => {
    const { session } = await write((turn, _session, _abort, store) => {
      store.on('session/event', (_session, { type }) => {
        if (type === 'assistant/message') turn.result('a', 'out')
      })
      turn.beginStep(MODEL)
      turn.call('a', 'ls')
      turn.commit()
    })
    expect(said(session)).toEqual(['call a', 'result a'])
  })
})

describe('an abort', () => {
  test('before the first step leaves the prompt, and a closed turn', async () => {
    const { types, reason, returned, thrown } = await write((_turn, _session, abort) => {
      abort()
      return 'value'
    })
    expect(types).toEqual(['turn/start', 'user', 'turn/end'])
    expect(reason).toEqual(ABORTED)
    expect(returned).toBeUndefined()
    expect(thrown).toBeUndefined()
  })

  test('before the call leaves the prompt too, and the body is not called', async () => {
    const { store } = await page()
    const session = await store.create('a')
    const never = (): never => expect.unreachable()
    expect(await runTurn(session, userMessage('hi'), never, { signal: AbortSignal.abort() })).toBeUndefined()
    expect(session.events.map(({ type }) => type)).toEqual(['turn/start', 'user/message', 'turn/end'])
  })

  test('in the text keeps what was seen of it, as an interrupted message', async () => {
    const { session, reason } = await write(async (turn, _session, abort) => {
      turn.beginStep(MODEL)
      turn.delta('reasoning', ' ')
      turn.delta('text', 'half an ans')
      turn.call('a', 'ls', '{')
      abort()
      turn.delta('text', 'never')
    })
    expect(said(session)).toEqual(['text half an ans'])
    expect(session.events.find(({ type }) => type === 'assistant/message')?.data).toMatchObject({ interrupted: true })
    expect(reason).toEqual(ABORTED)
  })

  test('closes the turn at once, though the body hangs for ever', async () => {
    const { reason } = await write(async (turn, _session, abort) => {
      turn.beginStep(MODEL)
      queueMicrotask(abort)
      await new Promise(() => {})
    })
    expect(reason).toEqual(ABORTED)
  })

  test('while a tool runs leaves its call in the message, and says that the outcome is unknown', async () => {
    const { session } = await write(async (turn, _session, abort) => {
      turn.beginStep(MODEL)
      turn.call('a', 'ls', '{}')
      turn.call('b', 'ls', '{')
      turn.start('a')
      abort()
    })
    expect(said(session)).toEqual(['call a', 'result a'])
    expect(errorsOf(session)).toEqual(['TOOL_OUTCOME_UNKNOWN'])
  })

  test('makes later writes throw its reason, and they change nothing', async () => {
    const toolDone = gate()
    let late: unknown
    const { session } = await write(async (turn, _session, abort) => {
      turn.beginStep(MODEL)
      turn.call('a', 'ls', '{}')
      turn.start('a')
      abort(new Error('stopped'))
      await toolDone.opened
      try {
        turn.result('a', 'too late')
      } catch (error) {
        late = error
      }
    })
    const { seq } = session
    toolDone.open()
    await expect.poll(() => late).toMatchObject({ message: 'stopped' })
    expect(session.seq).toBe(seq)
  })

  test('lets the body end the turn with a reason of its own', async () => {
    const { reason } = await write((turn, _session, abort) => {
      abort()
      turn.end({ kind: 'aborted', reason: { kind: 'parent' } })
    })
    expect(reason).toEqual({ kind: 'aborted', reason: { kind: 'parent' } })
  })

  test('from inside a listener of the session’s own events closes the turn too', async () => {
    const { store } = await page()
    const session = await store.create('a')
    const controller = new AbortController()
    store.on('session/event', (_session, { type }) => {
      if (type === 'assistant/chunk') controller.abort()
    })
    const body = async (turn: TurnWriter): Promise<void> => {
      turn.beginStep(MODEL)
      turn.delta('text', 'one')
      turn.delta('text', 'two')
    }
    await runTurn(session, userMessage('hi'), body, controller)
    expect(said(session)).toEqual(['text one'])
    expect(session.turn.open).toBeUndefined()
  })
})

describe('an error', () => {
  test('of the HTTP request is the turn’s reason, with its status', async () => {
    class APICallError extends Error {
      override readonly name = 'APICallError'
      readonly statusCode = 500
    }
    const { reason, types } = await write(async (turn) => {
      turn.beginStep(MODEL)
      throw new APICallError('the server is on fire')
    })
    expect(reason).toEqual({
      kind: 'error',
      error: { message: 'the server is on fire', code: 'APICallError', status: 500 },
    })
    expect(types).toEqual(['turn/start', 'user', 'step/start', 'step/end', 'turn/end'])
  })

  test('is told with what caused it', async () => {
    const { reason } = await write(async () => {
      throw new TypeError('fetch failed', { cause: Object.assign(new Error('refused'), { code: 'ECONNREFUSED' }) })
    })
    expect(reason).toEqual({ kind: 'error', error: { message: 'fetch failed: refused', code: 'ECONNREFUSED' } })
  })

  test('in mid-stream keeps the text that was on the screen', async () => {
    const { session, reason } = await write(async (turn) => {
      turn.beginStep(MODEL)
      turn.delta('text', 'half')
      throw new Error('connection reset')
    })
    expect(said(session)).toEqual(['text half'])
    expect(reason).toMatchObject({ kind: 'error', error: { message: 'connection reset', code: 'UNKNOWN' } })
  })

  test.each([
    ['a string', 'boom', 'boom'],
    ['an object', { type: 'overloaded' }, '{"type":"overloaded"}'],
    ['nothing', undefined, 'undefined'],
    ['a symbol', Symbol('s'), 'Symbol(s)'],
    ['an error without a message', new RangeError(), 'RangeError'],
    ['an error with a cause alone', new Error('', { cause: new Error('refused') }), 'refused'],
    ['an empty string', '', 'an error without a message'],
  ])('that is %s is kept too', async (_name, thrown, message) => {
    const { reason } = await write(async () => {
      throw thrown
    })
    expect(reason).toMatchObject({ kind: 'error', error: { message } })
  })

  test.each([
    ['a status that is none', { status: -0 }],
    ['a code larger than an event', { code: 'x'.repeat(33 << 20) }],
  ])('with %s closes the turn', async (_name, fields) => {
    const { thrown, reason } = await write(async () => {
      throw Object.assign(new Error('boom'), fields)
    })
    expect(thrown).toMatchObject({ message: 'boom' })
    expect(reason).toMatchObject({ kind: 'error', error: { message: 'boom' } })
  })

  test('with hostile fields is kept as far as it can be', async () => {
    const { reason } = await write(async () => {
      throw {
        get message(): string {
          throw new Error('no')
        },
        code: 12,
        name: {},
        status: 'no number',
      }
    })
    expect(reason).toMatchObject({ kind: 'error', error: { code: 'UNKNOWN' } })
  })
})

test('a turn may be ended once more by whoever is told of its end', async () => {
  let again: unknown
  await write((turn, _session, _abort, store) => {
    store.on('session/event', (_session, { type }) => {
      if (type === 'turn/end') again = caught(() => turn.end())
    })
  })
  expect(again).toBeUndefined()
})

describe('what is called out of order', () => {
  const wrong: [string, (turn: TurnWriter) => void][] = [
    ['a delta without a step', (turn) => turn.delta('text', 'a')],
    ['an end of no step', (turn) => turn.endStep()],
    ['the start of an unknown call', (turn) => (turn.beginStep(MODEL), turn.start('x'))],
    ['the result of an unknown call', (turn) => (turn.beginStep(MODEL), turn.result('x', ''))],
    [
      'a second result',
      (turn) => {
        turn.beginStep(MODEL)
        turn.call('a', 'ls')
        turn.result('a', '')
        turn.result('a', '')
      },
    ],
    [
      'more arguments after the message',
      (turn) => {
        turn.beginStep(MODEL)
        turn.call('a', 'ls')
        turn.commit()
        turn.call('a', 'ls', '{}')
      },
    ],
    [
      'text between a call and its result',
      (turn) => {
        turn.beginStep(MODEL)
        turn.call('a', 'ls')
        turn.commit()
        turn.delta('text', 'and')
      },
    ],
    [
      'a call between a call and its result',
      (turn) => {
        turn.beginStep(MODEL)
        turn.call('a', 'ls')
        turn.commit()
        turn.call('b', 'ls')
      },
    ],
    ['a new call without a name', (turn) => (turn.beginStep(MODEL), turn.call('a', undefined, '{}'))],
    ['a step after the end', (turn) => (turn.end(), turn.beginStep(MODEL))],
    ['a model without a name', (turn) => turn.beginStep({ provider: '', model: 'm' })],
    ['a delta of another kind', (turn) => (turn.beginStep(MODEL), turn.delta('image' as 'text', ''))],
    ['an output that is no text', (turn) => (turn.beginStep(MODEL), turn.call('a', 'ls'), turn.result('a', {} as ''))],
    [
      'an output that is no JSON',
      (turn) => (turn.beginStep(MODEL), turn.call('a', 'ls'), turn.result('a', [undefined] as never)),
    ],
    ['a reason that no reader takes', (turn) => turn.end({ kind: 'completed', extra: 1 } as never)],
  ]
  test.each(wrong)('throws, and the turn is closed: %s', async (_name, body) => {
    const { thrown, session } = await write((turn) => body(turn))
    expect(thrown).toBeInstanceOf(Error)
    expect(session.turn.open).toBeUndefined()
  })

  test('by somebody else ends the turn’s writes, not its being closed', async () => {
    const { thrown, session } = await write((turn, session) => {
      turn.beginStep(MODEL)
      turn.call('a', 'ls')
      turn.commit()
      session.append('step/end', { turn: 1, step: 1 })
      turn.result('a', '')
    })
    expect(thrown).toBeInstanceOf(Error)
    expect(session.turn.open).toBeUndefined()
  })
})

test('a delta that is refused inside a listener takes no other’s block', async () => {
  const { session } = await write((turn, _session, _abort, store) => {
    turn.beginStep(MODEL)
    const stop = store.on('session/event', () => {
      stop()
      caught(() => turn.delta('text', 'refused', 'b'))
    })
    turn.delta('text', 'a', 'a')
    turn.delta('text', 'b', 'b')
  })
  expect(said(session)).toEqual(['text a, text b'])
})

describe('runTurn', () => {
  test('takes a body that is done at once', async () => {
    const { store } = await page()
    const session = await store.create('a')
    expect(await runTurn(session, userMessage('hi'), () => 'value')).toBe('value')
    expect(session.turn).toEqual({ next: 2 })
  })

  test('on a session inside a turn rejects with TURN_OPEN and writes nothing', async () => {
    const { store } = await page()
    const session = await store.create('a')
    session.append('turn/start', { turn: 1 })
    await expect(runTurn(session, userMessage('hi'), async () => {})).rejects.toMatchObject({ code: 'TURN_OPEN' })
    expect(session.seq).toBe(1)
  })

  test('with a prompt that is no user message rejects with INVALID_EVENT and writes nothing', async () => {
    const { store } = await page()
    const session = await store.create('a')
    await expect(runTurn(session, 'hi' as never, async () => {})).rejects.toMatchObject({ code: 'INVALID_EVENT' })
    expect(session.seq).toBe(0)
  })

  test('on a released session rejects with SESSION_NOT_LIVE', async () => {
    const { store } = await page()
    const session = await store.create('a')
    await store.release(session)
    await expect(runTurn(session, userMessage('hi'), async () => {})).rejects.toMatchObject({
      code: 'SESSION_NOT_LIVE',
    })
  })

  test('whose session is deleted meanwhile rejects with the reason', async () => {
    const { store } = await page()
    const session = await store.create('a')
    const running = runTurn(session, userMessage('hi'), async (turn) => {
      turn.beginStep(MODEL)
      await store.delete('a')
      turn.delta('text', 'into nowhere')
    })
    await expect(running).rejects.toMatchObject({ code: 'SESSION_NOT_LIVE' })
  })
})

test('an answer that is too large for one event fails the turn, which is closed all the same', async () => {
  const { thrown, session } = await write((turn) => {
    turn.beginStep(MODEL)
    turn.call('a', 'ls', '{}')
    turn.commit()
    turn.result('a', '')
    for (let i = 0; i < 3; i++) turn.delta('text', 'x'.repeat(12 << 20))
    turn.commit()
  })
  expect(thrown).toMatchObject({ code: 'INVALID_EVENT' })
  expect(session.turn.open).toBeUndefined()
  expect(said(session)).toEqual(['call a', 'result a'])
})

test('userMessage makes a prompt of text or of blocks, with a new id or the one given', () => {
  const blocks = [{ type: 'text' as const, text: 'b' }]
  expect(userMessage('a')).toEqual({
    id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    role: 'user',
    content: [{ type: 'text', text: 'a' }],
    source: { kind: 'user' },
  })
  expect(userMessage(blocks, { id: 'mine' })).toMatchObject({ id: 'mine', content: blocks })
})

test('toJson keeps what JSON.stringify keeps', () => {
  const value = { a: undefined, b: [undefined, Number.NaN, -0], c: new Date(0), d: () => 1 }
  expect(toJson(value)).toEqual({ b: [null, null, 0], c: '1970-01-01T00:00:00.000Z' })
  expect(toJson(undefined)).toBeNull()
})
