import { useId, useLayoutEffect, useRef, type ReactNode } from 'react'
import { createPortal } from 'react-dom'

interface DialogProps {
  title: string
  onClose: () => void
  children: ReactNode
}

/**
 * A modal dialog: the browser keeps the focus inside, closes it on Escape, and gives the focus back. It stands in no
 * other element: in one that is hidden it would hold the page, and not be seen.
 */
export function Dialog({ title, onClose, children }: DialogProps) {
  const ref = useRef<HTMLDialogElement>(null)
  const titleId = useId()
  // Closed before it leaves the page: only then does the browser know where the focus was.
  useLayoutEffect(() => {
    const dialog = ref.current
    dialog?.showModal()
    return () => dialog?.close()
  }, [])
  return createPortal(
    <dialog ref={ref} aria-labelledby={titleId} onCancel={onClose}>
      <h2 id={titleId}>{title}</h2>
      {children}
    </dialog>,
    document.body,
  )
}
