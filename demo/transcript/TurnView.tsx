import { Fragment, memo } from 'react'
import type { SessionEvent, TranscriptEntry } from 'idb-sessions'
import type { BranchActions } from '../branches/actions'
import { BranchPicker } from '../branches/BranchPicker'
import type { Choice } from '../branches/choices'
import { ActionButton } from '../ui/ActionButton'
import { Answer } from './Answer'
import { Prompt } from './Prompt'
import { TurnEnd } from './TurnEnd'
import type { Turn } from './turns'

/** A session, or what was read of one. */
interface Log {
  at(seq: number): SessionEvent | undefined
}

interface TurnViewProps {
  log: Log
  turn: Turn
  running: boolean
  /** Where this turn begins, branches part. */
  choice: Choice | undefined
  actions: BranchActions | undefined
}

export const TurnView = memo(function TurnView({ log, turn, running, choice, actions }: TurnViewProps) {
  const prompt = turn.entries.find((entry) => entry.role === 'user' && sourceOf(log, entry) === 'user')
  const tools = (
    <div className="prompt-tools">
      {choice && <BranchPicker choice={choice} />}
      {prompt && actions && (
        <ActionButton className="small" action={() => actions.edit(prompt.seq, prompt.blocks)}>
          Edit
        </ActionButton>
      )}
    </div>
  )
  const parts = partsOf(turn)
  return (
    <>
      {prompt === undefined && choice && tools}
      {parts.map((entries, place) =>
        entries[0]?.role === 'user' ? (
          <Fragment key={entries[0].key}>
            <Prompt blocks={entries[0].blocks} source={sourceOf(log, entries[0])} />
            {entries[0] === prompt && tools}
          </Fragment>
        ) : (
          <Answer key={entries[0]?.key ?? 'answer'} entries={entries} running={running && place === parts.length - 1}>
            {place === parts.length - 1 && (
              <TurnEnd entry={turn.entries.at(-1)!} running={running} prompt={prompt} actions={actions} />
            )}
          </Answer>
        ),
      )}
    </>
  )
})

/** Prompts, and the answers between them. A turn ends in an answer, though there be nothing in it yet. */
function partsOf({ turn, entries }: Turn): TranscriptEntry[][] {
  const parts: TranscriptEntry[][] = []
  for (const entry of entries) {
    const last = parts.at(-1)
    if (entry.role === 'assistant' && last?.[0]?.role === 'assistant') last.push(entry)
    else parts.push([entry])
  }
  if (turn !== undefined && parts.at(-1)?.[0]?.role === 'user') parts.push([])
  return parts
}

/** 'user' for what a person wrote; an agent adds messages of its own, such as instructions. */
function sourceOf(log: Log, { seq }: TranscriptEntry): string {
  const event = log.at(seq)
  return event?.type === 'user/message' ? event.data.source.kind : 'user'
}
