import { useObservable } from '../observable'
import { dismiss, notices, type Notice } from './notices'

/** Errors, in plain words, with what to do. */
export function Notices() {
  return useObservable(notices).map((notice) => <NoticeBar key={notice.key} notice={notice} />)
}

function NoticeBar({ notice }: { notice: Notice }) {
  const { doing, what, cure, retry } = notice
  return (
    <div className="notice" role="alert">
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
