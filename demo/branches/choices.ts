import type { Branch, SessionId, StoredSession } from 'idb-sessions'

/** At a turn: the ways on from there, one of which is on the screen. Oldest first, so that each has its number for good. */
export interface Choice {
  /** A session for each way; of several that go this way, the one that was used last. */
  readonly ways: readonly StoredSession[]
  /** Which of them is on the screen. */
  readonly at: number
}

/** The sessions that take one way. */
type Way = Set<SessionId>

interface Parting {
  /** Place of the turn after it; the number of turns: at the end. */
  place: number
  shared: number
  ways: Way[]
}

/**
 * Where the branches of a session part from it, by the place of the turn that follows in it.
 * @param starts seq of the first entry of each turn, ascending
 */
export function findChoices(
  id: SessionId,
  starts: readonly number[],
  branches: readonly Branch[],
  sessions: readonly StoredSession[],
): ReadonlyMap<number, Choice> {
  const rows = new Map(sessions.map((session) => [session.header.id, session]))
  const partings: Parting[] = []
  for (const { shared, ids } of partingBranches(id, branches)) {
    const place = placeOf(shared, starts)
    const last = partings.at(-1)
    if (last?.place === place) last.ways.push(ids)
    else partings.push({ place, shared, ways: [ids] })
  }
  const choices = new Map<number, Choice>()
  const put = (place: number, shared: number, ways: Way[]): void => {
    const choice = choose(id, joinEnded(ways, shared, rows), rows)
    if (choice !== undefined) choices.set(place, choice)
  }
  // Whoever parts later still goes this way.
  const same: Way = new Set([id])
  for (const { place, shared, ways } of partings.reverse()) {
    put(place, shared, [new Set(same), ...ways])
    for (const way of ways) for (const other of way) same.add(other)
  }
  put(0, 0, otherBeginnings(id, same, sessions))
  return choices
}

/** Sessions that end where the others part are alike: together they are one way. */
function joinEnded(ways: readonly Way[], shared: number, rows: ReadonlyMap<SessionId, StoredSession>): Way[] {
  const goesOn = (way: Way): boolean => [...way].some((id) => (rows.get(id)?.length ?? 0) > shared)
  const ended = ways.filter((way) => !goesOn(way)).flatMap((way) => [...way])
  return [...ways.filter(goesOn), new Set(ended)]
}

/** The branches that part from the session itself, each with those that part from it later, by where they part. */
function partingBranches(id: SessionId, branches: readonly Branch[]): { shared: number; ids: Way }[] {
  const ways = new Map<SessionId, Way>()
  const parting: { shared: number; ids: Way }[] = []
  // Each comes after the one it parts from.
  for (const { id: other, sharedWith, shared } of branches) {
    const way = sharedWith === id ? new Set<SessionId>() : (ways.get(sharedWith) ?? new Set())
    way.add(other)
    ways.set(other, way)
    if (sharedWith === id) parting.push({ shared, ids: way })
  }
  return parting.sort((a, b) => a.shared - b.shared)
}

/**
 * Forks of a first turn share nothing with their parent, so it is the headers that tell of them: sessions of one family
 * that began anew, each with those that share events with it.
 */
function otherBeginnings(id: SessionId, same: Way, sessions: readonly StoredSession[]): Way[] {
  const headers = new Map(sessions.map(({ header }) => [header.id, header]))
  const climb = (from: SessionId, isStep: (seedLength: number) => boolean): SessionId => {
    const seen = new Set<SessionId>()
    for (let at = from; ;) {
      const { parentSession, seedLength = 0 } = headers.get(at) ?? {}
      // A file may say of two sessions that each is the other's parent.
      if (parentSession === undefined || !isStep(seedLength) || seen.has(at)) return at
      seen.add(at)
      at = parentSession
    }
  }
  const family = climb(id, () => true)
  const beginnings = new Map<SessionId, Way>()
  for (const other of headers.keys()) {
    if (climb(other, () => true) !== family) continue
    const beginning = same.has(other) ? id : climb(other, (seedLength) => seedLength > 0)
    beginnings.set(beginning, (beginnings.get(beginning) ?? new Set()).add(other))
  }
  return [...beginnings.values()]
}

function choose(id: SessionId, ways: Way[], rows: ReadonlyMap<SessionId, StoredSession>): Choice | undefined {
  const known = ways
    .map((way) => [...way].flatMap((other) => rows.get(other) ?? []))
    .filter((way) => way.length > 0)
    .sort((a, b) => age(a) - age(b) || (firstId(a) < firstId(b) ? -1 : 1))
  const at = known.findIndex((way) => way.some(({ header }) => header.id === id))
  if (known.length < 2 || at < 0) return undefined
  return { ways: known.map((way) => way.reduce((a, b) => (b.lastTime > a.lastTime ? b : a))), at }
}

function age(way: readonly StoredSession[]): number {
  return Math.min(...way.map(({ header }) => header.createdAt))
}

function firstId(way: readonly StoredSession[]): SessionId {
  return way.map(({ header }) => header.id).sort()[0]!
}

/** The first turn that begins at or after this seq. */
function placeOf(seq: number, starts: readonly number[]): number {
  let low = 0
  let high = starts.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (starts[middle]! < seq) low = middle + 1
    else high = middle
  }
  return low
}
