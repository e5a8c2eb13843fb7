import type { ContentBlock, Session, SessionStore } from 'idb-sessions'
import { currentModel } from '../model/choice'
import { answer } from '../model/turn'
import { report, settle } from '../notices/notices'
import { letGo } from '../sessions/shown'
import { giveBack } from './drafts'

// Turns run outside React: one that streams goes on while another session is on the screen.
const running = new WeakMap<Session, AbortController>()

/**
 * Runs a turn and stores it. Never rejects: what goes wrong is in the log, or reported, and a prompt that did not make it
 * into the log goes back to the composer.
 */
export async function ask(store: SessionStore, session: Session, prompt: string | ContentBlock[]): Promise<void> {
  const controller = new AbortController()
  running.set(session, controller)
  const start = session.seq
  let failure: unknown
  try {
    await answer(session, prompt, currentModel(), controller.signal)
  } catch (error) {
    failure = error
  }
  // Of one that was taken over in order, only what is stored is there; after a conflict, somebody decides on the rest.
  const isWhole = session.state === 'live' || session.state === 'conflict'
  const kept = session.slice(start, isWhole ? session.seq : session.durable)
  // What fails after the prompt is in the log with it.
  if (!kept.some(({ type }) => type === 'user/message')) {
    giveBack(session.id, textOf(prompt))
    // What became of the session is said by the chat.
    if (failure !== undefined && session.state === 'live') report('The message was not sent', failure)
  }
  await save(store, session)
  letGo(store, session)
}

/** Stops the turn that runs in a session, if any. */
export function stop(session: Session): void {
  running.get(session)?.abort()
}

export function textOf(prompt: string | readonly ContentBlock[]): string {
  if (typeof prompt === 'string') return prompt
  return prompt.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n\n')
}

/** Events are stored by themselves; flushing is how one learns that they could not be. */
async function save(store: SessionStore, session: Session): Promise<void> {
  // Deleted or taken over: the chat itself says so.
  if (session.state !== 'live') return
  const title = store.index.current.find(({ header }) => header.id === session.id)?.title
  const doing = `“${title ?? 'Untitled'}” is not all stored yet`
  try {
    await store.flush(session)
    settle(doing)
  } catch (error) {
    if (session.state === 'live') report(doing, error, () => void save(store, session))
  }
}
