/** Node has no page: this is as much of one as goes away and comes back. To be imported before any store is opened. */
import { inBrowser } from './engine.js'

const page = new EventTarget()
if (!inBrowser) {
  Object.assign(globalThis, {
    document: Object.assign(new EventTarget(), { visibilityState: 'visible' }),
    addEventListener: page.addEventListener.bind(page),
    removeEventListener: page.removeEventListener.bind(page),
  })
}

/** The page goes into the back/forward cache, with all its stores. */
export function leavePage(): void {
  page.dispatchEvent(new Event('pagehide'))
}

export function comeBack(): void {
  page.dispatchEvent(Object.assign(new Event('pageshow'), { persisted: true }))
}
