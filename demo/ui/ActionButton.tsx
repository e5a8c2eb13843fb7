import { useTransition, type ReactNode } from 'react'

interface ActionButtonProps {
  /** Deals with its own failures. While it runs, the button does nothing. */
  action: () => Promise<void>
  className?: string
  children: ReactNode
}

/** A button whose action takes time, and runs once at a time. */
export function ActionButton({ action, className, children }: ActionButtonProps) {
  const [running, run] = useTransition()
  // Not `disabled`, which would take the focus away.
  return (
    <button type="button" className={className} aria-disabled={running} onClick={() => running || run(action)}>
      {children}
    </button>
  )
}
