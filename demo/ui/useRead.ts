import { useEffect, useState } from 'react'

export type Read<T> = { value: T } | { error: unknown }

/**
 * What a function reads, and reads again when it is another function. What was read before stays until then.
 * @param read made by `useCallback`
 */
export function useRead<T>(read: () => Promise<T>): Read<T> | undefined {
  const [state, setState] = useState<Read<T>>()
  useEffect(() => {
    let isCurrent = true
    read().then(
      (value) => isCurrent && setState({ value }),
      (error: unknown) => isCurrent && setState({ error }),
    )
    return () => void (isCurrent = false)
  }, [read])
  return state
}
