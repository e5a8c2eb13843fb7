/** What the model is told, derived from a log: messages, request header and request context (`spec` 2.4). */
import type { EpochHeader, RequestContext, SessionEvent } from './event.js'
import { freezeJson } from './json.js'
import type { Message } from './message.js'

/**
 * The message that an event puts before the model, or null: for any other type, and for an assistant message
 * without content. Returns the logged object itself. Source: `spec` 2.4.
 */
export function deriveEventMessage(event: SessionEvent): Message | null {
  switch (event.type) {
    case 'user/message':
      return event.data
    case 'assistant/message':
      return event.data.message.content.length === 0 ? null : event.data.message
    case 'tool/result':
      return event.data.message
    default:
      return null
  }
}

/** The header of a `request/header` in canonical form: empty parts dropped, frozen. */
export function canonicalHeader(header: EpochHeader): EpochHeader {
  const { config, adapterDefaults, system, tools } = header
  const markers = {
    ...(adapterDefaults?.reasoningEffort === true && { reasoningEffort: true as const }),
    ...(adapterDefaults?.maxTokens === true && { maxTokens: true as const }),
  }
  return freezeJson({
    config,
    ...(Object.keys(markers).length > 0 && { adapterDefaults: markers }),
    // Only config and adapterDefaults were checked when the event came in.
    ...(typeof system === 'string' && system !== '' && { system }),
    ...(Array.isArray(tools) && tools.length > 0 && { tools }),
  })
}

/** The last `request/header` and `request/context` of a log that grows, each looked at once. */
export class RequestFold {
  header: EpochHeader | undefined
  context: RequestContext | undefined

  apply(event: SessionEvent): void {
    if (event.type === 'request/header') this.header = canonicalHeader(event.data.header)
    else if (event.type === 'request/context') this.context = event.data
  }
}
