/**
 * The published DSH packages as a program: one operation as JSON on a line of stdin, one result on a line of stdout,
 * `{ value }` or `{ error: { name, code?, at? } }`. Needs Node 22.15. `library.ts` does the same with this library.
 */
import { createInterface } from 'node:readline'
import { zstdDecompressSync } from 'node:zlib'
import { Context } from '@deepseek-ai/cordis'
import invariants from '@deepseek-ai/dsh-invariants'
import * as dsh from '@deepseek-ai/dsh-session'
import * as companion from '@deepseek-ai/dsh-session/invariant'
import { Disk } from './disk.mjs'
import { requireReadable } from './reader.mjs'
import { lineOf, masked, revive } from './values.mjs'

let now = 0
Date.now = () => now

/** @type {{ sessions: any, context: any, disk: Disk | undefined, detach: Map<string, () => void>, stale: Map<string, any>, trace: unknown[] }} */
let world = await newWorld()

async function newWorld() {
  const context = new Context()
  await context.plugin(dsh.default)
  const trace = []
  for (const name of ['session/created', 'session/event', 'session/disposed']) {
    context.on(name, (session, event) => void trace.push([name, session.id, ...(event ? [event.type] : [])]))
  }
  const detach = new Map()
  const { sessions } = context
  const enter = sessions.enter.bind(sessions)
  // What ends a session is the plugin's that made it: kept here, so that one can end alone.
  sessions.enter = (session) => {
    const leave = enter(session)
    detach.set(session.id, leave)
    return leave
  }
  return { context, sessions, disk: undefined, detach, stale: new Map(), trace }
}

/** An operation names a session that never was: nobody was asked anything. */
class NoSession extends Error {
  name = 'NoSession'
}

/** Live, or the last of this id that was. */
function sessionOf(id) {
  return world.sessions.get(id) ?? formerOf(id)
}

/** The last of this id that left. */
function formerOf(id) {
  const session = world.stale.get(id)
  if (session === undefined) throw new NoSession(id)
  return session
}

function enter(session) {
  world.sessions.enter(session)
  world.sessions.announce(session)
  return viewOf(session)
}

function leave(id) {
  const session = world.sessions.get(id)
  if (session === undefined) throw new NoSession(id)
  world.stale.set(id, session)
  world.detach.get(id)()
  return session
}

function viewOf({ header, firstLiveSeq, events }) {
  return { header, firstLiveSeq, events }
}

function given(fields) {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))
}

/** What only this library refuses, and what DSH refuses without a code: `at` says what is wrong, all of it. */
class Refusal extends Error {
  constructor(...at) {
    super()
    this.at = at
  }
}

async function isRefused(task) {
  try {
    await task()
    return false
  } catch {
    return true
  }
}

/** Why no session can be made: of its id, its seed, its header, whichever are wrong. */
async function refusalsOf({ id, seed, meta }) {
  const parts = {
    id: () => world.sessions.prepare(id),
    seed: async () => {
      await requireReadable(revive(seed ?? []))
      world.sessions.prepare(undefined, given({ seed: revive(seed) }))
    },
    header: () => world.sessions.prepare(undefined, given({ meta: revive(meta) })),
  }
  const wrong = []
  for (const [part, task] of Object.entries(parts)) if (await isRefused(task)) wrong.push(part)
  return wrong
}

/** What this library asks of an append beyond DSH: an event that could be loaded again. */
async function requireLoadable(session, type, data, intent) {
  const { sourceEventSeqs, surfaceOp } = intent ?? {}
  const event = { type, seq: session.seq, time: now, data, ...given({ sourceEventSeqs, surfaceOp }) }
  await requireReadable([event])
  dsh.Session.create(session.id, [...session.events, event])
}

const operations = {
  async reset() {
    await world.context.fiber.dispose()
    world = await newWorld()
  },
  clock: (op) => void (now = op.now),
  /** `strict`: with what this library asks beyond DSH, and with what a refusal is about. */
  async create({ id, seed, meta, strict }) {
    const wrong = strict ? await refusalsOf({ id, seed, meta }) : []
    if (wrong.length > 0) throw new Refusal(...wrong)
    return viewOf(world.sessions.create(id, given({ seed: revive(seed), meta: revive(meta) })))
  },
  async append({ id, type, data, intent, strict }) {
    const session = sessionOf(id)
    const args = [revive(type), revive(data), ...(intent === undefined ? [] : [revive(intent)])]
    if (!strict) return session.append(...args)
    if (world.sessions.get(id) !== session) throw new Refusal('liveness')
    try {
      await requireLoadable(session, ...args)
      return session.append(...args)
    } catch {
      throw new Refusal('event')
    }
  },
  fork({ source, by, boundary, child }) {
    const from = { object: sessionOf, former: formerOf, stale: (id) => dsh.Session.create(id) }[by]
    return viewOf(world.sessions.fork(from === undefined ? source : from(source), revive(boundary), child))
  },
  /** Nothing of it stays: there is no storage. */
  dispose: ({ id }) => void leave(id),
  release: ({ id }) => void leave(id),
  /** What a restart does to a session, closers and all. */
  reload({ id }) {
    const { header, events } = leave(id)
    if (events.length === 0) throw new Refusal('storage')
    const seed = [...events, ...dsh.interruptedTurnClosers(events)]
    return viewOf(world.sessions.create(id, { seed, meta: header }))
  },
  read({ id }) {
    const session = sessionOf(id)
    return {
      events: session.events,
      surface: { nodes: session.surface.nodes, replaceGeneration: session.surface.replaceGeneration },
      messages: session.deriveMessages(),
      requestHeader: session.requestHeader() ?? null,
      requestContext: session.requestContext() ?? null,
    }
  },
  /** All that there is to see: of the world, and of these sessions as far as there are any. */
  state: ({ ids }) => ({
    list: operations.list(),
    trace: operations.trace(),
    sessions: ids.map((id) => {
      const session = world.sessions.get(id) ?? world.stale.get(id)
      return (
        session && {
          ...operations.read({ id }),
          header: session.header,
          firstLiveSeq: session.firstLiveSeq,
          seq: session.seq,
        }
      )
    }),
  }),
  list: () => world.sessions.list().map(({ id }) => id),
  trace: () => world.trace.splice(0),
  flush: ({ id }) => world.sessions.flush(sessionOf(id)),

  isJson: ({ value }) => dsh.isJsonValue(revive(value)),
  snapshot({ value }) {
    const copy = dsh.snapshotJsonValue(revive(value))
    return copy === undefined ? 'refused' : { copy }
  },
  closers: ({ events }) => dsh.interruptedTurnClosers(events),
  foldSurface: ({ events }) => dsh.foldSurface(events),
  derive: ({ event }) => dsh.deriveEventMessage(event),
  pack: ({ events }) => dsh.packChunkRuns(events),
  decode: ({ record }) => dsh.decodeStorageRecord(revive(record)),

  /**
   * Whether the invariant companion takes these events, appended one after another: what it refuses is left out. And
   * whether it takes logs as seeds.
   */
  async relations({ events, seeds }) {
    const context = new Context()
    for (const plugin of [dsh.default, invariants, companion]) await context.plugin(plugin)
    const isTaken = (task) => {
      try {
        task()
        return true
      } catch (error) {
        if (error.name !== 'InvariantError') throw error
        return false
      }
    }
    try {
      const session = context.sessions.create()
      return {
        appended: events.map(({ type, data, ...intent }) => isTaken(() => session.append(type, data, intent))),
        seeded: seeds.map((seed) => isTaken(() => context.sessions.create(undefined, { seed }))),
      }
    } finally {
      await context.fiber.dispose()
    }
  },

  /** A file as the published backend reads it, and the first line that it cuts off as a torn tail. */
  async readFile({ text, base64 }) {
    const disk = await Disk.open(new Context(), {})
    try {
      const bytes = text === undefined ? Buffer.from(base64, 'base64') : Buffer.from(text)
      const id = disk.place(bytes)
      const { meta, events } = await disk.backend.inspect(id)
      await disk.backend.load(id)
      const dropped = disk.cutLine(bytes)
      return { header: meta, events, ...given({ dropped }) }
    } finally {
      await disk.close()
    }
  },
  /** The file that the published backend makes of one batch. */
  async writeFile({ header, events, options }) {
    const disk = await Disk.open(new Context(), options)
    try {
      await disk.backend.create(header)
      await disk.backend.append(header.id, events)
      return disk.read(header)
    } finally {
      await disk.close()
    }
  },

  /** From now on the world has a folder, which later mounts find again. */
  async mount({ options }) {
    world.disk = await Disk.open(world.context, options ?? {}, world.disk)
  },
  /** The program ends; the folder stays. */
  async stop() {
    const { context, disk } = world
    await context.fiber.dispose()
    world = { ...(await newWorld()), disk }
  },
  place: ({ text }) => world.disk.place(Buffer.from(text)),
  stored: async () => (await world.disk.backend.list()).map(({ id }) => id).sort(),
  inspect: ({ id }) => world.disk.backend.inspect(id),
  async resume({ id }) {
    const preparation = await world.disk.backend.prepare(id)
    try {
      return enter(preparation.session)
    } finally {
      preparation[Symbol.dispose]()
    }
  },
  file: ({ id }) => world.disk.readById(id).toString('utf8'),
  compressedFile: ({ id }) => world.disk.readById(id).toString('base64'),
  decompress: ({ base64 }) => zstdDecompressSync(Buffer.from(base64, 'base64')).toString('utf8'),
  /** Adds bytes to a file, as a crash in the middle of a write does. */
  tear: ({ id, text }) => world.disk.add(id, text),
}

for await (const line of createInterface({ input: process.stdin })) {
  const operation = JSON.parse(line)
  let result
  try {
    result = { value: masked((await operations[operation.do](operation)) ?? null) }
  } catch (error) {
    const { name, code, at } = error
    result = { error: given({ name, code, at }) }
  }
  process.stdout.write(lineOf(result))
}
await world.context.fiber.dispose()
