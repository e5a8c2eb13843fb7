/**
 * Why others are ahead at a work, kept by hand: the first that fits is told. What none fits is told to have none, so that a
 * new lead is noticed.
 */
export interface Reason {
  work: RegExp
  /** Beginnings of names; default: whoever it is. */
  by?: readonly string[]
  why: string
}

const RAW = ['raw IndexedDB']
const WHOLE = ['whole session per put']

const reasons: readonly Reason[] = [
  {
    work: /^durable append/,
    by: RAW,
    why: 'it writes bytes that stand ready and checks nothing; here events are checked, copied, frozen, encoded and sent to a worker',
  },
  {
    work: /^durable append/,
    by: WHOLE,
    why: 'a short log is one small value; it grows with the log, as its curve shows',
  },
  {
    work: /^durable append/,
    by: ['Dexie'],
    why: 'few rows take one transaction, as here, and no worker is asked',
  },
  {
    work: /^open(,| and|.*events)/,
    by: RAW,
    why: 'it takes no lock and writes nothing; loading makes the page the only writer, in a transaction of its own, checks sums and freezes',
  },
  {
    work: /^open(,| and|.*events)/,
    why: 'reading a short log costs less than the lock and the transaction that make the page its only writer; a whole session comes as objects that nobody checks or freezes',
  },
  {
    work: /^open.*task$/,
    why: 'parsing in slices has a floor of some ms; short logs do not reach it, and SQLite reads in its worker',
  },
  { work: /^derive/, by: ['DSH'], why: 'it folds the surface while events are appended, before what is timed here' },
  {
    work: /^fork of a live log/,
    by: RAW,
    why: 'it puts two records; here the id is locked against other tabs, listeners are asked, and a worker writes',
  },
  { work: /^fork of a live log/, by: ['DSH'], why: 'it stores nothing' },
  { work: /^fork of a/, why: 'copying a short log costs less than locking the id and asking a worker' },
  {
    work: /^list/,
    why: "rows hold header and summary: the worker's getAll of them takes 9.3 of 10.6 ms for 1,000, of small rows 6.6; rows as JSON text save nothing",
  },
  { work: /^delete/, by: RAW, why: 'it removes a log without asking who else needs it' },
  { work: /^delete/, why: 'a short log is one value or a few rows, and nobody shares it' },
  {
    work: /main thread in append calls/,
    why: 'it only keeps the event for later; here it is checked, copied and frozen, and the transcript is read',
  },
  {
    work: /flush of a turn$/,
    why: 'what waits is encoded, sent to the worker and written with the end of the turn in one strict transaction; theirs is one value or rows',
  },
  {
    work: /^stream.*task$/,
    why: 'the transcript is read and batches are encoded in the page; see what an idle page sees',
  },
  { work: /^import$/, by: RAW, why: 'it writes bytes that stand ready' },
  { work: /^import$/, why: 'a file is parsed and every event and turn checked; the others are given events' },
  { work: /^bytes on the disk/, by: RAW, why: 'segments have no checksum, summary or list of turns' },
  { work: /^bytes on the disk/, by: WHOLE, why: 'one value compresses better than segments of 48 KB' },
  { work: /^peak memory/, why: 'page and worker both hold some of a log while it passes from one to the other' },
]

export function reasonFor(work: string, by: string): string | undefined {
  return reasons.find((reason) => {
    return reason.work.test(work) && (reason.by?.some((begin) => by.startsWith(begin)) ?? true)
  })?.why
}
