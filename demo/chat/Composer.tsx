import { useState, type KeyboardEvent } from 'react'
import type { SessionId } from 'idb-sessions'
import { ModelButton } from '../model/ModelButton'
import { composerInput, useHandOverFocus } from '../ui/focus'
import { draftOf, setDraft, useDraft } from './drafts'

interface ComposerProps {
  /** Undefined: of the new chat. */
  sessionId: SessionId | undefined
  /** Why nothing can be sent now, and what to do; undefined: it can. */
  obstacle: string | undefined
  /** Takes the prompt. Whoever cannot keep it gives it back to the drafts. */
  onSend: (prompt: string) => void
  /** Given while an answer is written. */
  onStop?: (() => void) | undefined
}

/** On a phone the focus would bring up its keyboard, over what one has come to read. */
const HAS_KEYS = matchMedia('(pointer: fine)').matches

export function Composer({ sessionId, obstacle, onSend, onStop }: ComposerProps) {
  const draft = useDraft(sessionId)
  const [told, tell] = useState<string>()

  const send = (): void => {
    tell(obstacle)
    // Not `draft`: a second Enter may come before this is drawn again.
    const prompt = draftOf(sessionId)
    if (obstacle !== undefined || prompt.trim() === '') return
    setDraft(sessionId, '')
    onSend(prompt)
  }
  const onKeyDown = (event: KeyboardEvent): void => {
    // While an input method composes, Enter chooses a candidate.
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return
    event.preventDefault()
    send()
  }

  return (
    <div className="composer">
      <form
        onSubmit={(event) => {
          event.preventDefault()
          send()
        }}
      >
        <textarea
          aria-label="Message"
          placeholder="Ask something"
          enterKeyHint="send"
          rows={2}
          autoFocus={HAS_KEYS}
          value={draft}
          onChange={(event) => setDraft(sessionId, event.target.value)}
          onKeyDown={onKeyDown}
        />
        {onStop ? (
          <StopButton onStop={onStop} />
        ) : (
          <button type="submit" className="primary" disabled={obstacle !== undefined || draft.trim() === ''}>
            Send
          </button>
        )}
      </form>
      <div className="hint muted">
        <span role="status">{told === obstacle && obstacle}</span>
        <span className="keys">Enter sends, Shift+Enter breaks the line.</span>
        <ModelButton />
      </div>
    </div>
  )
}

function StopButton({ onStop }: { onStop: () => void }) {
  const ref = useHandOverFocus<HTMLButtonElement>(composerInput)
  return (
    // Where “Send” was: the second click of a double one is not meant for it.
    <button ref={ref} type="button" onClick={({ detail }) => detail > 1 || onStop()}>
      Stop
    </button>
  )
}
