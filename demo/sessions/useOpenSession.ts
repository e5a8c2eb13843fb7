import { useCallback, useEffect, useState } from 'react'
import type { SessionId, SessionStore, SessionView } from 'idb-sessions'
import { report } from '../notices/notices'
import { useStore } from '../store'
import { atHand, decided, letGo, useShown, whenLeft } from './shown'

export type Opened = { id: SessionId; view: SessionView } | { id: SessionId; error: unknown }

export interface OpenSession {
  /** What was open before stays until this is read; undefined: nothing was. */
  opened: Opened | undefined
  /** Once more, after a failure. */
  retry: () => Promise<void>
  /** Goes on with it here: another tab stores what it has and lets go. Failures are reported. */
  takeOver: () => Promise<void>
  /** Shows what is stored of it, whoever writes it. Failures are reported. */
  follow: () => Promise<void>
}

/** Opens a session to be written when it is free, and else to be read while another tab writes it. */
export function useOpenSession(id: SessionId): OpenSession {
  const store = useStore()
  const [opened, setOpened] = useState<Opened | undefined>(() => wrap(atHand(store, id)))
  const ready = opened?.id === id ? undefined : wrap(atHand(store, id))
  if (ready !== undefined) setOpened(ready)
  const view = opened && 'view' in opened ? opened.view : undefined
  useShown(id, view)

  const retry = useCallback(async () => setOpened(await tryOpen(store, id)), [store, id])
  useEffect(() => {
    let isOver = false
    if (atHand(store, id) !== undefined) return undefined
    void tryOpen(store, id).then((opened) => {
      if (!isOver) setOpened(opened)
      else if ('view' in opened) letGo(store, opened.view)
    })
    return () => void (isOver = true)
  }, [store, id])

  // What is on the screen may not be stored, so it stays there when this fails.
  const replace = useCallback(
    async (failure: string, open: () => Promise<SessionView>) => {
      try {
        setOpened({ id, view: await open() })
        decided(id)
      } catch (error) {
        report(failure, error)
      }
    },
    [id],
  )
  const follow = useCallback(
    () => replace('The session cannot be followed', () => store.follow(id)),
    [replace, store, id],
  )
  const takeOver = useCallback(
    () => replace('The session was not taken over', () => store.load(id, { takeOver: true })),
    [replace, store, id],
  )
  // Taken over by another tab, with all that it had.
  useEffect(() => {
    if (view?.id !== id) return undefined
    const look = (): void => {
      const isOvertaken = view.state === 'released' || view.state === 'conflict'
      if (isOvertaken && view.seq === view.durable) void follow()
    }
    return view.subscribe(look)
  }, [view, id, follow])
  return { opened, retry, takeOver, follow }
}

function wrap(view: SessionView | undefined): Opened | undefined {
  return view && { id: view.id, view }
}

async function tryOpen(store: SessionStore, id: SessionId): Promise<Opened> {
  try {
    await whenLeft(id)
    return { id, view: await store.open(id) }
  } catch (error) {
    return { id, error }
  }
}
