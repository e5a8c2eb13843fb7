/**
 * A step of a random sequence before its turn comes: what it does it to is a number, which picks among what there is
 * then. So most steps find a session, a boundary, a node.
 */
import type { Session } from 'idb-sessions'
import type { Draft } from '../log/support.js'
import type { Operation } from './connect.mjs'

/** A session: live, one that is no longer, or a name that nobody may have. */
export type Target = { live: number } | { gone: number } | { name: string }
export type NewId = { fresh: number } | { taken: number } | { name: string }
/** A fork's last event: the end of a turn, any event, the default, or whatever is given. */
export type Cut = { end: number } | { seq: number } | { given: unknown } | 'default'

export type Plan =
  | { do: 'append'; to: Target; event: Draft; over?: Run; citing?: readonly number[] }
  | { do: 'prune'; of: Target; node: number; output: string }
  | { do: 'fork'; of: Target; by: 'id' | 'object' | 'former' | 'stale'; at: Cut; child: NewId }
  | { do: 'create'; id: NewId; seed?: readonly unknown[] | undefined; meta?: unknown }
  | { do: 'reload' | 'dispose'; of: Target }
  | { do: 'clock'; now: number }

/** Nodes of the surface to replace; `lacking`: not all of them are cited. */
export interface Run {
  node: number
  more: number
  lacking: boolean
}

/** The sessions that there are when a plan is settled. */
export interface Present {
  live: readonly Session[]
  gone: readonly string[]
}

/** The operation that a plan comes to. */
export function settle(plan: Plan, present: Present): Operation {
  switch (plan.do) {
    case 'append': {
      const session = found(plan.to, present)
      return append(idOf(plan.to, present), placed(plan, session))
    }
    case 'prune': {
      const session = found(plan.of, present)
      const results = session?.surface.nodes.filter((seq) => session.at(seq)?.type === 'tool/result') ?? []
      const seq = pick(results, plan.node)
      const event = seq === undefined ? { type: 'todo/write', data: {} } : pruned(session!, seq, plan.output)
      return append(idOf(plan.of, present), event)
    }
    case 'fork': {
      const { of, by, at, child } = plan
      const boundary = boundaryOf(at, found(of, present))
      return { do: 'fork', source: idOf(of, present), by, boundary, child: newIdOf(child, present) }
    }
    case 'create':
      return { do: 'create', id: newIdOf(plan.id, present), seed: plan.seed, meta: plan.meta, strict: true }
    case 'reload':
    case 'dispose':
      return { do: plan.do, id: idOf(plan.of, present) }
    default:
      return { ...plan }
  }
}

function append(id: string, { type, data, ...intent }: Draft): Operation {
  return { do: 'append', id, type, data, ...(Object.keys(intent).length > 0 && { intent }), strict: true }
}

/** The draft with the nodes that it replaces, and the earlier events that it cites. */
function placed({ event, over, citing }: Plan & { do: 'append' }, session: Session | undefined): Draft {
  const nodes = session?.surface.nodes ?? []
  if (over !== undefined && nodes.length > 0) {
    const first = over.node % nodes.length
    const run = nodes.slice(first, first + 1 + over.more)
    return {
      ...event,
      sourceEventSeqs: over.lacking ? run.slice(1) : run,
      surfaceOp: { op: 'replace', start: run[0]!, end: run.at(-1)! },
    }
  }
  if (citing === undefined || !session?.seq) return event
  return { ...event, sourceEventSeqs: [...new Set(citing.map((n) => n % session.seq))] }
}

/** A tool's result in place of itself, with another output. */
function pruned(session: Session, seq: number, output: string): Draft {
  const { type, data } = session.at(seq)! as { type: string; data: { message: { content: object[] } } }
  const content = [{ ...data.message.content[0], content: [{ type: 'text', text: output }] }]
  return {
    type,
    data: { ...data, message: { ...data.message, content } },
    sourceEventSeqs: [seq],
    surfaceOp: { op: 'replace', start: seq, end: seq },
  }
}

function boundaryOf(at: Cut, session: Session | undefined): unknown {
  if (at === 'default') return undefined
  if ('given' in at) return at.given
  const seqs = session?.events.map(({ seq }) => seq) ?? []
  if ('seq' in at) return pick(seqs, at.seq) ?? at.seq
  const ends = seqs.filter((seq) => session?.at(seq)?.type === 'turn/end')
  return pick(ends, at.end) ?? pick(seqs, at.end)
}

function found(target: Target, present: Present): Session | undefined {
  const id = idOf(target, present)
  return present.live.find((session) => session.id === id)
}

function idOf(target: Target, { live, gone }: Present): string {
  if ('name' in target) return target.name
  const left = 'gone' in target ? pick(gone, target.gone) : undefined
  return left ?? pick(live, 'live' in target ? target.live : 0)?.id ?? 'nobody'
}

function newIdOf(id: NewId, { live, gone }: Present): string {
  if ('name' in id) return id.name
  return 'taken' in id ? (pick(live, id.taken)?.id ?? 'a') : `s${live.length + gone.length}-${id.fresh}`
}

function pick<T>(items: readonly T[], n: number): T | undefined {
  return items[n % items.length]
}
