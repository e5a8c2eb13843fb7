import { useState } from 'react'
import { NewChat } from './chat/NewChat'
import { Notices } from './notices/Notices'
import { OpenSession } from './sessions/OpenSession'
import { useRoute } from './sessions/route'
import { SessionList } from './sessions/SessionList'

export function App() {
  const route = useRoute()
  const { id } = route
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
      <SessionList openId={id} onChoose={() => showList(false)} />
      <main>
        <Notices />
        {id === undefined ? <NewChat /> : <OpenSession route={{ ...route, id }} />}
      </main>
    </div>
  )
}
