/** Time limits that a frozen page does not run into: when it thaws, nothing has had a chance to answer yet. */

/** Calls `late` after so many seconds in which this thread ran. Returns what ends it. */
export function afterSeconds(seconds: number, late: () => void): () => void {
  let left = seconds
  const timer = setInterval(() => {
    if (--left > 0) return
    clearInterval(timer)
    late()
  }, 1000)
  return () => clearInterval(timer)
}
