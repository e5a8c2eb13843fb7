/** The page's life: what is not sent before the page goes may never be. */

export interface PageListener {
  /** Nobody sees it, and it may be frozen or end at any moment. */
  hidden: () => void
  /** It is frozen, or thawed. */
  frozen: (isFrozen: boolean) => void
  /** It ends, or goes into the back/forward cache. */
  gone: () => void
  /** It has come out of the back/forward cache. */
  back: () => void
  /** It is seen again, or has been thawed. */
  seen: () => void
}

/** Returns what ends it. Does nothing where there is no page. */
export function watchPage({ hidden, frozen, gone, back, seen }: PageListener): () => void {
  if (typeof document === 'undefined') return () => {}
  const changed = (): void => (document.visibilityState === 'hidden' ? hidden() : seen())
  const shown = ({ persisted }: PageTransitionEvent): void => {
    if (persisted) back()
  }
  document.addEventListener('visibilitychange', changed)
  const freeze = (): void => {
    frozen(true)
    hidden()
  }
  const thaw = (): void => {
    frozen(false)
    seen()
  }
  document.addEventListener('freeze', freeze)
  document.addEventListener('resume', thaw)
  addEventListener('pagehide', gone)
  addEventListener('pageshow', shown)
  return () => {
    document.removeEventListener('visibilitychange', changed)
    document.removeEventListener('freeze', freeze)
    document.removeEventListener('resume', thaw)
    removeEventListener('pagehide', gone)
    removeEventListener('pageshow', shown)
  }
}
