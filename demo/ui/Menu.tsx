import { useId, useRef } from 'react'

interface MenuProps {
  label: string
  className?: string
  items: readonly { name: string; action: () => void }[]
}

/**
 * A button with a few more behind it. The browser opens it above everything, closes it on Escape and on a press elsewhere,
 * and gives the focus back.
 */
export function Menu({ label, className = '', items }: MenuProps) {
  const id = useId()
  const popover = useRef<HTMLDivElement>(null)
  return (
    <>
      <button type="button" className={`quiet ${className}`} aria-label={label} popoverTarget={id}>
        <span aria-hidden="true">⋯</span>
      </button>
      <div ref={popover} id={id} popover="auto" className="menu" role="group" aria-label={label}>
        {items.map(({ name, action }) => (
          <button
            key={name}
            type="button"
            onClick={() => {
              // First, so that the focus goes back to the button before the action takes it elsewhere.
              popover.current?.hidePopover()
              action()
            }}
          >
            {name}
          </button>
        ))}
      </div>
    </>
  )
}
