/** What a stream may take of the main thread and of the disk. */
import { LIBRARY, LONGEST_TASK, n, worst, type Target } from './target.js'

/** @param long events in the log that the fastest stream goes into */
export function streams(long: number): Target[] {
  return [30, 100, 1000].flatMap((pace): Target[] => {
    const work = `stream ${pace} chunks/s into ${pace === 1000 ? long : 1000}`
    const at = `${n(pace)} chunks/s`
    const bytes: Target = {
      id: `bytes-${pace}`,
      what: `stored bytes against JSON, merged, ${at}`,
      ...(pace < 1000 && { most: 40 }),
      unit: '%',
      noise: 0,
      of: (find) => find(`${work}: stored bytes / JSON, merged`, LIBRARY),
    }
    const task: Target = {
      id: `stream-task-${pace}`,
      what: `longest task, ${at}${pace === 1000 ? ` into ${n(long)} events` : ''}`,
      most: 50,
      unit: 'ms',
      noise: 20,
      of: worst(`${work}: ${LONGEST_TASK}`),
    }
    if (pace < 1000) return [task, bytes]
    const calls: Target = {
      id: 'stream-calls',
      what: `main thread in append calls and transcript reads, ${at}`,
      most: 10,
      unit: '%',
      noise: 3,
      of: (find) => find(`${work}: main thread in append calls and transcript reads`, LIBRARY),
    }
    return [calls, task, bytes]
  })
}
