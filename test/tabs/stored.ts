/** What is stored once tabs are done, and what it should be. */
import type { SessionEvent } from 'idb-sessions'
import { checkTurns } from 'idb-sessions/log'
import type { Page } from 'playwright'
import { expect } from 'vitest'
import type { Term } from './page/main.js'

/** What turns look like where nothing depends on it. */
export const SMALL = { least: 100, most: 2000 }

/** The log as it is stored now, whatever this page or another holds in memory; or undefined. */
export async function stored(page: Page, id: string): Promise<SessionEvent[] | undefined> {
  const text = await page.evaluate(async (id) => {
    try {
      return JSON.stringify(await window.tab.stored(id))
    } catch (error) {
      if ((error as { code: string }).code === 'SESSION_NOT_FOUND') return undefined
      throw error
    }
  }, id)
  return text === undefined ? undefined : (JSON.parse(text) as SessionEvent[])
}

/**
 * Whatever a tab was given back from an append is stored where it belongs, each event once and as it was. Answers what was
 * found.
 */
export async function expectNothingLost(pages: readonly Page[]): Promise<{ events: number; saved: number }> {
  const terms: Term[] = []
  for (const page of pages) terms.push(...(await page.evaluate(() => window.tab.terms())))
  const logs = new Map<string, string[]>()
  const textsOf = async (id: string): Promise<string[]> => {
    if (!logs.has(id)) logs.set(id, await expectWhole(pages[0]!, id))
    return logs.get(id)!
  }
  const found = { events: 0, saved: 0 }
  for (const { id, accepted, state, savedAs } of terms) {
    expect(state).toMatch(/^(live|released|conflict)$/)
    const texts = await textsOf(savedAs ?? id)
    const lost = accepted.filter(([seq, text]) => texts[seq] !== text)
    expect(lost, `events of '${id}' that are not stored`).toEqual([])
    found.events += accepted.length
    if (savedAs !== undefined) found.saved++
  }
  return found
}

/** A stored log: every event at its place, none twice, every turn well-formed. */
async function expectWhole(page: Page, id: string): Promise<string[]> {
  const events = (await stored(page, id))!
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_, i) => i))
  expect(checkTurns(events)).toEqual([])
  const chunks = events.flatMap((event) => (event.type === 'assistant/chunk' ? [JSON.stringify(event.data.chunk)] : []))
  expect(new Set(chunks).size).toBe(chunks.length)
  return events.map((event) => JSON.stringify(event))
}

/** Followers have what the session's writer has, log and transcript. */
export async function expectConverged(writer: Page, followers: readonly Page[], id: string): Promise<void> {
  const { events, transcript } = await writer.evaluate((id) => window.tab.see(id), id)
  for (const follower of followers) {
    await expect
      .poll(() => follower.evaluate((id) => window.tab.see(id), id), { timeout: 20_000 })
      .toMatchObject({ events, transcript })
  }
}
