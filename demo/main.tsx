import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { openSessions } from 'idb-sessions'
import { App } from './App'
import { CannotOpen } from './notices/CannotOpen'
import { StoredSessions } from './sessions/stored'

const root = createRoot(document.getElementById('root')!)

// Opened outside React: the store lives as long as the page, whatever is mounted.
try {
  const store = await openSessions({ name: 'idb-sessions-demo' })
  const stored = new StoredSessions(store)
  root.render(
    <StrictMode>
      <App store={store} stored={stored} />
    </StrictMode>,
  )
} catch (error) {
  root.render(<CannotOpen error={error} />)
}
