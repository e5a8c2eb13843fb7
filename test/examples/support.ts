/** Running an example on a stream, and telling what its turn came to. */
import type { Session, TokenUsage, TranscriptEntry, UserMessage } from 'idb-sessions'
import { checkTurns } from 'idb-sessions/log'
import { userMessage } from 'idb-sessions/turn'
import { page } from '../support/lifetime'
import type { Stream } from './streams'

export type Tools = Record<string, (input: unknown, signal?: AbortSignal) => Promise<string>>

/** A recorder, on a server that sends what a stream says. */
export type Ask = (
  session: Session,
  prompt: UserMessage,
  tools: Tools,
  signal: AbortSignal,
) => Promise<void | undefined>

export interface Outcome {
  session: Session
  /** Relations of turns that the log breaks. */
  violations: unknown[]
  /** The transcript: an entry a line. */
  shows: string[]
  ends: string
  /** The caller learns of an error exactly when the log does, and of the same one. */
  isTold: boolean
  /** Tools that ran, but have no call with a result in the log. */
  untraced: string[]
  isSameAfterReload: boolean
}

/** What holds for every stream. */
export const SOUND = { violations: [], isTold: true, untraced: [], isSameAfterReload: true }

export async function outcome({ stop }: Stream, ask: Ask): Promise<Outcome> {
  const { store } = await page()
  const session = await store.create()
  const controller = new AbortController()
  const ran: string[] = []
  const tool = async (name: string, run: () => Promise<string>): Promise<string> => {
    ran.push(name)
    if (stop !== undefined && 'runs' in stop && stop.runs === name) controller.abort()
    return run()
  }
  const tools: Tools = {
    clock: (input) => tool('clock', async () => `12:00 ${(input as { zone: string }).zone}`),
    broken: () => tool('broken', () => Promise.reject(Object.assign(new Error('the spring is gone'), { code: 'EIO' }))),
    slow: () => tool('slow', () => new Promise(() => {})),
  }
  store.on('session/event', () => {
    if (stop !== undefined && 'seen' in stop && session.transcript.some((entry) => line(entry).includes(stop.seen))) {
      controller.abort()
    }
  })

  const thrown = await ask(session, userMessage('What time is it?'), tools, controller.signal).catch(
    (error: unknown) => ({ error }),
  )
  const { events, transcript } = session
  const last = events.at(-1)
  const reason = last?.type === 'turn/end' ? last.data.reason : undefined
  const message = reason?.kind === 'error' ? reason.error.message : undefined
  const answered = transcript.flatMap(({ results }) => Object.keys(results))
  const traced = events.flatMap((event) =>
    event.type === 'tool/call' && answered.includes(event.data.callId) ? [event.data.name] : [],
  )
  await store.release(session)
  const again = await store.load(session.id)
  return {
    session: again,
    violations: checkTurns(events),
    shows: transcript.map(line),
    ends: [reason?.kind, message].filter((part) => part !== undefined).join(': '),
    isTold: (thrown?.error as Error | undefined)?.message === message,
    untraced: ran.filter((name) => !traced.includes(name)),
    isSameAfterReload: JSON.stringify(again.transcript) === JSON.stringify(transcript),
  }
}

/** State and content; a call with what it was answered: `= output`, or `! message (CODE)`. */
function line({ role, state, blocks, results }: TranscriptEntry): string {
  const parts = blocks.map((block) => {
    if (block.type === 'reasoning') return `(${block.text})`
    if (block.type !== 'tool-call') return 'text' in block ? block.text : block.type
    const { isError, content = [] } = results[block.id] ?? {}
    const output = content.map((block) => ('text' in block ? block.text : '')).join('')
    return `${block.name}${block.arguments} ${isError ? '!' : '='} ${output}`
  })
  return `${role === 'user' ? 'user' : state}: ${parts.join(' ')}`
}

/** The token counts of the session's answers. */
export function usages({ events }: Session): (TokenUsage | undefined)[] {
  return events.flatMap((event) => (event.type === 'assistant/message' ? [event.data.usage] : []))
}
