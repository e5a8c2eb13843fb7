import type { ContentBlock, Message } from 'idb-sessions'
import { ModelFailure } from './model'
import { shorten } from './shorten'

/** One answer of the scripted model, before it is cut into chunks. */
export interface Script {
  reasoning?: string
  text?: string
  call?: { name: string; input: Record<string, unknown> }
  /** Thrown after the rest was streamed. */
  failure?: ModelFailure
}

const FACTS = [
  'Each word of this answer is an **event** in a log. A worker writes them down in batches; the sign at the top shows how many are stored already.',
  'Fork an answer, and two sessions **share everything up to it**. From there each goes its own way, and neither can change the other.',
  'Close this tab in the middle of a sentence and open it again: what had arrived is still here, and the turn is closed as `interrupted`.',
  'Export writes the log as a file, an event a line. Import checks **every line** before it keeps a single one.',
  'Delete the session that a fork came from, and the fork stays whole: what two sessions share goes when the last of them goes.',
]

const REASONING = [
  'The question can be read in more than one way. I take the plain reading, look at what this session holds so far, and answer from that alone.',
  'First: what do I know here? Only the log of this session. Then: what follows from it? Let me keep it short.',
]

let answers = 0
/** Prompts that failed once already: trying again should help. */
const failed = new Set<string>()

/** What the model says next, from the history that it sees. Asked again, it says something else. */
export function reply(messages: readonly Message[]): Script {
  const prompts = messages.filter(({ source }) => source.kind === 'user').map(({ content }) => textOf(content))
  const prompt = prompts.at(-1) ?? ''
  const seen = whatIsSeen(prompts)
  const last = messages.at(-1)
  const result = last?.content[0]
  if (last?.source.kind === 'tool' && result?.type === 'tool-result') {
    const text = textOf(result.content)
    return { text: result.isError ? `The tool refused: ${text}. ${seen}` : `The answer is ${text}. ${seen}` }
  }
  const expression = findExpression(prompt)
  if (expression !== undefined) {
    const reasoning = 'There is a calculation in this. I had better use the calculator than my head.'
    return { reasoning, text: 'Let me calculate that. ', call: { name: 'calculator', input: { expression } } }
  }
  if (/\b(time|clock|date|today)\b/i.test(prompt)) return { call: { name: 'clock', input: {} } }

  const fact = FACTS[answers++ % FACTS.length]!
  if (/\bfail\b/i.test(prompt) && !failed.has(prompt)) {
    failed.add(prompt)
    return { text: fact, failure: new ModelFailure('OVERLOADED', 'the model is overloaded') }
  }
  const text = /\b(long|story)\b/i.test(prompt) ? longText(seen) : `${seen} ${fact}`
  if (!/\b(think|why|how)\b/i.test(prompt)) return { text }
  return { reasoning: REASONING[prompt.length % REASONING.length]!, text }
}

/** Tells which history the model was given, so that a fork can be told from its parent. */
function whatIsSeen([first = '', ...others]: readonly string[]): string {
  if (others.length === 0) return 'I see one prompt in this session, and it is yours.'
  return `I see ${others.length + 1} prompts in this session; the first was “${shorten(first, 80)}”.`
}

function longText(seen: string): string {
  const chapters = [...FACTS, ...FACTS].map((fact, i) => `${i + 1}. ${fact}`)
  return [seen, ...chapters, 'And that is the end of the story.'].join('\n\n')
}

function findExpression(prompt: string): string | undefined {
  const runs = prompt.match(/[\d\s.()+\-*/×÷]+/g) ?? []
  const expression = runs.find((run) => /[\d)]\s*[+\-*/×÷]\s*[\d(-]/.test(run))
  return expression?.trim().replace(/[\s.]+$/, '')
}

function textOf(content: readonly ContentBlock[]): string {
  return content.map((block) => (block.type === 'text' ? block.text : '')).join('')
}
