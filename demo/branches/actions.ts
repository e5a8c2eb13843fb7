import type { ContentBlock, Session, SessionId, SessionStore } from 'idb-sessions'
import { ask, textOf } from '../chat/ask'
import { setDraft } from '../chat/drafts'
import { report } from '../notices/notices'
import { go } from '../sessions/route'
import { nameFork } from '../sessions/titles'

/** What can be done at a turn. Each makes a fork and opens it; none changes the session itself. Failures are reported. */
export interface BranchActions {
  /** Goes on after the turn that this `turn/end` closes. */
  fork(boundary: number): Promise<void>
  /** Puts the prompt back into the composer, to be sent in another form. */
  edit(seq: number, prompt: readonly ContentBlock[]): Promise<void>
  /** Sends the same prompt once more. */
  askAgain(seq: number, prompt: ContentBlock[]): Promise<void>
}

export function branchActions(store: SessionStore, id: SessionId): BranchActions {
  return {
    fork: (boundary) => openFork(store, id, 'The session was not forked', () => store.fork(id, boundary)),
    edit: (seq, prompt) =>
      openFork(store, id, 'The prompt cannot be edited', async () => {
        const child = await store.branchBefore(id, seq)
        setDraft(child.id, textOf(prompt))
        return child
      }),
    askAgain: (seq, prompt) =>
      openFork(store, id, 'The prompt was not sent again', async () => {
        const child = await store.branchBefore(id, seq)
        void ask(store, child, prompt)
        return child
      }),
  }
}

/** Forks a session where it ends. It need not be open. */
export function forkAtEnd(store: SessionStore, id: SessionId): Promise<void> {
  return openFork(store, id, 'The session was not forked', () => store.fork(id))
}

async function openFork(
  store: SessionStore,
  parentId: SessionId,
  failure: string,
  make: () => Promise<Session>,
): Promise<void> {
  try {
    const child = await make()
    await nameFork(store, child.id, parentId)
    go(child.id)
  } catch (error) {
    report(failure, error)
  }
}
