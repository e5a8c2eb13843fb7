/** What whoever reads the tables has to know. */
export const CAVEATS = `
- "once": what takes longer than some seconds is not repeated. "of 3": neither is what takes a little less.
- Works and their contestants take turns; ratios are ratios of the medians of one run.
- A batch, a list, a fork or a call that takes a moment only is timed together with others like it, and the figure is the mean of those: 5 batches, 5 lists, 10 or 40 forks, 1,000 calls.
- Calls of append are timed in forks, so that logs stay as long as their label says and from the second call on: until the first one, a fork shares what its source has in memory.
- "durable": a power cut would not take it. IndexedDB is asked for strict transactions, SQLite syncs its file. Forks are relaxed with everybody but SQLite, which knows no less than that.
- Raw IndexedDB works in the page, without a worker in between, or in a worker that is asked through Comlink; both on bytes that stand ready. Its rows for a list are smaller than ours.
- "main thread in append calls and transcript reads" is the time that append takes, and for this library the transcript too, which a subscriber reads whenever it is told. Encoding and sending a batch, and what an answer of the worker does, are not in it; the longest task shows them.
- The longest task is how late a timer of 4 ms came, and the target is judged by the longest of all: a machine that is busy with other things adds to it, as the idle page tells that is measured first.
- "bytes added" by a fork are those of its records as JSON, which is about what structured clones take, without index and log of the engine.
- "as streamed" is what is stored when the last turn ends, "merged" what is left when no more small segments can be joined. The own log of a fork is counted, which holds the streamed events and no others.
- The clocks of Firefox and WebKitGTK tell whole milliseconds: what is near one is coarse there, and so are ratios of it.
- Memory is how far the resident memory of all the browser's processes rose, each at its own peak, the 100,000 events as objects included.
- The bytes on the disk are compressed by LevelDB, and the text of these logs, of a few syllables, is easier to compress than prose.
- Files are in the system's cache: what was stored a moment before is opened.
`

/** What is not measured, and why. */
export const OMISSIONS = `## What is not measured

- Others in a stream into 100,000 events: rows take a minute to be filled in, a whole session takes longer to be put than a turn to come.
- Dexie at a fork in the middle: its copy is half of that at the end.
- Transcripts of others than raw IndexedDB: they have none. Raw IndexedDB folds with this library's function.
- SQLite WASM and DSH in other engines than the first: they do not depend on how IndexedDB is made. Memory and the disk in other engines: a quarter of an hour more.
- Raw IndexedDB in a worker at opening, importing and deleting: what a worker adds to a call shows in appends, forks and lists.
- More than 1,000 sessions, and forks deeper than 1,000: making them takes longer than all the rest.
- A cold start, with nothing in the system's cache; slow disks; phones.
`
