import { useState } from 'react'
import { useModelChoice } from './choice'
import { ModelDialog } from './ModelDialog'

/** Says who answers, and changes it. */
export function ModelButton() {
  const { kind, endpoint } = useModelChoice()
  const [choosing, choose] = useState(false)
  const name = kind === 'scripted' ? 'scripted' : endpoint.model
  return (
    <>
      <button type="button" className="quiet model-button" onClick={() => choose(true)}>
        <span className="visually-hidden">Change the </span>
        model: <strong>{name}</strong> <span aria-hidden="true">▾</span>
      </button>
      {choosing && <ModelDialog onClose={() => choose(false)} />}
    </>
  )
}
