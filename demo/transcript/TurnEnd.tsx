import type { TranscriptEntry } from 'idb-sessions'
import type { BranchActions } from '../branches/actions'
import { ActionButton } from '../ui/ActionButton'
import { howItEnded } from './howItEnded'

interface TurnEndProps {
  /** The turn's last one. */
  entry: TranscriptEntry
  running: boolean
  prompt: TranscriptEntry | undefined
  actions: BranchActions | undefined
}

/** How a turn ended, and what can be done from there. */
export function TurnEnd({ entry, running, prompt, actions }: TurnEndProps) {
  const { forkAt } = entry
  const trouble = howItEnded(entry)
  return (
    <footer>
      {running && <p className="muted">Answering… It can be forked and asked again when it is finished, or stopped.</p>}
      {!running && forkAt === undefined && <p className="cut-off">Not finished.</p>}
      {trouble !== undefined && <p className="cut-off">{trouble}</p>}
      {forkAt !== undefined && actions && (
        <>
          {prompt && (
            <ActionButton className="small" action={() => actions.askAgain(prompt.seq, [...prompt.blocks])}>
              {trouble === undefined ? 'Regenerate' : 'Try again'}
            </ActionButton>
          )}
          <ActionButton className="small" action={() => actions.fork(forkAt)}>
            Fork here
          </ActionButton>
        </>
      )}
    </footer>
  )
}
