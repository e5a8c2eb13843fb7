import type { Locator, Page } from 'playwright'
import { expect, test } from 'vitest'
import { answers, ask, button, isStored, remove, screenshot, send, sessions, transcript, useDemo } from './demo'

const demo = useDemo()

const whoWrites = (page: Page): Locator => page.getByRole('status', { name: 'Who writes this session' })

async function takeOver(page: Page, action = 'Take over'): Promise<void> {
  await button(page, action).click()
  await whoWrites(page).waitFor({ state: 'detached' })
}

test('a session that is open in two tabs grows in both, and says in which it is written', async () => {
  const { page } = demo
  await ask(page, 'First')
  const reader = await newTab(page, page.url())
  await whoWrites(reader).getByText('Another tab writes this session.').waitFor()
  expect(await reader.getByRole('navigation').getByText('in another tab').count()).toBe(1)
  await send(page, 'Tell me a long story')
  await answers(reader).last().getByText('Each word of this answer').waitFor()
  await screenshot(reader, 'two-tabs')
  await button(page, 'Stop').click()
  await answers(reader).getByText('Stopped.').waitFor()
  await isStored(page)
  await expect.poll(() => transcript(reader)).toEqual(await transcript(page))
})

test('a session is taken over in the middle of an answer, and back, without losing a word', async () => {
  const { page } = demo
  await ask(page, 'First')
  const other = await newTab(page, page.url())
  await send(page, 'Tell me a long story')
  await answers(other).last().getByText('Each word of this answer').waitFor()
  await takeOver(other)
  await answers(other).getByText('Interrupted:').waitFor()
  await ask(other, 'Theirs')

  await whoWrites(page).waitFor()
  await page.getByRole('article', { name: 'You' }).getByText('Theirs').waitFor()
  await expect.poll(() => transcript(page)).toEqual(await transcript(other))
  await takeOver(page)
  await ask(page, 'Mine again')
  await other.getByRole('article', { name: 'You' }).getByText('Mine again').waitFor()
})

test('when the tab that writes is closed, another one can go on', async () => {
  const { page } = demo
  await ask(page, 'First')
  const other = await newTab(page, page.url())
  await whoWrites(other).waitFor()
  await page.close()
  await whoWrites(other).getByText('No tab writes this session any more.').waitFor()
  await takeOver(other, 'Go on here')
  await ask(other, 'Second')
  expect(await transcript(other)).toHaveLength(4)
})

test('a session that is only looked at elsewhere, and left again, is free', async () => {
  const { page } = demo
  await ask(page, 'First')
  const url = page.url()
  await page.getByRole('link', { name: 'New chat' }).click()
  const other = await newTab(page, url)
  await transcript(other)
  await ask(other, 'Second')
  expect(await transcript(other)).toHaveLength(4)
})

test('what a tab could not store before it was overtaken is kept as a fork, if one wants', async () => {
  const { page } = demo
  const other = await conflict(page)
  const notice = page.getByRole('alert')
  await notice.getByText('Another tab has gone on with this session.').waitFor()
  await screenshot(page, 'conflict')
  await button(page, 'Keep it as a fork').click()
  await page.getByRole('heading', { name: 'First (1)', exact: true }).waitFor()
  const kept = await transcript(page)
  expect(kept[2]).toBe('Mine')
  expect(kept.join()).not.toContain('Theirs')
  await ask(page, 'And on')
  expect((await transcript(other))[2]).toBe('Theirs')
})

test('what a tab could not store before it was overtaken is dropped, if one wants, and its prompt given back', async () => {
  const { page } = demo
  await conflict(page)
  await page.getByRole('alert').waitFor()
  // It waits for a decision, wherever one goes meanwhile.
  await page.getByRole('link', { name: 'New chat' }).click()
  await page.getByRole('heading', { name: 'Ask, then' }).waitFor()
  await sessions(page).first().click()
  await button(page, 'Drop it').click()
  await page.getByRole('article', { name: 'You' }).getByText('Theirs').waitFor()
  expect(await page.getByLabel('Message').inputValue()).toBe('Mine')
})

test('a session that is left and opened again at once goes on here', async () => {
  const { page } = demo
  await ask(page, 'First')
  const hash = new URL(page.url()).hash
  for (let ms = 0; ms < 10; ms++) {
    await page.evaluate(
      ([hash, ms]) => {
        location.hash = ''
        setTimeout(() => (location.hash = hash), ms)
      },
      [hash, ms] as const,
    )
    await page.waitForTimeout(200)
    await transcript(page)
    expect(await whoWrites(page).count()).toBe(0)
  }
  await ask(page, 'Second')
})

test('a session that is deleted elsewhere keeps its name, and what is kept of it has that name', async () => {
  const { page } = demo
  await ask(page, 'First')
  const reader = await newTab(page, page.url())
  await whoWrites(reader).waitFor()
  expect(await reader.title()).toBe('First · idb-sessions demo')
  await remove(page, 'First')
  await reader.getByText('This session was deleted in another tab').waitFor()
  await reader.getByRole('heading', { name: 'First', exact: true }).waitFor()
  await button(reader, 'Keep as a new session').click()
  await expect.poll(() => sessions(reader).allInnerTexts()).toEqual([expect.stringMatching(/^First\n/)])
  await page.getByRole('heading', { name: 'Ask, then' }).waitFor()
  expect(await page.title()).toBe('idb-sessions demo')
})

test('what is typed stays with its session', async () => {
  const { page } = demo
  await ask(page, 'First')
  await page.getByLabel('Message').fill('Half a sentence')
  await page.getByRole('link', { name: 'New chat' }).click()
  await page.getByRole('heading', { name: 'Ask, then fork any answer' }).waitFor()
  expect(await page.getByLabel('Message').inputValue()).toBe('')
  await sessions(page).first().click()
  await transcript(page)
  expect(await page.getByLabel('Message').inputValue()).toBe('Half a sentence')
})

/** A page that hears no other tab and stores nothing while it is asleep, as one that is frozen. */
const SLEEPER = `
  let isAsleep = false
  const held = []
  const post = Worker.prototype.postMessage
  Worker.prototype.postMessage = function (...args) {
    if (isAsleep && args[0]?.path?.[0] === 'append') held.push(() => post.apply(this, args))
    else post.apply(this, args)
  }
  globalThis.BroadcastChannel = class extends BroadcastChannel {
    constructor(name) {
      super(name)
      this.addEventListener('message', (event) => isAsleep && event.stopImmediatePropagation())
    }
  }
  globalThis.asleep = (sleeps) => {
    isAsleep = sleeps
    if (!sleeps) for (const send of held.splice(0)) send()
  }`

/** Another tab of the same browser. */
async function newTab(page: Page, url: string): Promise<Page> {
  const tab = await page.context().newPage()
  await tab.goto(url)
  return tab
}

/** The page wakes up with an answer that it could not store, after another tab, which is given, took the session over. */
async function conflict(page: Page): Promise<Page> {
  await page.addInitScript(SLEEPER)
  await page.reload()
  await ask(page, 'First')
  const other = await newTab(page, page.url())
  await page.evaluate('asleep(true)')
  await send(page, 'Mine')
  await takeOver(other)
  await ask(other, 'Theirs')
  await page.evaluate('asleep(false)')
  return other
}
