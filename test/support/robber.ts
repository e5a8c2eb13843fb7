/** Somebody who has the lock of a session and says nothing, as a tab does that is frozen, or that robbed another. */
import { onTestFinished } from 'vitest'
import { sessionLock } from '../../lib/wire/protocol.js'
import { gate } from './calls.js'
import type { Page } from './page.js'

/** `robbed` resolves when the lock is stolen from it in turn. */
export async function holdSilently(
  { name }: Pick<Page, 'name'>,
  id: string,
  options: LockOptions = {},
): Promise<{ robbed: Promise<unknown>; letGo: () => void }> {
  const { opened: held, open: hold } = gate()
  const { opened: ended, open: end } = gate()
  onTestFinished(end)
  const holding = navigator.locks.request(sessionLock(name, id), options, () => {
    hold()
    return ended
  })
  const robbed = holding.catch((error: unknown) => error)
  await held
  return { robbed, letGo: end }
}

export function steal(page: Pick<Page, 'name'>, id: string): Promise<unknown> {
  return holdSilently(page, id, { steal: true })
}
