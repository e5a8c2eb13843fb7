/** What runs the tests. */

export const inBrowser = typeof document !== 'undefined'

export const engine = engineOf(inBrowser ? navigator.userAgent : undefined)

function engineOf(userAgent: string | undefined): 'node' | 'chromium' | 'firefox' | 'webkit' {
  if (userAgent === undefined) return 'node'
  if (userAgent.includes('Firefox/')) return 'firefox'
  // Chromium says that it is like WebKit, too.
  return userAgent.includes('Chrome/') ? 'chromium' : 'webkit'
}
