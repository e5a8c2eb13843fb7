/** Cutting the lines of a file into segments, as they are. */
import type { SessionEvent } from './event.js'
import { concat, describe, encodeRecord, SEGMENT_BYTES, type Segment } from './jsonl.js'

export class SegmentCutter {
  readonly #segments: Segment[] = []
  #events: SessionEvent[] = []
  /** The lines as they are read from now on, and as they came. */
  #lines: Uint8Array[] = []
  #originals: Uint8Array[] = []
  #isUpgraded = false

  /** Takes one line and its events. `isUpgraded`: they are not quite what the line says, so they are written anew. */
  add(line: Uint8Array, events: readonly SessionEvent[], isUpgraded: boolean): void {
    const original = line.slice()
    const present = isUpgraded ? concat(events.map(encodeRecord)) : original
    if (this.#size(isUpgraded) + present.byteLength + (isUpgraded ? original.byteLength : 0) > SEGMENT_BYTES) this.cut()
    this.#lines.push(present)
    this.#originals.push(original)
    this.#isUpgraded ||= isUpgraded
    // One row may hold more events than a call takes arguments.
    for (const event of events) this.#events.push(event)
  }

  cut(): void {
    if (this.#events.length > 0) {
      const segment = describe(this.#events, concat(this.#lines))
      this.#segments.push(this.#isUpgraded ? { ...segment, original: concat(this.#originals) } : segment)
    }
    this.#events = []
    this.#lines = []
    this.#originals = []
    this.#isUpgraded = false
  }

  /** The segments that are complete; each is given once. */
  take(): Segment[] {
    return this.#segments.splice(0)
  }

  #size(isUpgraded: boolean): number {
    const present = lengthOf(this.#lines)
    return isUpgraded || this.#isUpgraded ? present + lengthOf(this.#originals) : present
  }
}

function lengthOf(lines: readonly Uint8Array[]): number {
  return lines.reduce((sum, { byteLength }) => sum + byteLength, 0)
}
