/** Counts the frames that are drawn from now on. Where none are drawn, as in Node, there are none. */
export function countFrames(): () => number {
  let count = 0
  const draw = (): void => {
    count++
    requestAnimationFrame(draw)
  }
  if (typeof requestAnimationFrame === 'function') requestAnimationFrame(draw)
  return () => count
}
