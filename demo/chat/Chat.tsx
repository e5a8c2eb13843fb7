import { useMemo, useSyncExternalStore } from 'react'
import type { SessionView } from 'idb-sessions'
import { branchActions } from '../branches/actions'
import { BranchPicker } from '../branches/BranchPicker'
import { useChoices } from '../branches/useChoices'
import { ExampleNote } from '../example/ExampleNote'
import { go } from '../sessions/route'
import { useStore } from '../store'
import { Transcript } from '../transcript/Transcript'
import { useTurns } from '../transcript/turns'
import { ask, stop } from './ask'
import { Composer } from './Composer'
import { NotLive } from './NotLive'
import { WriterBar } from './WriterBar'

const WAIT = 'Wait until the answer is finished, or stop it.'
const CHOOSE = 'Choose above how to go on.'

interface ChatProps {
  view: SessionView
  /** Of the turn to begin at; undefined: the end. */
  place: number | undefined
  onTakeOver: () => Promise<void>
  onFollow: () => Promise<void>
}

/** A session's transcript, which grows with the log, in whatever tab it is written; and the composer. */
export function Chat({ view, place, onTakeOver, onFollow }: ChatProps) {
  const store = useStore()
  const state = useSyncExternalStore(view.subscribe, () => view.state)
  const writer = useSyncExternalStore(view.subscribe, () => view.writer)
  const openTurn = useSyncExternalStore(view.subscribe, () => view.turn.open)
  const { turns, starts } = useTurns(view)
  const choices = useChoices(view.id, starts)
  const actions = useMemo(() => branchActions(store, view.id), [store, view])
  const isLive = state === 'live'
  const isStored = isLive || state === 'following'
  const running = isStored && writer !== 'none' ? openTurn : undefined
  // Where this session ends, and others go on.
  const choiceAtEnd = choices.get(turns.length)
  const session = isLive ? store.get(view.id) : undefined

  return (
    <>
      <ExampleNote id={view.id} />
      <Transcript
        view={view}
        turns={turns}
        place={place}
        running={running}
        choices={choices}
        actions={isStored ? actions : undefined}
      />
      {state === 'following' && <WriterBar writer={writer} onTakeOver={onTakeOver} />}
      {!isStored && <NotLive view={view} onTakeOver={onTakeOver} onFollow={onFollow} />}
      {choiceAtEnd && (
        <div className="branches-at-end muted">
          Other branches go on from here
          <BranchPicker choice={choiceAtEnd} />
        </div>
      )}
      <Composer
        sessionId={view.id}
        obstacle={isLive ? (running === undefined ? undefined : WAIT) : CHOOSE}
        onSend={(prompt) => {
          // At its end, wherever one was.
          go(view.id)
          if (session) void ask(store, session, prompt)
        }}
        onStop={running === undefined || session === undefined ? undefined : () => stop(session)}
      />
    </>
  )
}
