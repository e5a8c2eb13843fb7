import type { SessionId } from 'idb-sessions'
import { Observable, useObservable } from '../ui/observable'

/** A session's id; undefined: the new chat. */
type Place = SessionId | undefined

const KEPT_IN = 'idb-sessions-demo:drafts'

// Outside React: what is typed stays with its session while another one is on the screen, and over a reload.
const drafts = new Observable<ReadonlyMap<Place, string>>(new Map(kept()))
drafts.subscribe(() => {
  try {
    // JSON has no undefined in arrays: the new chat becomes null.
    sessionStorage.setItem(KEPT_IN, JSON.stringify([...drafts.get()].filter(([, text]) => text !== '')))
  } catch {
    // Forbidden or full: then they last as long as the page.
  }
})

function kept(): [Place, string][] {
  try {
    const entries = JSON.parse(sessionStorage.getItem(KEPT_IN) ?? '[]') as [SessionId | null, string][]
    return entries.map(([place, text]) => [place ?? undefined, text])
  } catch {
    return []
  }
}

export function useDraft(place: Place): string {
  useObservable(drafts)
  return draftOf(place)
}

export function draftOf(place: Place): string {
  return drafts.get().get(place) ?? ''
}

export function setDraft(place: Place, text: string): void {
  drafts.set(new Map(drafts.get()).set(place, text))
}

/** Puts a prompt that was not taken back, before what has been typed since. */
export function giveBack(place: Place, prompt: string): void {
  setDraft(place, [prompt, draftOf(place)].filter((text) => text !== '').join('\n\n'))
}
