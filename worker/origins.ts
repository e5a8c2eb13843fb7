/** What headers say of where sessions came from. It holds together those that share no event, such as a branch from before the first turn. */
import type { SessionId } from '../lib/log/event.js'
import type { SessionRow } from './records.js'

export interface Relative {
  row: SessionRow
  /** Where the two meet: one of them, or the session that both came from. */
  parent: SessionId
}

/** All sessions by what they say. Tells of each only once that it is related to another. */
export class Origins {
  readonly #rows: ReadonlyMap<SessionId, SessionRow>
  readonly #children = new Map<SessionId, SessionRow[]>()
  /** Deleted parents whose children were told of. */
  readonly #told = new Set<SessionId>()

  constructor(rows: readonly SessionRow[]) {
    this.#rows = new Map(rows.map((row) => [row.id, row]))
    for (const row of rows) {
      const parent = row.header.parentSession
      if (parent === undefined) continue
      const siblings = this.#children.get(parent)
      if (siblings === undefined) this.#children.set(parent, [row])
      else siblings.push(row)
    }
  }

  /** Whom it came from with nothing, who came from it with nothing, and, when its parent is gone, who came from there too. */
  relatives(row: SessionRow): Relative[] {
    const children = (this.#children.get(row.id) ?? []).filter((child) => beganEmpty(child) && isParent(row, child))
    return [...this.#beside(row), ...children.map((child) => ({ row: child, parent: row.id }))]
  }

  #beside(row: SessionRow): Relative[] {
    const id = row.header.parentSession
    if (id === undefined) return []
    const parent = this.#rows.get(id)
    if (parent !== undefined && isParent(parent, row)) return beganEmpty(row) ? [{ row: parent, parent: id }] : []
    if (this.#told.has(id)) return []
    this.#told.add(id)
    const siblings = this.#children.get(id)!.filter((child) => parent === undefined || !isParent(parent, child))
    // Those that did inherit something are told apart by that.
    return siblings.some(beganEmpty) ? siblings.map((sibling) => ({ row: sibling, parent: id })) : []
  }
}

function beganEmpty({ header }: SessionRow): boolean {
  return header.seedLength === 0
}

/** One that is younger than its child was made anew under the id of a parent that was deleted. */
function isParent({ header }: SessionRow, child: SessionRow): boolean {
  return header.createdAt <= child.header.createdAt
}
