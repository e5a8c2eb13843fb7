import type { TranscriptEntry } from 'idb-sessions'

/** Why a turn ended before its time, and what to do, in plain words; undefined: it did not. */
export function howItEnded(entry: TranscriptEntry | undefined): string | undefined {
  if (entry === undefined || entry.forkAt === undefined) return undefined
  const { reason } = entry
  switch (reason?.kind) {
    case 'completed':
      return undefined
    case 'interrupted':
      return 'Interrupted: the page that wrote this was closed, or overtaken by another. What had arrived is kept; try again, or go on from it.'
    case 'aborted':
      return reason.reason.kind === 'user'
        ? 'Stopped. Try again, or go on from what is here.'
        : `Stopped by the program (${reason.reason.kind}). Try again, or go on from what is here.`
    case 'error':
      return `Failed: ${reason.error.message.replace(/\.$/, '')}. Try again; if that does not help, ${cureOf(reason.error.code)}.`
    case 'max-tokens':
      return 'Cut off: the model had no tokens left. Ask it to go on.'
    default:
      return 'Ended early. Try again, or go on from what is here.'
  }
}

/** What the codes mean is told by the models. */
function cureOf(code: string | undefined): string {
  if (code === 'UNREACHABLE') return 'look whether it is running, and lets other sites’ pages ask it (CORS)'
  if (code?.startsWith('HTTP_')) return 'look at the address, the model and the key: press the model’s name below'
  return 'ask in other words'
}
