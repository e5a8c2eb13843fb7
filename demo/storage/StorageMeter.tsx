import { useCallback, useEffect, useState } from 'react'
import type { StorageFigures, StoreStatus } from 'idb-sessions'
import { report } from '../notices/notices'
import { useSettledSessions, useStore } from '../store'
import { ActionButton } from '../ui/ActionButton'

/** How the store is doing, how much room is used, and whether the browser may take it away. */
export function StorageMeter() {
  const store = useStore()
  const status = useStatus()
  const [figures, setFigures] = useState<StorageFigures>({})
  const read = useCallback(
    // A closed store does not tell.
    () => store.storage().then(setFigures, () => setFigures({})),
    [store],
  )
  const settled = useSettledSessions()
  // oxlint-disable-next-line react/exhaustive-effect-dependencies, react/exhaustive-deps -- what is stored has changed
  useEffect(() => void read(), [read, settled])
  const keep = async (): Promise<void> => {
    try {
      if (!(await store.persist())) throw new Error(REFUSED)
      await read()
    } catch (error) {
      report('The data is not kept for good', error)
    }
  }
  const { usage, quota, persisted } = figures
  return (
    <section className="storage" aria-label="Storage">
      <p data-status={status} aria-live="polite">
        {STATUS[status]}
      </p>
      {usage !== undefined && quota !== undefined && (
        <>
          <meter aria-label="Room in use" min={0} max={quota} value={usage} high={quota * 0.9} />
          <p className="muted">
            {size(usage)} of {size(quota)} in use
          </p>
        </>
      )}
      {persisted === true && <p className="muted">The browser keeps it until you delete it.</p>}
      {persisted === false && (
        <ActionButton className="small" action={keep}>
          Keep my data
        </ActionButton>
      )}
    </section>
  )
}

const STATUS: Record<StoreStatus, string> = {
  ready: 'Stored in this browser',
  memory: 'Kept in memory only: it goes with this tab',
  blocked: 'Waiting for another tab: close the other tabs of this page',
  full: 'No room left: export or delete sessions',
  gone: 'What was stored here is gone: the browser has removed it',
  failed: 'Storage does not answer: export what you need, then reload',
  closed: 'Closed: reload the page',
}

const REFUSED =
  'the browser may still remove it when it runs out of room. Browsers allow it to pages that are used often; export what you cannot lose'

function useStatus(): StoreStatus {
  const store = useStore()
  const [status, setStatus] = useState(store.status)
  useEffect(() => store.on('status', setStatus), [store])
  return status
}

/** Bytes, for people. */
function size(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB']
  let place = 0
  let value = bytes
  for (; value >= 1000 && place < units.length - 1; place++) value /= 1000
  return `${value >= 10 || place === 0 ? Math.round(value) : value.toFixed(1)} ${units[place]}`
}
