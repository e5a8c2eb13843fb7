import { useTransition, type MouseEvent, type ReactNode } from 'react'

interface ActionButtonProps {
  /** Deals with its own failures. While it runs, the button does nothing. */
  action: () => Promise<void>
  className?: string
  children: ReactNode
}

/** A button whose action takes time, and runs once at a time. */
export function ActionButton({ action, className, children }: ActionButtonProps) {
  const [running, run] = useTransition()
  // What follows in a double-click may meet the button that has come into this one's place.
  const click = ({ detail }: MouseEvent): void => void (detail > 1 || running || run(action))
  // Not `disabled`, which would take the focus away.
  return (
    <button type="button" className={className} aria-disabled={running} onClick={click}>
      {children}
    </button>
  )
}
