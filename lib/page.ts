/** The page's life: what is not sent before the page goes may never be. */

/**
 * Calls `leaving` when the page is hidden, frozen or goes, and `back` when it is thawed, or comes out of the back/forward
 * cache. Returns what ends it. Does nothing where there is no page.
 */
export function watchPage({ leaving, back }: { leaving: () => void; back: () => void }): () => void {
  if (typeof document === 'undefined') return () => {}
  const hidden = (): void => {
    if (document.visibilityState === 'hidden') leaving()
  }
  const shown = ({ persisted }: PageTransitionEvent): void => {
    if (persisted) back()
  }
  document.addEventListener('visibilitychange', hidden)
  document.addEventListener('freeze', leaving)
  document.addEventListener('resume', back)
  addEventListener('pagehide', leaving)
  addEventListener('pageshow', shown)
  return () => {
    document.removeEventListener('visibilitychange', hidden)
    document.removeEventListener('freeze', leaving)
    document.removeEventListener('resume', back)
    removeEventListener('pagehide', leaving)
    removeEventListener('pageshow', shown)
  }
}
