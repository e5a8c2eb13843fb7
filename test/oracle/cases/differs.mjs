/**
 * Why this library answers otherwise than DSH: sentences of its rules, word for word, each once. A case names its sentence
 * by the key. `api.md` is the contract, `spec.md` its description of DSH and of what differs on purpose; what stands in the
 * README is a limit of this project and of no other.
 */

/** @type {Record<string, { of: 'api.md' | 'spec.md' | 'README.md', says: string }>} */
export const sentences = {
  'append checks': {
    of: 'api.md',
    says: 'So `append` applies every check that a seed gets (`spec.md` 1.4, message shapes included), refuses an event type that is neither known nor in `eventTypes`, more than 500 levels of nesting, and an event over 32 MiB as JSON.',
  },
  'shapes at once': {
    of: 'api.md',
    says: 'DSH checks shapes only on reading, which leaves it with sessions that cannot be reloaded (`spec.md` 13, 2).',
  },
  'loaded again': {
    of: 'api.md',
    says: 'What `append` accepts can be loaded again and forked at every fork point, always.',
  },
  'not live': {
    of: 'api.md',
    says: 'On a session that is not `live`, `append` throws (`SESSION_NOT_LIVE`, or `SESSION_CONFLICT` in that state; nothing is ever appended into nowhere, unlike `spec.md` case 11).',
  },
  flush: {
    of: 'api.md',
    says: 'flush(session: Session): Promise<boolean> // resolves when all appended before the call is stored and safe against a power cut; false: memory mode',
  },
  'stored source': {
    of: 'api.md',
    says: 'The source is a live session, its id, or the id of a stored session that is not live here: forking does not make it live.',
  },
  'taken id': { of: 'api.md', says: '| 1 | `SESSION_ALREADY_EXISTS` | `childSessionId` is live or stored |' },
  'torn tail': {
    of: 'api.md',
    says: 'interface ImportReport { session: StoredSession; dropped?: { line: number; reason: string } } // dropped: a torn tail, by the rule of spec.md 7.4',
  },
  // Its case 32 is an unknown type in a seed.
  'unknown types': {
    of: 'spec.md',
    says: '`append` applies the checks of 1.4 and refuses unknown types (1.1, 1.4, cases 13, 32, 85)',
  },
  'removed types': {
    of: 'spec.md',
    says: 'Removed types that must never be written: `request/header-delta`, `mode/set` (both refused), `steering/message` (upgraded on load, 6.8).',
  },
  cwd: { of: 'spec.md', says: "`cwd` is checked as said in 2.1's browser note" },
  'limits of events': {
    of: 'README.md',
    says: 'An event holds at most 32 MiB as JSON and 500 levels of nesting; its data is lossless JSON (no `undefined`, `-0`, `NaN`, dates or class instances).',
  },
  'limits of headers and rows': {
    of: 'README.md',
    says: 'A header holds at most 16 KiB as JSON, an id 2 KiB, a `cwd` 8 KiB; one row of packed chunks in a file stands for at most 500,000 events.',
  },
}
