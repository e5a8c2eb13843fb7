import { asSentence, explain } from './explain'

/** The whole page when there is no store to show. */
export function CannotOpen({ error }: { error: unknown }) {
  const { what, cure } = explain(error)
  return (
    <main className="cannot-open" role="alert">
      <h1>The sessions cannot be opened</h1>
      <p>{asSentence(what)}</p>
      {cure && <p>{cure}</p>}
      <button type="button" className="primary" onClick={() => location.reload()}>
        Reload
      </button>
    </main>
  )
}
