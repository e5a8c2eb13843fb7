/** Stands in a run for all tests of a browser that this machine does not have. */
import { expect, inject, test } from 'vitest'

const missing = inject('missing')

test.skipIf(missing)(
  `all tests in ${missing}, which is not installed here (\`npm run setup\` does it where it can)`,
  () => expect(missing).toBe(''),
)
