/**
 * What the conformance cases (`spec` 11) share. A plain error of DSH is a `SessionStoreError` here, and where a case says
 * what DSH does today, `rules: 'harness'` is on.
 *
 * Cases that do not apply here: 60's counter, 62–65 and 70 (there is no prepare, enter or announce, no counter of minted
 * ids and no dispatch hook); 34's header given directly (a session is made by its store only); 101 and 102 (no
 * directories); the inside of 103 (zstd is recognised, not read). The numbers that are missing are missing in `spec` 11.
 */
import { expect, onTestFinished, vi } from 'vitest'
import type { Session, SessionEvent, SessionStore, SessionView } from 'idb-sessions'
import type { Draft } from '../log/support.js'
import { page, tab } from '../support/lifetime.js'
import type { Page, PageOptions } from '../support/page.js'

/** A session 'a' that these events were appended to, one by one: no seed, hence no marker. */
export async function live(drafts: readonly (Draft | readonly Draft[])[] = [], options?: PageOptions) {
  const opened = await page({ rules: 'harness', ...options })
  const session = await opened.store.create('a', { meta: { cwd: '/work' } })
  for (const draft of drafts.flat()) append(session, draft)
  return { opened, store: opened.store, session }
}

/** `append` as JavaScript sees it: no types to keep nonsense out. */
export function append(session: Session, { type, data, ...intent }: Draft): SessionEvent {
  return session.append(type as never, data as never, ...([intent] as never))
}

/** The session refuses the event, and its log stays as it was. */
export function expectRefused(session: Session, draft: Draft, reason: RegExp = /./): void {
  const before = session.events
  const refusal = { name: 'SessionStoreError', code: 'INVALID_EVENT', message: expect.stringMatching(reason) }
  expect(() => append(session, draft)).toThrow(expect.objectContaining(refusal))
  expect(session.events).toBe(before)
}

export function types(session: { readonly events: readonly SessionEvent[] }): string[] {
  return session.events.map(({ type }) => type)
}

/** The ids of the messages that the model is told. */
export function told(session: SessionView): string[] {
  return session.messages.map(({ id }) => id)
}

export async function exported(store: SessionStore, id: string): Promise<string> {
  return new Response(await store.exportLog(id)).text()
}

/** The session as another tab has it from storage: loaded where it is free, else followed. */
export async function reread(opened: Page, id: string): Promise<SessionView> {
  return (await tab(opened)).store.open(id)
}

/** `Date` alone is stopped at this moment, until the test ends. */
export function clock(at: number): void {
  vi.useFakeTimers({ toFake: ['Date'], now: at })
  onTestFinished(() => void vi.useRealTimers())
}
