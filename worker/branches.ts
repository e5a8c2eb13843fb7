/** What sessions have in common, as their spans tell: no event is read for it. */
import type { SessionId } from '../lib/log/event.js'
import type { Branch, Shared } from '../lib/wire/protocol.js'
import type { Database, Transaction } from './database.js'
import { familyTree, type Family } from './family.js'
import { isKnownTo, isStored, notFound } from './sessions.js'
import { sharedBy, spansOf } from './spans.js'

export async function branches(db: Database, id: SessionId, token: string): Promise<Branch[]> {
  const family = await db.read(['sessions', 'lineages'], async (tx) => {
    const row = await tx.objectStore('sessions').get(id)
    if (row === undefined || !isKnownTo(row, token)) throw notFound(id)
    const [first] = await spansOf(tx, row)
    return first && familyOf(tx, first.log)
  })
  // An empty log shares nothing.
  return family === undefined ? [] : familyTree(id, family)
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

/** Everything that begins with the first event of a log: its own session, and whatever inherits from it. */
async function familyOf(tx: Transaction, root: string): Promise<Family> {
  const sessions = tx.objectStore('sessions')
  const lineages = tx.objectStore('lineages')
  const family: Family = { rows: await sessions.index('log').getAll(root), lineages: [] }
  for (let level = await lineages.index('logs').getAll(root); level.length > 0;) {
    family.lineages.push(...level)
    const heirs = level.map(({ key }) => sessions.index('lineage').getAll(key))
    const younger = level.map(({ key }) => lineages.index('up').getAll(key))
    family.rows.push(...(await Promise.all(heirs)).flat())
    level = (await Promise.all(younger)).flat()
  }
  return { ...family, rows: family.rows.filter(isStored) }
}
