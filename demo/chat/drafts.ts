import type { SessionId } from 'idb-sessions'
import { Observable, useObservable } from '../observable'

/** A session's id; undefined: the new chat. */
type Place = SessionId | undefined

// Outside React: what is typed stays with its session while another one is on the screen.
const drafts = new Observable<ReadonlyMap<Place, string>>(new Map())

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
