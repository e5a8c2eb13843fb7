import { useState, type ReactNode } from 'react'

/** At first, and with each press, this many more. */
const STEP = 50

/** How many of a long list to show, and a button for more as long as there are. */
export function useMore(total: number): [count: number, more: ReactNode] {
  const [wanted, want] = useState(STEP)
  const count = Math.min(wanted, total)
  const more = count < total && (
    <button type="button" className="more" onClick={() => want(wanted + STEP)}>
      Show more ({total - count} are left)
    </button>
  )
  return [count, more]
}
