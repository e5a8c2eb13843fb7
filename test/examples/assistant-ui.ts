/** assistant-ui: a runtime whose thread is a session, and whose branches are the sessions of one conversation. */
import { useExternalStoreRuntime, type AppendMessage, type ThreadMessage } from '@assistant-ui/react'
import type { Session, SessionStore, UserMessage } from 'idb-sessions'
import { foldTranscript } from 'idb-sessions/log'
import { runTurn, userMessage, type TurnWriter } from 'idb-sessions/turn'
import { useEffect, useMemo, useRef, useState, useSyncExternalStore } from 'react'
import { toMessages } from './assistant-ui-messages'

export interface Options {
  store: SessionStore
  /** Shown at first. */
  session: Session
  answer: (turn: TurnWriter, session: Session, signal: AbortSignal) => Promise<void>
  /** The same function in every render. */
  onError: (error: unknown) => void
}
type Line = { id: string; createdAt: number; messages: ThreadMessage[] }

export function useSessionRuntime({ store, session: first, answer, onError }: Options) {
  const [{ session, others }, setShown] = useState({ session: first, others: [] as Line[] })
  const transcript = useSyncExternalStore(session.subscribe, () => session.transcript)
  const messages = useMemo(() => toMessages(session, transcript), [session, transcript])
  const abort = useRef(new AbortController())

  const show = async (next: Session) => setShown({ session: next, others: await relatives(store, next) })
  useEffect(() => {
    let isOver = false
    const shown = (others: Line[]) => isOver || setShown({ session: first, others })
    relatives(store, first).then(shown, onError)
    return () => void (isOver = true)
  }, [store, first, onError])

  const run = async (on: Session, prompt: UserMessage): Promise<void> => {
    const { signal } = (abort.current = new AbortController())
    await runTurn(on, prompt, (turn) => answer(turn, on, signal), { signal }).catch(onError)
  }
  /** Asks in a branch that ends before the turn of a message; without a text, what was asked there. */
  const askAgain = async (id: string | null, text?: AppendMessage): Promise<void> => {
    const { seq, turn } = transcript[messages.findIndex((message) => message.id === id)]!
    const asked = transcript.find((entry) => entry.turn === turn && entry.role === 'user')!
    const branch = await store.branchBefore(session, seq)
    const ended = run(branch, text === undefined ? (session.at(asked.seq)!.data as UserMessage) : promptOf(text))
    await show(branch)
    return ended
  }
  const switchTo = async (head: string | undefined): Promise<void> => {
    const line = others.find(({ messages }) => messages.at(-1)?.id === head)
    if (line !== undefined) await show(await store.load(line.id))
  }

  const messageRepository = useMemo(() => {
    const lines = [...others, { createdAt: session.header.createdAt, messages }]
    lines.sort((a, b) => a.createdAt - b.createdAt)
    const items = lines.flatMap(({ messages }) =>
      messages.map((message, i) => ({ message, parentId: messages[i - 1]?.id ?? null })),
    )
    const unique = new Map(items.map((item) => [item.message.id, item]))
    return { headId: messages.at(-1)?.id ?? null, messages: [...unique.values()] }
  }, [session, messages, others])

  return useExternalStoreRuntime<ThreadMessage>({
    messageRepository,
    isRunning: session.turn.open !== undefined,
    onNew: (message) => run(session, promptOf(message)),
    onEdit: (message) => askAgain(message.sourceId, message),
    onReload: (parentId) => askAgain(parentId),
    onCancel: async () => abort.current.abort(),
    setMessages: (messages) => void switchTo(messages.at(-1)?.id).catch(onError),
  })
}

/** The other branches of a session's conversation. */
async function relatives(store: SessionStore, session: Session): Promise<Line[]> {
  const read = async (id: string): Promise<Line> => {
    const { header, events } = await store.inspect(id)
    return { id, createdAt: header.createdAt, messages: toMessages(events, foldTranscript(events)) }
  }
  const branches = await store.branches(session.id)
  return Promise.all(branches.map(({ id }) => read(id)))
}

function promptOf({ content }: AppendMessage): UserMessage {
  return userMessage(content.map((part) => (part.type === 'text' ? part.text : '')).join(''))
}
