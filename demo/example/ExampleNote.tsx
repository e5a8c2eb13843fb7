import type { SessionId } from 'idb-sessions'
import { report } from '../notices/notices'
import { go } from '../sessions/route'
import { useStore } from '../store'
import { ActionButton } from '../ui/ActionButton'
import { EXAMPLE, EXAMPLE_BRANCH } from './conversation'

/** Says of the example that it is one. */
export function ExampleNote({ id }: { id: SessionId }) {
  const store = useStore()
  if (id !== EXAMPLE && id !== EXAMPLE_BRANCH) return null
  const remove = async (): Promise<void> => {
    go(undefined)
    try {
      await store.delete([EXAMPLE, EXAMPLE_BRANCH])
    } catch (error) {
      report('The example was not removed', error)
    }
  }
  return (
    <div className="example-note">
      <p>
        An example: one conversation that was asked two ways. <strong>‹ 1/2 ›</strong> goes from one to the other;
        <strong> Edit</strong>, <strong>Regenerate</strong> and <strong>Fork here</strong> make more.
      </p>
      <ActionButton className="small" action={remove}>
        Remove the example
      </ActionButton>
    </div>
  )
}
