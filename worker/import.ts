/** Imports under way: a file comes in pieces, is checked, and becomes a session in the last transaction. */
import type { SessionId } from '../lib/log/event.js'
import { LogIntake, LogProblem } from '../lib/log/intake.js'
import type { Segment } from '../lib/log/jsonl.js'
import { SessionStoreError } from '../lib/wire/errors.js'
import { WRITE_BUDGET, type Imported } from '../lib/wire/protocol.js'
import type { Database } from './database.js'
import { createRow, exists, toStoredRow } from './sessions.js'
import type { Staging } from './staging.js'

interface Import {
  intake: LogIntake
  id: SessionId | undefined
  /** Complete segments that are not staged yet. */
  waiting: Segment[]
  waitingBytes: number
  staged: number
}

export class Imports {
  readonly #running = new Map<string, Import>()

  constructor(
    private readonly db: Database,
    private readonly staging: Staging,
  ) {}

  begin(op: string, id: SessionId | undefined, eventTypes: readonly string[]): void {
    this.#running.set(op, { intake: new LogIntake(eventTypes, id), id, waiting: [], waitingBytes: 0, staged: 0 })
  }

  async write(op: string, bytes: Uint8Array): Promise<SessionId | undefined> {
    const it = this.#get(op)
    const early = it.intake.header === undefined
    this.#checked(it, () => it.intake.write(bytes))
    const id = it.intake.header === undefined ? undefined : (it.id ?? it.intake.header.id)
    // Nobody should wait for a large file to learn that its id is taken.
    if (early && id !== undefined) await this.#refuseTaken(id)
    if (it.waitingBytes < WRITE_BUDGET) return id
    await this.staging.write(op, it.waiting, false)
    it.staged = it.waiting.at(-1)!.first + it.waiting.at(-1)!.count
    it.waiting = []
    it.waitingBytes = 0
    return id
  }

  async end(op: string): Promise<Imported> {
    const it = this.#get(op)
    this.#checked(it, () => it.intake.end())
    const { dropped } = it.intake
    const header = it.id === undefined ? it.intake.header! : Object.freeze({ ...it.intake.header!, id: it.id })
    const segments = it.waiting
    const request = { op, header, segments, staged: it.staged }
    const row = await createRow(this.db, request, false)
    this.staging.done(op)
    this.#running.delete(op)
    return { row: toStoredRow(row), ...(dropped !== undefined && { dropped }) }
  }

  drop(op: string): void {
    this.#running.delete(op)
  }

  #get(op: string): Import {
    const it = this.#running.get(op)
    if (it === undefined) throw new SessionStoreError('CONNECTION_LOST', 'the import was interrupted; start it again')
    return it
  }

  #checked(it: Import, step: () => void): void {
    try {
      step()
    } catch (error) {
      if (!(error instanceof LogProblem)) throw error
      throw new SessionStoreError(error.code, `line ${error.line}: ${error.message}`, { line: error.line })
    }
    for (const segment of it.intake.takeSegments()) {
      it.waiting.push(segment)
      it.waitingBytes += segment.bytes.byteLength
    }
  }

  async #refuseTaken(id: SessionId): Promise<void> {
    if (!(await exists(this.db, id))) return
    throw new SessionStoreError(
      'SESSION_ALREADY_EXISTS',
      `there is a session '${id}' already; import under another id`,
      {
        sessionId: id,
      },
    )
  }
}
