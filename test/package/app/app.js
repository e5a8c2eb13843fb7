// The smallest application, built by every bundler: forks a conversation on the first visit, reads it back on the next.
import { openSessions } from 'idb-sessions'
import { lastForkPoint } from 'idb-sessions/log'

/** @import { OpenSessionsOptions, Session, SessionEvent, SessionStoreError } from 'idb-sessions' */

/**
 * What became of it, as JSON in the page's `output`.
 * @typedef {object} Outcome
 * @property {boolean} [loaded] read back, not just written
 * @property {string[]} [parent] the prompts of the conversation
 * @property {string[]} [child] those of its fork
 * @property {string} [code] of the error that it ended with
 * @property {string} [message]
 * @property {number} took ms
 */

/** @param {OpenSessionsOptions} [options] */
export async function run(options) {
  const start = performance.now()
  const result = await forkOrLoad(options).catch((/** @type {SessionStoreError} */ { code, message }) => ({
    code,
    message,
  }))
  const output = document.createElement('output')
  output.textContent = JSON.stringify({ ...result, took: performance.now() - start })
  document.body.append(output)
}

/** @param {OpenSessionsOptions} [options] */
async function forkOrLoad(options) {
  const ctx = { sessions: await openSessions({ name: 'application', ...options }) }
  const written = sessionStorage.getItem('child')
  if (written !== null) {
    const child = await ctx.sessions.load(written)
    const parent = await ctx.sessions.inspect(child.header.parentSession ?? '')
    return { loaded: true, parent: prompts(parent.events), child: prompts(child.events) }
  }
  const session = await ctx.sessions.create()
  runTurn(session, 'one')
  const child = await ctx.sessions.fork(session, lastForkPoint(session.events))
  runTurn(child, 'two')
  await ctx.sessions.flush(child)
  sessionStorage.setItem('child', child.id)
  return { loaded: false, parent: prompts(session.events), child: prompts(child.events) }
}

/**
 * @param {Session} session
 * @param {string} prompt
 */
function runTurn(session, prompt) {
  const turn = session.turn.next
  session.append('turn/start', { turn })
  session.append('step/start', { turn, step: 1 })
  session.append(
    'user/message',
    { id: crypto.randomUUID(), role: 'user', content: [{ type: 'text', text: prompt }], source: { kind: 'user' } },
    { surfaceOp: 'append' },
  )
  session.append('step/end', { turn, step: 1 })
  session.append('turn/end', { turn, reason: { kind: 'completed' } })
}

/** @param {readonly SessionEvent[]} events */
function prompts(events) {
  return events
    .flatMap((event) => (event.type === 'user/message' ? event.data.content : []))
    .map((block) => (block.type === 'text' ? block.text : block.type))
}
