import { useLayoutEffect, useRef, type RefObject } from 'react'

/** Closer to the end than this counts as being there, px. */
const NEAR = 48

/** Keeps a box scrolled to its end while it grows, unless somebody has scrolled up to read. */
export function useStickToEnd(): { ref: RefObject<HTMLDivElement | null>; onScroll: () => void } {
  const ref = useRef<HTMLDivElement>(null)
  const atEnd = useRef(true)
  // After every render: each may have brought a word more.
  useLayoutEffect(() => {
    const box = ref.current
    if (box !== null && atEnd.current) box.scrollTop = box.scrollHeight
  })
  const onScroll = (): void => {
    const box = ref.current
    if (box !== null) atEnd.current = box.scrollHeight - box.scrollTop - box.clientHeight < NEAR
  }
  return { ref, onScroll }
}
