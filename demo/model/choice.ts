import { Observable, useObservable } from '../ui/observable'
import { endpointModel, type Endpoint } from './endpoint'
import type { Model } from './model'
import { scriptedModel } from './scripted'

export interface ModelChoice {
  kind: 'scripted' | 'endpoint'
  endpoint: Endpoint
  /** The key outlives the tab. */
  keepsKey: boolean
}

const KEPT_IN = 'idb-sessions-demo:model'
const KEY_KEPT_IN = 'idb-sessions-demo:key'

export const NO_ENDPOINT: Endpoint = { address: 'https://api.openai.com/v1', model: '', key: '' }
const DEFAULT: ModelChoice = { kind: 'scripted', endpoint: NO_ENDPOINT, keepsKey: false }

const choice = new Observable<ModelChoice>(kept())

export function useModelChoice(): ModelChoice {
  return useObservable(choice)
}

/** The one that is asked next. */
export function currentModel(): Model {
  const { kind, endpoint } = choice.get()
  return kind === 'scripted' ? scriptedModel : endpointModel(endpoint)
}

/** Keeps the choice in this browser, but its key in this tab, unless the person wants it otherwise. */
export function chooseModel(next: ModelChoice): void {
  choice.set(next)
  const { key, ...endpoint } = next.endpoint
  try {
    localStorage.setItem(KEPT_IN, JSON.stringify({ ...next, endpoint }))
    sessionStorage.removeItem(KEY_KEPT_IN)
    localStorage.removeItem(KEY_KEPT_IN)
    if (key !== '') (next.keepsKey ? localStorage : sessionStorage).setItem(KEY_KEPT_IN, key)
  } catch {
    // Forbidden: then it lasts as long as the page.
  }
}

function kept(): ModelChoice {
  try {
    const { kind, endpoint, keepsKey } = JSON.parse(localStorage.getItem(KEPT_IN) ?? '{}') as Partial<ModelChoice>
    const key = sessionStorage.getItem(KEY_KEPT_IN) ?? localStorage.getItem(KEY_KEPT_IN) ?? ''
    return {
      kind: kind === 'endpoint' ? kind : 'scripted',
      endpoint: { ...NO_ENDPOINT, ...endpoint, key },
      keepsKey: keepsKey === true,
    }
  } catch {
    return DEFAULT
  }
}
