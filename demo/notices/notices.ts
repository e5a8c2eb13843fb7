import { Observable } from '../ui/observable'
import { explain, type Explanation } from './explain'

export interface Notice extends Explanation {
  key: number
  /** What was being done, as a heading. */
  doing: string
  retry?: () => void
}

export const notices = new Observable<readonly Notice[]>([])

let nextKey = 0

/** Shows an error until somebody dismisses it, or it is settled. Only the last one is shown of each `doing`. */
export function report(doing: string, error: unknown, retry?: () => void): void {
  const notice = { key: nextKey++, doing, ...explain(error), ...(retry && { retry }) }
  settle(doing)
  notices.set([...notices.get(), notice])
}

/** Takes back what was reported: it has worked since. */
export function settle(doing: string): void {
  if (notices.get().some((notice) => notice.doing === doing)) {
    notices.set(notices.get().filter((notice) => notice.doing !== doing))
  }
}

export function dismiss(notice: Notice): void {
  notices.set(notices.get().filter(({ key }) => key !== notice.key))
}
