import type { Reporter, SerializedError, TestCase, TestModule, TestSuite } from 'vitest/node'

/** Closes the run with what was skipped where, and one line that a script can read: `N passed, N failed, N skipped`. */
export default class PlainReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly SerializedError[]): void {
    const count = { passed: 0, failed: unhandledErrors.length, skipped: 0, pending: 0 }
    const skipped = new Map<string, Set<string>>()
    for (const module of modules) {
      // A file that breaks before or outside its tests has failed, even if no test of it has.
      if (module.errors().length > 0) count.failed++
      for (const test of module.children.allTests()) count[test.result().state]++
      for (const name of namesOfSkipped(module.children)) {
        skipped.set(name, (skipped.get(name) ?? new Set()).add(module.project.name))
      }
    }
    if (skipped.size > 0) console.log('\nSkipped, and where:')
    for (const [name, projects] of skipped) console.log(`  ${name}: ${[...projects].join(', ')}`)
    // A test is still pending when the run was cut short.
    console.log(`\n${count.passed} passed, ${count.failed} failed, ${count.skipped + count.pending} skipped`)
  }
}

/** Of a group that was skipped as a whole, its own name alone: it tells the reason. */
function namesOfSkipped(children: Iterable<TestCase | TestSuite>): string[] {
  return [...children].flatMap((child) => {
    if (child.type === 'test') return child.result().state === 'skipped' ? [child.name] : []
    return child.options.mode === 'skip' ? [child.name] : namesOfSkipped(child.children)
  })
}
