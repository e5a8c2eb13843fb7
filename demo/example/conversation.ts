/** Fixed ids: two tabs that open at once make one example. */
export const EXAMPLE = 'example'
export const EXAMPLE_BRANCH = 'example-branch'

export interface Exchange {
  prompt: string
  reasoning?: string
  text: string
}

export const CONVERSATION: readonly Exchange[] = [
  {
    prompt: 'I am opening a small café by the harbour. What could it be called?',
    reasoning: 'Small, harbour, coffee. Short names that can be painted on a sign; three are enough to choose from.',
    text: `Three that would fit on a sign:

- **The Slack Tide**, for the hour when nobody is in a hurry
- **Harbour & Bean**, which says at once what it is
- **Low Water**, short, and a little odd

Which way should I go on?`,
  },
  {
    prompt: 'Make it sound as if it had been there for a hundred years.',
    text: `Then a family name, and the trade that was there before:

1. **Brennan’s Net Loft**
2. **The Old Chandlery**
3. **Marlow & Daughters, Coffee**

The second needs no explaining in any harbour.`,
  },
]

/** Asked in the place of the last one above. */
export const OTHER_QUESTION: Exchange = {
  prompt: 'Make it playful. It should work for children, too.',
  text: `Lighter, then:

1. **The Soggy Biscuit**
2. **Captain Crumb**
3. **Cup Ahoy**

*Captain Crumb* has a face already: draw him on the cups.

> The other question in this place, about a hundred years, is still there: press **‹** under yours.`,
}
