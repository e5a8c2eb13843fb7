import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { openSessions } from 'idb-sessions'
import { App } from './App'
import { greet } from './example/greet'
import { CannotOpen } from './notices/CannotOpen'
import { StoreContext } from './store'

// A built site works without a network from the second visit on. It works as well without that.
if (import.meta.env.PROD) navigator.serviceWorker?.register('service-worker.js').catch(console.warn)

const root = createRoot(document.getElementById('root')!)

// Opened outside React: the store lives as long as the page, whatever is mounted.
try {
  const store = await openSessions({ name: 'idb-sessions-demo' })
  // Being looked at, the list begins to be read; it is there when the next call is answered.
  void store.index.current
  await greet(store)
  root.render(
    <StrictMode>
      <StoreContext value={store}>
        <App />
      </StoreContext>
    </StrictMode>,
  )
} catch (error) {
  root.render(<CannotOpen error={error} />)
}
