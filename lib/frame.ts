/** Once a frame: what is called often is done once, when the screen is drawn next. */

/** A page that becomes hidden draws no frame; what waits for one is done after this, ms. */
const LATE = 250
/** Instead of a frame, where there is none: hidden pages, Node; ms. */
const INSTEAD = 16

/** Makes `task` run once in the next frame, however often the returned function is called before. */
export function oncePerFrame(task: () => void): () => void {
  let isScheduled = false
  return () => {
    if (isScheduled) return
    isScheduled = true
    const draws = typeof requestAnimationFrame === 'function' && document.visibilityState === 'visible'
    const run = (): void => {
      if (!isScheduled) return
      isScheduled = false
      clearTimeout(timer)
      if (frame !== undefined) cancelAnimationFrame(frame)
      task()
    }
    const timer = setTimeout(run, draws ? LATE : INSTEAD)
    const frame = draws ? requestAnimationFrame(run) : undefined
  }
}
