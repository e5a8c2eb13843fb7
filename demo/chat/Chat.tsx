import { useMemo, useSyncExternalStore } from 'react'
import type { Session } from 'idb-sessions'
import { branchActions } from '../branches/actions'
import { BranchPicker } from '../branches/BranchPicker'
import { useChoices } from '../branches/useChoices'
import { ExampleNote } from '../example/ExampleNote'
import { useStore } from '../store'
import { Transcript } from '../transcript/Transcript'
import { useTurns } from '../transcript/turns'
import { ask, stop } from './ask'
import { ChatHeader } from './ChatHeader'
import { Composer } from './Composer'
import { NotLive } from './NotLive'

const WAIT = 'Wait until the answer is finished, or stop it.'
const CHOOSE = 'Choose above how to go on.'

interface ChatProps {
  session: Session
  onReopen: () => Promise<void>
}

/** A session that is, or was, live here: its transcript, which grows with the log, and the composer. */
export function Chat({ session, onReopen }: ChatProps) {
  const store = useStore()
  const state = useSyncExternalStore(session.subscribe, () => session.state)
  const openTurn = useSyncExternalStore(session.subscribe, () => session.turn.open)
  const { turns, starts } = useTurns(session)
  const choices = useChoices(session.id, starts)
  const actions = useMemo(() => branchActions(store, session), [store, session])
  const isLive = state === 'live'
  const running = isLive ? openTurn : undefined
  // Where this session ends, and others go on.
  const choiceAtEnd = choices.get(turns.length)

  return (
    <section className="chat" aria-label="Session">
      <ChatHeader session={session} />
      <ExampleNote id={session.id} />
      <Transcript
        session={session}
        turns={turns}
        running={running}
        choices={choices}
        actions={isLive ? actions : undefined}
      />
      {!isLive && <NotLive session={session} onReopen={onReopen} />}
      {choiceAtEnd && (
        <div className="branches-at-end muted">
          Other branches go on from here
          <BranchPicker choice={choiceAtEnd} />
        </div>
      )}
      <Composer
        sessionId={session.id}
        obstacle={isLive ? (running === undefined ? undefined : WAIT) : CHOOSE}
        onSend={(prompt) => void ask(store, session, prompt)}
        onStop={running === undefined ? undefined : () => stop(session)}
      />
    </section>
  )
}
