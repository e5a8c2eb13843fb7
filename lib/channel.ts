/** What the tabs of one database tell each other. Any script of the origin can write here, so nothing is believed unchecked. */
import type { SessionId } from './log/event.js'
import type { SessionStoreErrorCode } from './wire/errors.js'

/** Raised with every change of a message. */
const PROTOCOL = 1

/** A tab that is there answers within this, ms. */
const ANSWER = 200

/** Why a tab may be unable to let go of a session: what kept it from storing what it has. */
const REASONS = [
  'BLOCKED',
  'CONNECTION_LOST',
  'FORMAT_UNSUPPORTED',
  'SESSION_CORRUPT',
  'STORAGE_FULL',
  'STORAGE_GONE',
  'STORAGE_UNAVAILABLE',
  'WORKER_FAILED',
] as const satisfies readonly SessionStoreErrorCode[]

export type Reason = (typeof REASONS)[number]

export function isReason(code: unknown): code is Reason {
  return REASONS.includes(code as Reason)
}

const CHANGES = ['created', 'grown', 'titled', 'deleted'] as const

/** `to` names the tab that a message is for. */
export type TabMessage =
  /** Something is stored: hints, whose truth is in the database. */
  | { kind: 'changed'; id: SessionId; change: (typeof CHANGES)[number]; length: number }
  /** The sender writes the session from now on, or does not any more. */
  | { kind: 'writer'; id: SessionId; isLive: boolean }
  /** Whoever writes it: the sender wants it. */
  | { kind: 'ask'; id: SessionId }
  /** The answer of one who does, or is about to. Meanwhile the other may have got it from somebody else: does it still? */
  | { kind: 'asked'; id: SessionId; to: string }
  /** It does: let go of it. */
  | { kind: 'want'; id: SessionId; to: string }
  /** And that it cannot. */
  | { kind: 'kept'; id: SessionId; to: string; code: Reason; message: string }
  /** Whoever writes it: say so. */
  | { kind: 'who'; id: SessionId }
  /** The sender is new here: whoever is not may say so. */
  | { kind: 'hello'; id: '' }
  | { kind: 'hi'; id: ''; to: string }
  | { kind: 'here'; id: SessionId; to: string }

/** A message from another tab, and which. */
export type Heard = TabMessage & { from: string }

export class TabChannel {
  #channel: BroadcastChannel | undefined
  /** Since when others could have been heard; where there are none to hear, for ever. */
  #openSince = -Infinity
  /** Whether any was. */
  #hasCompany = false
  /** How often it was closed: what was said then was not heard. */
  gaps = 0
  readonly #listeners = new Set<(heard: Heard) => void>()

  /**
   * @param token this tab's name among the others
   * @param isAlone there are none
   */
  constructor(
    private readonly databaseName: string,
    readonly token: string,
    private readonly isAlone: boolean,
  ) {
    this.open()
  }

  /** What is said after this is heard; what was said while it was closed is not. */
  open(): void {
    if (this.isAlone || typeof BroadcastChannel === 'undefined' || this.#channel !== undefined) return
    this.#channel = new BroadcastChannel(`idb-sessions:${this.databaseName}`)
    this.#channel.onmessage = ({ data }) => {
      const heard = parse(data)
      if (heard === undefined || ('to' in heard && heard.to !== this.token)) return
      this.#hasCompany = true
      if (heard.kind === 'hello') return this.post({ kind: 'hi', id: '', to: heard.from })
      for (const listener of this.#listeners) listener(heard)
    }
    // In Node it would keep the process alive.
    ;(this.#channel as { unref?: () => void }).unref?.()
    this.#openSince = performance.now()
    this.post({ kind: 'hello', id: '' })
  }

  /** Whether there is another tab, as far as one can know without asking: ms that an answer may still take. */
  get silence(): number {
    if (this.#hasCompany) return ANSWER
    return Math.max(0, this.#openSince + ANSWER - performance.now())
  }

  post(message: TabMessage): void {
    this.#channel?.postMessage({ protocol: PROTOCOL, from: this.token, ...message })
  }

  /** Returns what ends it. */
  on(listener: (heard: Heard) => void): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  close(): void {
    this.gaps++
    this.#channel?.close()
    this.#channel = undefined
  }
}

function parse(data: unknown): Heard | undefined {
  if (typeof data !== 'object' || data === null) return undefined
  const message = data as Record<string, unknown>
  const { protocol, from, kind, id, to } = message
  if (protocol !== PROTOCOL || typeof from !== 'string' || typeof id !== 'string') return undefined
  switch (kind) {
    case 'changed': {
      const { change, length } = message
      const isKnown = CHANGES.includes(change as never) && Number.isSafeInteger(length) && (length as number) >= 0
      return isKnown ? ({ kind, from, id, change, length } as Heard) : undefined
    }
    case 'writer':
      return typeof message['isLive'] === 'boolean' ? { kind, from, id, isLive: message['isLive'] } : undefined
    case 'ask':
    case 'who':
    case 'hello':
      return { kind, from, id } as Heard
    case 'asked':
    case 'want':
    case 'here':
    case 'hi':
      return typeof to === 'string' ? ({ kind, from, id, to } as Heard) : undefined
    case 'kept': {
      const { code, message: text } = message
      if (typeof to !== 'string' || !isReason(code) || typeof text !== 'string') return undefined
      return { kind, from, id, to, code, message: text }
    }
    default:
      return undefined
  }
}
