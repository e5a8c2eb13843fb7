import { useState, type KeyboardEvent } from 'react'

interface ComposerProps {
  running: boolean
  /** Takes the prompt. False: it could not, and the person keeps what was typed. */
  onSend: (prompt: string) => boolean | Promise<boolean>
  onStop: () => void
}

export function Composer({ running, onSend, onStop }: ComposerProps) {
  const [draft, setDraft] = useState('')
  const canSend = !running && draft.trim() !== ''

  const send = async (): Promise<void> => {
    if (canSend && (await onSend(draft))) setDraft('')
  }
  const onKeyDown = (event: KeyboardEvent): void => {
    // While an input method composes, Enter chooses a candidate.
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return
    event.preventDefault()
    void send()
  }

  return (
    <form
      className="composer"
      onSubmit={(event) => {
        event.preventDefault()
        void send()
      }}
    >
      <textarea
        aria-label="Message"
        placeholder="Ask something. Enter sends, Shift+Enter breaks the line."
        rows={2}
        autoFocus
        value={draft}
        onChange={(event) => setDraft(event.target.value)}
        onKeyDown={onKeyDown}
      />
      {running ? (
        <button type="button" onClick={onStop}>
          Stop
        </button>
      ) : (
        <button type="submit" className="primary" disabled={!canSend}>
          Send
        </button>
      )}
    </form>
  )
}
