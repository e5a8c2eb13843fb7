import { asSentence, explain } from '../notices/explain'

/** In the place of what could not be read. */
export function CannotShow({ error }: { error: unknown }) {
  const { what, cure } = explain(error)
  return (
    <p className="nothing" role="alert">
      {asSentence(what)} {cure}
    </p>
  )
}
