import { go } from '../sessions/route'
import { titleOf } from '../sessions/titles'
import type { Choice } from './choices'

/** Steps through the branches that part at one place. */
export function BranchPicker({ choice: { ways, at } }: { choice: Choice }) {
  return (
    <div className="branch-picker" role="group" aria-label="Branches from here">
      <Step label="Previous branch" sign="‹" way={ways[at - 1]} />
      <span>
        <span className="visually-hidden">Branch </span>
        {at + 1}/{ways.length}
      </span>
      <Step label="Next branch" sign="›" way={ways[at + 1]} />
    </div>
  )
}

interface StepProps {
  label: string
  sign: string
  way: Choice['ways'][number] | undefined
}

function Step({ label, sign, way }: StepProps) {
  // Not `disabled`, which would take the focus away at the last one.
  return (
    <button
      type="button"
      className="quiet"
      aria-label={way ? `${label}: ${titleOf(way)}` : label}
      title={way && titleOf(way)}
      aria-disabled={way === undefined}
      onClick={() => way && go(way.header.id)}
    >
      <span aria-hidden="true">{sign}</span>
    </button>
  )
}
