/* global FILES, VERSION -- the build puts them before this */

// A new version waits until no page uses the old one: that may still need its files, to start its worker again.
self.addEventListener('install', (event) => {
  event.waitUntil(caches.open(VERSION).then((cache) => cache.addAll(FILES)))
})

self.addEventListener('activate', (event) => {
  const outdated = (name) => name.startsWith('idb-sessions-demo-') && name !== VERSION
  event.waitUntil(caches.keys().then((names) => Promise.all(names.filter(outdated).map((name) => caches.delete(name)))))
})

self.addEventListener('fetch', (event) => {
  const { request } = event
  // Models are asked elsewhere.
  if (request.method !== 'GET' || !request.url.startsWith(self.registration.scope)) return
  event.respondWith(request.mode === 'navigate' ? newest(request) : kept(request))
})

/** The page itself may be newer than what is kept; the names of its files tell one version from another. */
async function newest(request) {
  try {
    return await fetch(request)
  } catch {
    return kept('./')
  }
}

/** Servers vary by headers that do not matter here: a module's script says where it is asked from. */
async function kept(request) {
  const cache = await caches.open(VERSION)
  return (await cache.match(request, { ignoreSearch: true, ignoreVary: true })) ?? fetch(request)
}
