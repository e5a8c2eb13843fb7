import { useTransition } from 'react'
import { report } from '../notices/notices'
import { go } from '../sessions/route'
import { useStore } from '../store'
import { ask } from './ask'
import { Composer } from './Composer'
import { giveBack } from './drafts'

const SUGGESTIONS = [
  'How is an answer stored?',
  'What is 17 × (3 + 4)?',
  'What time is it?',
  'Tell me a long story',
  'Fail in the middle',
]

/** Before the first message there is no session: one that nobody uses need not exist. */
export function NewChat() {
  const store = useStore()
  const [starting, run] = useTransition()
  const start = (prompt: string): void =>
    run(async () => {
      try {
        const session = await store.create()
        void ask(store, session, prompt)
        go(session.id)
      } catch (error) {
        giveBack(undefined, prompt)
        report('The session was not created', error)
      }
    })
  return (
    <section className="chat" aria-label="New chat">
      <div className="welcome">
        <h1>Ask, then fork any answer</h1>
        <p>
          A small chat on top of <code>idb-sessions</code>. Every conversation is a log that stays in this browser and
          can be forked at any finished answer. The model is a script that tells you how much of the session it sees,
          until you choose another one below.
        </p>
        <ul className="suggestions">
          {SUGGESTIONS.map((prompt) => (
            <li key={prompt}>
              <button type="button" disabled={starting} onClick={() => start(prompt)}>
                {prompt}
              </button>
            </li>
          ))}
        </ul>
      </div>
      <Composer
        sessionId={undefined}
        obstacle={starting ? 'The session is being created.' : undefined}
        onSend={start}
      />
    </section>
  )
}
