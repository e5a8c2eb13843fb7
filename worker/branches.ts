/** What sessions have in common, as their spans tell: no event is read for it. */
import type { SessionId } from '../lib/log/event.js'
import { SessionStoreError } from '../lib/wire/errors.js'
import type { Branch, Shared } from '../lib/wire/protocol.js'
import type { Database } from './database.js'
import { branchOf, familyTree, type Family } from './family.js'
import { Origins } from './origins.js'
import type { SessionRow } from './records.js'
import { isKnownTo, isStored, notFound } from './sessions.js'
import { isSoundLineage, isSoundRow, requireSound } from './sound.js'
import { sharedBy, spansOf } from './spans.js'
import type { Transaction } from './transaction.js'

export async function branches(db: Database, id: SessionId, token: string): Promise<Branch[]> {
  const families = await db.read(['sessions', 'lineages'], async (tx) => {
    const rows = await tx.objectStore('sessions').getAll()
    const asked = rows.find((row) => row.id === id && isKnownTo(row, token))
    if (asked === undefined) throw notFound(id)
    requireSound(asked)
    // The one that was asked for may be no more than reserved.
    const known = rows.filter((row) => row === asked || (isStored(row) && isSoundRow(row)))
    const own = await familyOf(tx, asked)
    const families = [{ head: asked, with: id, family: own }]
    const met = new Set(own.rows.map((row) => row.id))
    const origins = new Origins(known)
    for (const { family } of families) {
      for (const { row, parent } of family.rows.flatMap((member) => origins.relatives(member))) {
        if (met.has(row.id)) continue
        const other = await familyOf(tx, row).catch((error: unknown) => {
          // A relative's damage is its own; whatever else fails is the transaction's.
          if (error instanceof SessionStoreError) return alone(row)
          throw error
        })
        families.push({ head: row, with: met.has(parent) ? parent : id, family: other })
        for (const member of other.rows) met.add(member.id)
      }
    }
    return families
  })
  return families.flatMap(({ head, with: sharedWith, family }) => {
    const tree = familyTree(head.id, family)
    return head.id === id ? tree : [branchOf(head, sharedWith, 0), ...tree]
  })
}

export function shared(db: Database, a: SessionId, b: SessionId): Promise<Shared> {
  return db.read(['sessions', 'lineages'], async (tx) => {
    const rows = await Promise.all([a, b].map((id) => tx.objectStore('sessions').get(id)))
    const [rowA, rowB] = rows.map((row) => (isStored(row) ? row : undefined))
    const both = rowA !== undefined && rowB !== undefined
    return {
      shared: both ? sharedBy(await spansOf(tx, rowA), await spansOf(tx, rowB)) : 0,
      ...(rowA !== undefined && { a: { log: rowA.log, epoch: rowA.epoch, length: rowA.length } }),
      ...(rowB !== undefined && { b: { log: rowB.log, epoch: rowB.epoch, length: rowB.length } }),
    }
  })
}

/** The session itself, and everything that begins with the same event: that log's own session, and whatever inherits from it. */
async function familyOf(tx: Transaction, row: SessionRow): Promise<Family> {
  const [first] = await spansOf(tx, row)
  if (first === undefined) return alone(row)
  const root = first.log
  const sessions = tx.objectStore('sessions')
  const lineages = tx.objectStore('lineages')
  const known = new Set<string>()
  const family: Family = { rows: await sessions.index('log').getAll(root), lineages: [] }
  for (let level = (await lineages.index('logs').getAll(root)).filter(isSoundLineage); level.length > 0;) {
    family.lineages.push(...level)
    for (const { key } of level) known.add(key)
    const [heirs, younger] = await Promise.all([
      Promise.all(level.map(({ key }) => sessions.index('lineage').getAll(key))),
      Promise.all(level.map(({ key }) => lineages.index('up').getAll(key))),
    ])
    family.rows.push(...heirs.flat())
    level = younger.flat().filter((lineage) => isSoundLineage(lineage) && !known.has(lineage.key))
  }
  return { ...family, rows: family.rows.filter((member) => isStored(member) && isSoundRow(member)) }
}

/** A session whose inherited events nobody can find, or that has none. */
function alone(row: SessionRow): Family {
  return { rows: [row], lineages: [] }
}
