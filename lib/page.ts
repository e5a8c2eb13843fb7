/** The page's life: what is not sent before the page goes may never be. */

/** Calls `leaving` when the page is hidden or goes. Returns what ends it. Does nothing where there is no page. */
export function watchPage(leaving: () => void): () => void {
  if (typeof document === 'undefined') return () => {}
  const hidden = (): void => {
    if (document.visibilityState === 'hidden') leaving()
  }
  document.addEventListener('visibilitychange', hidden)
  addEventListener('pagehide', leaving)
  return () => {
    document.removeEventListener('visibilitychange', hidden)
    removeEventListener('pagehide', leaving)
  }
}
