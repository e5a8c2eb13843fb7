/** What the pure functions take and give, from `idb-sessions/log` and, as far as the facade has them, from there. */
import * as facade from 'idb-sessions'
import type { ChunkRow, Message, SessionEvent, StorageRecord, TextChunkRow, ToolCallChunkRow } from 'idb-sessions'
import {
  branchPointFor,
  checkTurns,
  decodeStorageRecord,
  deriveEventMessage,
  foldSurface,
  forkPointFor,
  interruptedTurnClosers,
  isJsonValue,
  lastForkPoint,
  packChunkRuns,
  snapshotJsonValue,
  type Replacement,
  type TurnViolation,
} from 'idb-sessions/log'
import { same } from './same.js'

type Events = readonly SessionEvent[]

export function signatures(): void {
  same<typeof lastForkPoint, (events: Events) => number | undefined>()
  same<typeof forkPointFor, (events: Events, seq: number) => number | undefined>()
  same<typeof branchPointFor, (events: Events, seq: number) => number | undefined>()
  same<typeof interruptedTurnClosers, (events: Events) => SessionEvent[]>()
  same<typeof deriveEventMessage, (event: SessionEvent) => Message | null>()
  same<typeof isJsonValue, (value: unknown) => boolean>()
  same<typeof snapshotJsonValue, <T>(value: T) => T | undefined>()
  same<typeof checkTurns, (events: Events) => TurnViolation[]>()
  same<typeof packChunkRuns, (events: Events) => StorageRecord[]>()
  same<typeof decodeStorageRecord, (value: unknown) => SessionEvent[]>()

  same<typeof facade.lastForkPoint, typeof lastForkPoint>()
  same<typeof facade.forkPointFor, typeof forkPointFor>()
  same<typeof facade.branchPointFor, typeof branchPointFor>()
  same<typeof facade.interruptedTurnClosers, typeof interruptedTurnClosers>()
}

export function shapes(): void {
  same<TurnViolation, { seq: number; rule: string }>()
  same<Replacement, { seq: number; start: number; end: number; shadowedSeqs: number[] }>()
  same<ReturnType<typeof foldSurface>, { nodes: number[]; replacements: Replacement[] }>()
  same<StorageRecord, SessionEvent | ChunkRow>()
  same<ChunkRow, TextChunkRow | ToolCallChunkRow>()
  same<TextChunkRow['type'], 'text-chunks' | 'reasoning-chunks'>()
  same<ToolCallChunkRow['type'], 'tool-call-chunks'>()
  same<ChunkRow['seq0'], number>()
  same<ChunkRow['time0'], number>()
  same<Pick<ChunkRow['data'], keyof ChunkRow['data']>, { turn: number; step: number; index: number; dt: number[] }>()
  same<TextChunkRow['data']['texts'], string[]>()
  same<ToolCallChunkRow['data']['args'], string[]>()
  same<ToolCallChunkRow['data']['id'], string>()
  same<ToolCallChunkRow['data']['name'], string | undefined>()
}

export function uses(events: Events, line: string): string[] {
  const { nodes, replacements } = foldSurface(events)
  for (const { seq, start, end, shadowedSeqs } of replacements) nodes.push(seq, start, end, ...shadowedSeqs)

  const repaired: SessionEvent[] = [...events, ...interruptedTurnClosers(events)]
  const violations: { seq: number; rule: string }[] = checkTurns(repaired)
  const snapshot = snapshotJsonValue({ nodes })
  same<typeof snapshot, { nodes: number[] } | undefined>()

  const read: SessionEvent[] = decodeStorageRecord(JSON.parse(line))
  return [...packChunkRuns(read).map(name), ...violations.map(({ seq, rule }) => `${seq}: ${rule}`)]
}

/** An event or a row, told apart by the type. */
function name(record: StorageRecord): string {
  switch (record.type) {
    case 'text-chunks':
    case 'reasoning-chunks':
      return `${record.seq0} ${record.time0} ${record.data.texts.join('')} ${record.data.dt.length}`
    case 'tool-call-chunks':
      return `${record.data.id} ${record.data.name ?? ''} ${record.data.args.join('')}`
    default:
      return `${record.seq} ${record.time}`
  }
}

export function rejects(events: Events, event: SessionEvent, record: StorageRecord): void {
  // @ts-expect-error there may be no such place
  const seq: number = forkPointFor(events, 1)
  // @ts-expect-error nor a turn that has ended
  const last: number = lastForkPoint(events)
  // @ts-expect-error nor a message in an event
  const message: Message = deriveEventMessage(event)
  // @ts-expect-error nor lossless JSON
  const copy: object = snapshotJsonValue({})
  // @ts-expect-error a log, not one event
  checkTurns(event)
  // @ts-expect-error one place, not an event
  forkPointFor(events, event)
  // @ts-expect-error a row is no event
  packChunkRuns([record])
  // @ts-expect-error which has no seq of its own
  void record.seq
  // @ts-expect-error what would be made of it has to be said
  const read: SessionEvent = record
  void [seq, last, message, copy, read]
}
