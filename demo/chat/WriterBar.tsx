import type { SessionView } from 'idb-sessions'
import { ActionButton } from '../ui/ActionButton'
import { composerInput, useHandOverFocus } from '../ui/focus'

interface WriterBarProps {
  writer: SessionView['writer']
  onTakeOver: () => Promise<void>
}

/** Who writes the session that is only read here, and how to go on with it. */
export function WriterBar({ writer, onTakeOver }: WriterBarProps) {
  const ref = useHandOverFocus<HTMLDivElement>(composerInput)
  const isElsewhere = writer === 'elsewhere'
  return (
    <div ref={ref} className="writer-bar" role="status" aria-label="Who writes this session" data-writer={writer}>
      <p>
        {isElsewhere
          ? 'Another tab writes this session. You read it here as it grows.'
          : 'No tab writes this session any more.'}
      </p>
      <ActionButton action={onTakeOver}>{isElsewhere ? 'Take over' : 'Go on here'}</ActionButton>
    </div>
  )
}
