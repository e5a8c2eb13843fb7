/** A text in at most `length` characters, with an ellipsis when it was cut. Never cuts a character in two. */
export function shorten(text: string, length: number): string {
  const characters = Array.from(text)
  return characters.length > length ? `${characters.slice(0, length - 1).join('')}…` : text
}
