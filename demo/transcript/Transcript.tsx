import { useLayoutEffect, useRef, useState, type FocusEvent, type KeyboardEvent } from 'react'
import type { SessionView } from 'idb-sessions'
import { defaultRangeExtractor, useVirtualizer } from '@tanstack/react-virtual'
import type { BranchActions } from '../branches/actions'
import type { Choice } from '../branches/choices'
import { Announcer } from './Announcer'
import { estimateHeight } from './estimateHeight'
import type { Turn } from './turns'
import { TurnView } from './TurnView'

interface TranscriptProps {
  view: SessionView
  turns: readonly Turn[]
  /** Place of the turn to begin at; undefined: the end. */
  place: number | undefined
  /** The number of the turn that is being written. */
  running: number | undefined
  /** By the place of the turn. */
  choices: ReadonlyMap<number, Choice>
  /** Absent: it cannot be forked any more. */
  actions: BranchActions | undefined
}

/** Closer to the end than this counts as being there, px. */
const NEAR = 48

/** Only the turns in sight are in the page, however long the log is. At its end, the view follows what is written. */
export function Transcript({ view, turns, place, running, choices, actions }: TranscriptProps) {
  const box = useRef<HTMLDivElement>(null)
  const beginsAtEnd = useRef(place === undefined)
  // The turn that holds the focus stays in the page when it is scrolled out of sight.
  const [focused, setFocused] = useState<number>()
  // oxlint-disable-next-line react/incompatible-library -- there is no React Compiler here to be misled
  const list = useVirtualizer({
    count: turns.length,
    getScrollElement: () => box.current,
    getItemKey: (place) => turns[place]!.key,
    estimateSize: (place) => estimateHeight(turns[place]!, box.current?.clientWidth ?? Infinity),
    anchorTo: 'end',
    followOnAppend: true,
    scrollEndThreshold: NEAR,
    overscan: 4,
    rangeExtractor: (range) => {
      const places = defaultRangeExtractor(range)
      if (focused === undefined || focused >= range.count || places.includes(focused)) return places
      return [...places, focused].sort((a, b) => a - b)
    },
  })
  // At first, and when one's own prompt begins a turn.
  useLayoutEffect(() => {
    if (place === undefined) list.scrollToEnd()
  }, [list, running, place])
  useLayoutEffect(() => {
    if (place !== undefined) list.scrollToIndex(place, { align: 'start' })
  }, [list, place])
  // A phone's keyboard makes it lower: who was at the end stays there.
  useLayoutEffect(() => {
    let wasAtEnd = beginsAtEnd.current
    const onScroll = (): void => void (wasAtEnd = list.isAtEnd(NEAR))
    const resized = new ResizeObserver(() => wasAtEnd && list.scrollToEnd())
    const element = box.current!
    element.addEventListener('scroll', onScroll)
    resized.observe(element)
    return () => {
      element.removeEventListener('scroll', onScroll)
      resized.disconnect()
    }
  }, [list])
  // The browser would glide there, and stop half-way when what comes into sight is not as high as was thought.
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'Home') list.scrollToOffset(0)
    else if (event.key === 'End') list.scrollToEnd()
    else return
    event.preventDefault()
  }
  const onFocus = ({ target }: FocusEvent): void => {
    const place = target.closest<HTMLElement>('li[data-index]')?.dataset['index']
    setFocused(place === undefined ? undefined : Number(place))
  }

  return (
    <>
      {/* Not live: what comes into sight by scrolling is not to be read out. The announcer tells of answers. */}
      <div
        ref={box}
        className="transcript"
        role="log"
        aria-live="off"
        aria-label="Transcript"
        aria-busy={running !== undefined}
        tabIndex={0}
        onKeyDown={onKeyDown}
        onFocus={onFocus}
        onBlur={() => setFocused(undefined)}
      >
        <ol style={{ height: list.getTotalSize() }}>
          {list.getVirtualItems().map(({ key, index, start }) => (
            <li
              key={key}
              ref={list.measureElement}
              data-index={index}
              aria-posinset={index + 1}
              aria-setsize={turns.length}
              style={{ transform: `translateY(${start}px)` }}
            >
              <TurnView
                log={view}
                turn={turns[index]!}
                running={running !== undefined && turns[index]!.turn === running}
                choice={choices.get(index)}
                actions={actions}
              />
            </li>
          ))}
        </ol>
      </div>
      <Announcer turn={turns.at(-1)} running={running !== undefined} />
    </>
  )
}
