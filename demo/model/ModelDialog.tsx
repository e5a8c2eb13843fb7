import { useState } from 'react'
import { Dialog } from '../ui/Dialog'
import { chooseModel, useModelChoice, type ModelChoice } from './choice'

/** Who answers: the script of this page, or a model behind an endpoint. */
export function ModelDialog({ onClose }: { onClose: () => void }) {
  const chosen = useModelChoice()
  const [kind, setKind] = useState(chosen.kind)
  const save = (form: FormData): void => {
    const field = (name: string): string => ((form.get(name) as string | null) ?? '').trim()
    const { endpoint, keepsKey } = chosen
    const next: ModelChoice =
      kind === 'scripted'
        ? { kind, endpoint, keepsKey }
        : {
            kind,
            endpoint: { address: field('address'), model: field('model'), key: field('key') },
            keepsKey: form.has('keep'),
          }
    chooseModel(next)
    onClose()
  }
  return (
    <Dialog title="Who answers?" onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          save(new FormData(event.currentTarget))
        }}
      >
        <fieldset className="choices">
          <legend className="visually-hidden">Model</legend>
          <label>
            <input type="radio" name="kind" checked={kind === 'scripted'} onChange={() => setKind('scripted')} />
            <span>
              <strong>A script in this page</strong>
              <span className="muted">No key, no network. It tells how much of the session it sees.</span>
            </span>
          </label>
          <label>
            <input type="radio" name="kind" checked={kind === 'endpoint'} onChange={() => setKind('endpoint')} />
            <span>
              <strong>An OpenAI-compatible endpoint</strong>
              <span className="muted">Any provider, or a server on this machine.</span>
            </span>
          </label>
        </fieldset>
        {kind === 'endpoint' && <EndpointFields chosen={chosen} />}
        <div className="actions">
          <button type="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" className="primary">
            Use it
          </button>
        </div>
      </form>
    </Dialog>
  )
}

/** As the policy of the page has it: nothing goes over a network in the clear. */
const ADDRESS = String.raw`https://.+|http://(localhost|127\.0\.0\.1)(:\d+)?(/.*)?`

function EndpointFields({ chosen: { endpoint, keepsKey } }: { chosen: ModelChoice }) {
  const [keeps, setKeeps] = useState(keepsKey)
  return (
    <>
      <label className="field">
        Address
        <input
          name="address"
          required
          defaultValue={endpoint.address}
          pattern={ADDRESS}
          title="https://…, or http://localhost:…"
          inputMode="url"
          autoComplete="off"
          spellCheck={false}
        />
      </label>
      <label className="field">
        Model
        <input
          name="model"
          required
          defaultValue={endpoint.model}
          placeholder="as the provider calls it"
          autoComplete="off"
          spellCheck={false}
        />
      </label>
      <label className="field">
        Key
        <input
          name="key"
          type="password"
          defaultValue={endpoint.key}
          placeholder="if it needs one"
          autoComplete="off"
        />
      </label>
      <label className="check">
        <input name="keep" type="checkbox" checked={keeps} onChange={() => setKeeps(!keeps)} />
        Keep the key in this browser
      </label>
      <p className="muted" role="status">
        {keeps
          ? 'The key is kept in this browser’s storage, where whoever uses it, or a script of this site, can read it.'
          : 'The key stays in this tab, and goes when it is closed.'}{' '}
        It is sent to that address and nowhere else, and is never written into a session.
      </p>
    </>
  )
}
