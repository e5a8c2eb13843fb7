/** Once a frame: what is called often is done once, when the screen is drawn next. */

/** A hidden page draws no frames, so a timer runs beside the frame, ms. */
const FALLBACK = 50

/** Makes `task` run once in the next frame, however often the returned function is called before. */
export function oncePerFrame(task: () => void): () => void {
  let scheduled = false
  return () => {
    if (scheduled) return
    scheduled = true
    let frame = 0
    const run = (): void => {
      if (!scheduled) return
      scheduled = false
      clearTimeout(timer)
      if (frame !== 0) cancelAnimationFrame(frame)
      task()
    }
    const timer = setTimeout(run, FALLBACK)
    if (typeof requestAnimationFrame === 'function') frame = requestAnimationFrame(run)
  }
}
