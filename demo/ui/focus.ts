import { useLayoutEffect, useRef, type RefObject } from 'react'

/** When this element leaves the page while the focus is in it, the focus goes to another one, instead of nowhere. */
export function useHandOverFocus<E extends HTMLElement>(
  heir: (leaving: E) => HTMLElement | null | undefined,
): RefObject<E | null> {
  const ref = useRef<E>(null)
  const latest = useRef(heir)
  useLayoutEffect(() => void (latest.current = heir))
  // React runs this before it takes the element out.
  useLayoutEffect(() => {
    const element = ref.current
    return () => {
      if (!element?.contains(document.activeElement)) return
      const next = latest.current(element)
      // Not when it stays: StrictMode runs this once for nothing.
      queueMicrotask(() => element.isConnected || next?.focus())
    }
  }, [])
  return ref
}

/** Where one types, if there is such a place. */
export function composerInput(): HTMLElement | null {
  return document.querySelector<HTMLElement>('.composer textarea')
}
