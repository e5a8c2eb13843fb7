import type { Session, SessionStore } from 'idb-sessions'
import { runTurn, userMessage } from 'idb-sessions/turn'
import { scriptedModel } from '../model/scripted'
import { go } from '../sessions/route'
import { CONVERSATION, EXAMPLE, EXAMPLE_BRANCH, OTHER_QUESTION, type Exchange } from './conversation'

/** Says in this browser that the example was made: who removes it does not want it again. */
const GREETED = 'idb-sessions-demo:greeted'

/** Makes the example conversation where nothing is stored yet, once, and opens it. Rejects when nothing can be read. */
export async function greet(store: SessionStore): Promise<void> {
  const stored = await store.stored()
  if (stored.length > 0 || wasGreeted()) return
  try {
    const session = await store.create(EXAMPLE)
    for (const exchange of CONVERSATION) await tell(session, exchange)
    const last = session.transcript.findLast(({ role }) => role === 'user')!
    const branch = await store.branchBefore(session, last.seq, EXAMPLE_BRANCH)
    await tell(branch, OTHER_QUESTION)
    await store.setTitle(EXAMPLE, 'A name for a café')
    await store.setTitle(EXAMPLE_BRANCH, 'A name for a café (1)')
    await Promise.all([store.release(session), store.release(branch)])
    if (location.hash === '') go(EXAMPLE)
  } catch (error) {
    // Another tab is just making it; or it cannot be stored, which will be said when something of one's own is.
    console.warn('The example conversation was not made.', error)
  }
}

function tell(session: Session, { prompt, reasoning, text }: Exchange): Promise<void> {
  return runTurn(session, userMessage(prompt), async (turn) => {
    turn.beginStep(scriptedModel)
    if (reasoning !== undefined) turn.delta('reasoning', reasoning)
    turn.delta('text', text)
  })
}

/** Whether it was before; from now on, it was. */
function wasGreeted(): boolean {
  try {
    if (localStorage.getItem(GREETED) !== null) return true
    localStorage.setItem(GREETED, new Date().toISOString())
    return false
  } catch {
    // Forbidden: better no example than one at every visit.
    return true
  }
}
