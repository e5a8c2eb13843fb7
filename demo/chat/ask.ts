import type { Session, SessionStore } from 'idb-sessions'
import { scriptedModel } from '../model/scripted'
import { runTurn } from '../model/turn'
import { report, settle } from '../notices/notices'
import { giveBack } from './drafts'
import { titleOf } from './transcript'

// Turns run outside React: one that streams goes on while another session is on the screen.
const running = new WeakMap<Session, AbortController>()

/**
 * Runs a turn and stores it. Never rejects: what goes wrong is in the log, or reported, and a prompt that did not make it
 * into the log goes back to the composer.
 */
export async function ask(store: SessionStore, session: Session, prompt: string): Promise<void> {
  const controller = new AbortController()
  running.set(session, controller)
  const start = session.seq
  try {
    await runTurn(session, prompt, scriptedModel, controller.signal)
  } catch (error) {
    report('The message was not sent', error)
  }
  // Of a session that was taken over or deleted, only what is stored is there for anybody else.
  const kept = session.slice(start, session.state === 'live' ? session.seq : session.durable)
  if (!kept.some(({ type }) => type === 'user/message')) giveBack(session.id, prompt)
  await save(store, session)
}

/** Stops the turn that runs in a session, if any. */
export function stop(session: Session): void {
  running.get(session)?.abort()
}

/** Events are stored by themselves; flushing is how one learns that they could not be. */
async function save(store: SessionStore, session: Session): Promise<void> {
  // Deleted or taken over: the chat itself says so.
  if (session.state !== 'live') return
  const doing = `“${titleOf(session.events)}” is not all stored yet`
  try {
    await store.flush(session)
    settle(doing)
  } catch (error) {
    if (session.state === 'live') report(doing, error, () => void save(store, session))
  }
}
