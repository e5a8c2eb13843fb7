import {
  ActionBarPrimitive,
  AssistantRuntimeProvider,
  BranchPickerPrimitive,
  ComposerPrimitive,
  MessagePrimitive,
  ThreadPrimitive,
} from '@assistant-ui/react'
import type { Session } from 'idb-sessions'
import { checkTurns } from 'idb-sessions/log'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { expect, onTestFinished, test } from 'vitest'
import { page as screen, userEvent } from 'vitest/browser'
import { page } from '../support/lifetime'
import { useSessionRuntime, type Options } from './assistant-ui'

const Branches = () => (
  <BranchPickerPrimitive.Root hideWhenSingleBranch>
    <BranchPickerPrimitive.Previous>previous</BranchPickerPrimitive.Previous>
    <BranchPickerPrimitive.Number />/<BranchPickerPrimitive.Count />
    <BranchPickerPrimitive.Next>next</BranchPickerPrimitive.Next>
  </BranchPickerPrimitive.Root>
)

const UserMessage = () => (
  <MessagePrimitive.Root>
    <MessagePrimitive.Parts />
    <Branches />
    <ActionBarPrimitive.Edit>edit</ActionBarPrimitive.Edit>
  </MessagePrimitive.Root>
)

const EditComposer = () => (
  <ComposerPrimitive.Root>
    <ComposerPrimitive.Input aria-label="edit" />
    <ComposerPrimitive.Send>save</ComposerPrimitive.Send>
  </ComposerPrimitive.Root>
)

const AssistantMessage = () => (
  <MessagePrimitive.Root>
    <MessagePrimitive.Parts />
    <Branches />
    <ActionBarPrimitive.Reload>reload</ActionBarPrimitive.Reload>
  </MessagePrimitive.Root>
)

function Thread(options: Options) {
  const runtime = useSessionRuntime(options)
  return (
    <AssistantRuntimeProvider runtime={runtime}>
      <ThreadPrimitive.Root data-testid="thread">
        <ThreadPrimitive.Messages components={{ UserMessage, EditComposer, AssistantMessage }} />
      </ThreadPrimitive.Root>
      <ComposerPrimitive.Root>
        <ComposerPrimitive.Input aria-label="prompt" />
        <ComposerPrimitive.Send>send</ComposerPrimitive.Send>
        <ComposerPrimitive.Cancel>stop</ComposerPrimitive.Cancel>
      </ComposerPrimitive.Root>
    </AssistantRuntimeProvider>
  )
}

function mount(options: Options): () => void {
  const box = document.body.appendChild(document.createElement('div'))
  const root = createRoot(box)
  root.render(
    <StrictMode>
      <Thread {...options} />
    </StrictMode>,
  )
  const unmount = (): void => {
    root.unmount()
    box.remove()
  }
  onTestFinished(unmount)
  return unmount
}

/** An application whose model counts its answers, in two pieces; the one called `hang` never ends. */
async function open() {
  const { store } = await page()
  let count = 0
  const errors: unknown[] = []
  const options: Omit<Options, 'session'> = {
    store,
    onError: (error) => errors.push(error),
    answer: async (turn, session) => {
      const prompt = JSON.stringify(session.messages.at(-1)!.content)
      turn.beginStep({ provider: 'test', model: 'counting' })
      turn.delta('text', 'answer ')
      if (prompt.includes('hang')) await new Promise(() => {})
      turn.delta('text', `${++count}`)
    },
  }
  onTestFinished(() => {
    expect(errors).toEqual([])
    for (const { events } of store.list()) expect(checkTurns(events)).toEqual([])
  })
  const show = (session: Session): (() => void) => mount({ ...options, session })
  return { store, show, unmount: show(await store.create('first')) }
}

const thread = () => screen.getByTestId('thread')
const expectThread = (text: RegExp) => expect.element(thread()).toHaveTextContent(text)
const click = (name: string, nth = 0) => screen.getByRole('button', { name }).nth(nth).click()

async function send(prompt: string): Promise<void> {
  await userEvent.fill(screen.getByLabelText('prompt'), prompt)
  await click('send')
}

async function edit(prompt: string): Promise<void> {
  await click('edit')
  await userEvent.fill(screen.getByRole('textbox', { name: 'edit' }), prompt)
  await click('save')
}

test('what is sent is a turn of the session', async () => {
  const { store } = await open()
  await send('hello')
  await expectThread(/hello.*answer 1/)
  await expect.poll(() => store.get('first')!.transcript.map(({ state }) => state)).toEqual(['done', 'done'])
})

test('an answer that is asked for again is a second branch of the same prompt', async () => {
  await open()
  await send('hello')
  await expectThread(/answer 1/)
  await click('reload')
  await expectThread(/^hello\s*edit\s*answer 2\s*previous\s*2\/2/)
})

test('the branch picker goes back to the other session', async () => {
  await open()
  await send('hello')
  await expectThread(/answer 1/)
  await click('reload')
  await expectThread(/answer 2/)
  await click('previous')
  await expectThread(/answer 1\s*previous\s*1\/2/)
})

test('an edited first prompt is a branch of the conversation, which keeps both', async () => {
  await open()
  await send('hello')
  await expectThread(/answer 1/)
  await edit('good morning')
  await expectThread(/good morning\s*previous\s*2\/2.*answer 2/)
  await click('previous')
  await expectThread(/hello\s*previous\s*1\/2.*answer 1/)
})

test('what goes on in a branch stays in it', async () => {
  await open()
  await send('one')
  await expectThread(/answer 1/)
  await send('two')
  await expectThread(/answer 2/)
  await click('reload', 1)
  await expectThread(/answer 1.*answer 3\s*previous\s*2\/2/)
  await send('three')
  await expectThread(/answer 3.*answer 4/)
  await click('previous')
  await expectThread(/answer 1.*answer 2\s*previous\s*1\/2[^4]*$/)
})

test('a stopped answer keeps what was seen', async () => {
  const { store } = await open()
  await send('hang')
  await expectThread(/answer/)
  await click('stop')
  await expect
    .poll(() => store.get('first')!.transcript.at(-1))
    .toMatchObject({ state: 'interrupted', blocks: [{ text: 'answer ' }] })
})

test('branches are there after a reload of the page', async () => {
  const { store, show, unmount } = await open()
  await send('hello')
  await expectThread(/answer 1/)
  await click('reload')
  await expectThread(/answer 2/)
  await expect.poll(() => store.list().every(({ turn }) => turn.open === undefined)).toBe(true)
  unmount()
  await store.release(store.get('first')!)
  show(await store.load('first'))
  await expectThread(/answer 1\s*previous\s*1\/2/)
})
