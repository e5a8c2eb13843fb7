import { useObservable } from '../ui/observable'
import { composerInput, useHandOverFocus } from '../ui/focus'
import { dismiss, notices, type Notice } from './notices'

/** Errors, in plain words, with what to do. */
export function Notices() {
  return useObservable(notices).map((notice) => <NoticeBar key={notice.key} notice={notice} />)
}

function NoticeBar({ notice }: { notice: Notice }) {
  const ref = useHandOverFocus<HTMLDivElement>(composerInput)
  const { doing, what, cure, retry } = notice
  return (
    <div ref={ref} className="notice" role="alert">
      <p>
        <strong>{doing}:</strong> {what}. {cure}
      </p>
      {retry && (
        <button
          type="button"
          onClick={() => {
            dismiss(notice)
            retry()
          }}
        >
          Try again
        </button>
      )}
      <button type="button" onClick={() => dismiss(notice)}>
        Dismiss
      </button>
    </div>
  )
}
