import { useState } from 'react'
import type { SessionStore } from 'idb-sessions'
import { NewChat } from './chat/NewChat'
import { OpenChat } from './chat/OpenChat'
import { Notices } from './notices/Notices'
import { useRoute } from './sessions/route'
import { SessionList } from './sessions/SessionList'
import type { StoredSessions } from './sessions/stored'

export interface AppProps {
  store: SessionStore
  stored: StoredSessions
}

export function App({ store, stored }: AppProps) {
  const openId = useRoute()
  // On a phone the list lies over the chat, and goes when something is chosen in it.
  const [listShown, showList] = useState(false)
  return (
    <div className="app" data-list={listShown ? 'shown' : 'hidden'}>
      <button
        type="button"
        className="list-toggle"
        aria-label="Sessions"
        aria-expanded={listShown}
        onClick={() => showList(!listShown)}
      >
        <span aria-hidden="true">{listShown ? '✕' : '☰'}</span>
      </button>
      <SessionList store={store} stored={stored} openId={openId} onChoose={() => showList(false)} />
      <main>
        <Notices />
        {openId === undefined ? (
          <NewChat store={store} />
        ) : (
          <OpenChat key={openId} store={store} stored={stored} id={openId} />
        )}
      </main>
    </div>
  )
}
