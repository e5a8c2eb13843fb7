import { useEffect, useRef } from 'react'
import { textOf } from '../chat/ask'
import { howItEnded } from './howItEnded'
import type { Turn } from './turns'

interface AnnouncerProps {
  /** The last one. */
  turn: Turn | undefined
  running: boolean
}

/** Reads an answer out to who cannot see it, when it is finished: not every word as it comes. */
export function Announcer({ turn, running }: AnnouncerProps) {
  const region = useRef<HTMLParagraphElement>(null)
  const wasRunning = useRef(running)
  useEffect(() => {
    if (wasRunning.current === running) return
    wasRunning.current = running
    // Written past React: for it, nothing on the page has changed.
    region.current!.textContent = running ? 'Answering…' : tell(turn)
  }, [turn, running])
  return <p ref={region} className="visually-hidden" aria-live="polite" />
}

function tell(turn: Turn | undefined): string {
  const entries = turn?.entries ?? []
  const answer = entries.filter(({ role }) => role === 'assistant').map(({ blocks }) => textOf(blocks))
  return [howItEnded(entries.at(-1)), ...answer].filter((part) => part !== undefined).join(' ')
}
