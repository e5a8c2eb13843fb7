import { useRef, type FocusEvent } from 'react'
import type { SessionId } from 'idb-sessions'
import { report } from '../notices/notices'
import { useStore } from '../store'
import { useHandOverFocus } from '../ui/focus'
import { LONGEST_NAME } from './titles'

interface RenameFormProps {
  id: SessionId
  title: string
  onDone: () => void
}

/** The title, to be typed anew. Enter or going elsewhere keeps it, Escape does not, nothing typed gives the log's own back. */
export function RenameForm({ id, title, onDone }: RenameFormProps) {
  const store = useStore()
  // The button that opened it stands in the same row.
  const form = useHandOverFocus<HTMLFormElement>((leaving) =>
    leaving.closest('header, li')?.querySelector<HTMLElement>('button.rename'),
  )
  const isOver = useRef(false)
  const finish = (typed: string | undefined): void => {
    // It loses the focus once more when it goes.
    if (isOver.current) return
    isOver.current = true
    onDone()
    if (typed === undefined || typed.trim() === title) return
    store.setTitle(id, typed.trim()).catch((error: unknown) => report('The session was not renamed', error))
  }
  return (
    <form
      ref={form}
      className="rename-form"
      onSubmit={(event) => {
        event.preventDefault()
        finish(new FormData(event.currentTarget).get('title') as string)
      }}
    >
      <input
        name="title"
        aria-label="Title"
        autoComplete="off"
        maxLength={LONGEST_NAME}
        defaultValue={title}
        autoFocus
        onFocus={(event: FocusEvent<HTMLInputElement>) => event.target.select()}
        onBlur={(event) => finish(event.target.value)}
        onKeyDown={(event) => event.key === 'Escape' && finish(undefined)}
      />
    </form>
  )
}
