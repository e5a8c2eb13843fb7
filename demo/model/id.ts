/** A new id. Not `crypto.randomUUID`, which plain-http pages do not have: think of a phone that opens a dev server. */
export function newId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}
