/** A page that may store nothing: a sandboxed frame, and one whose user blocks all cookies. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Frame, Page } from 'playwright'
import { describe, expect, test } from 'vitest'
import { launch, levelDB, newProfile, newTab, sqlite } from './browser.js'
import { address } from './site.js'

/** A session that is written, forked and loaded again. */
async function works(page: Frame | Page): Promise<void> {
  const done = await page.evaluate(async () => {
    const { store } = window.faults
    const [end] = await window.faults.create('a', 2)
    const child = await store.fork(store.get('a')!, end, 'b')
    const isSafe = await store.flush(child)
    await store.release(child)
    return { isSafe, length: (await store.load('b')).seq, end }
  })
  expect(done).toEqual({ isSafe: false, length: done.end! + 1, end: done.end })
}

describe('a sandboxed frame', () => {
  async function sandboxed(): Promise<Frame> {
    const context = await launch(levelDB)
    // To a frame without an origin its own server is another one, which has to allow it to load modules.
    await context.route('**/*', async (route) => {
      const response = await route.fetch()
      await route.fulfill({ response, headers: { ...response.headers(), 'access-control-allow-origin': '*' } })
    })
    const page = await newTab(context)
    await page.evaluate((src) => {
      const frame = document.createElement('iframe')
      frame.sandbox.add('allow-scripts')
      frame.src = src
      document.body.append(frame)
    }, address())
    await expect.poll(() => page.frames().length).toBe(2)
    const frame = page.frames()[1]!
    await frame.waitForFunction(() => 'faults' in window)
    return frame
  }

  test('may not start a worker of its server: WORKER_FAILED', async () => {
    const frame = await sandboxed()
    expect(await frame.evaluate(() => window.faults.open({ fallback: 'memory' }))).toBe('WORKER_FAILED')
  })

  test('with a worker from a data URL has no storage: STORAGE_UNAVAILABLE', async () => {
    const frame = await sandboxed()
    expect(await frame.evaluate(() => window.faults.open({ isData: true }))).toBe('STORAGE_UNAVAILABLE')
  })

  test('with that and a fallback works in memory', async () => {
    const frame = await sandboxed()
    expect(await frame.evaluate(() => window.faults.open({ isData: true, fallback: 'memory' }))).toBe('memory')
    await works(frame)
  })
})

describe.for([levelDB, sqlite])('where all cookies are blocked, $title', (engine) => {
  async function blocked(): Promise<Page> {
    const profile = newProfile()
    mkdirSync(join(profile, 'Default'))
    const preferences = { profile: { default_content_setting_values: { cookies: 2 } } }
    writeFileSync(join(profile, 'Default/Preferences'), JSON.stringify(preferences))
    return newTab(await launch(engine, profile))
  }

  test('a store is refused: STORAGE_UNAVAILABLE', async () => {
    expect(await (await blocked()).evaluate(() => window.faults.open())).toBe('STORAGE_UNAVAILABLE')
  })

  test('one with a fallback works in memory', async () => {
    const page = await blocked()
    expect(await page.evaluate(() => window.faults.open({ fallback: 'memory' }))).toBe('memory')
    await works(page)
  })
})
