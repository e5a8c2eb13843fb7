/** What is measured side by side: a way to keep logs in the browser, written as its users would write it. */
import type { SessionEvent } from 'idb-sessions'

export interface Contestant {
  name: string
  /** An empty database of that name, which nobody else has. */
  open(database: string): Promise<Keeper>
}

export interface Keeper {
  /** Whatever turns events into what is stored, where that is not to be measured. */
  prepare?(events: readonly SessionEvent[]): void
  /** Stores a whole log at once. */
  fill(id: string, events: readonly SessionEvent[]): Promise<void>
  /** Adds to a log; resolves when a power cut would not take that, nor what `stream` was given before. */
  append(id: string, events: readonly SessionEvent[]): Promise<void>
  /** Adds one event of an answer that comes in, without waiting for it. */
  stream?(id: string, event: SessionEvent): void
  /** Reads a log and derives the messages for the model; their number. */
  open(id: string): Promise<number>
  /** The same, and makes what a person sees as well; how many entries that has. */
  show?(id: string): Promise<number>
  /** Forgets what it has in memory of a log. */
  leave?(id: string): Promise<void>
  /** A new log which is the other one up to `boundary`; default: all of it. It need not survive a power cut. */
  fork(source: string, child: string, boundary?: number): Promise<void>
  /** All that a list of sessions shows; their number. */
  list?(): Promise<number>
  delete?(id: string): Promise<void>
  close(): Promise<void>
}

/** What a list shows of a session. */
export interface Listed {
  id: string
  length: number
  lastTime: number
  title: string
}

export function listedOf(id: string, events: readonly SessionEvent[]): Listed {
  return { id, length: events.length, lastTime: events.at(-1)?.time ?? 0, title: `Session ${id}` }
}
