import { calculate } from './calculate'

interface ToolOutcome {
  text: string
  error?: { name: string; code: string }
}

interface Tool {
  description: string
  /** A JSON Schema of each argument. */
  properties: Record<string, { type: string; description: string }>
  run(input: Record<string, unknown>): string
}

/** The tools that a model can call. They answer in text. */
const tools: Record<string, Tool> = {
  calculator: {
    description: 'Calculates with + - * / and parentheses.',
    properties: { expression: { type: 'string', description: 'such as 17 * (3 + 4)' } },
    run: ({ expression }) => String(calculate(String(expression))),
  },
  clock: {
    description: 'Tells the date and the time of the person who asks.',
    properties: {},
    run: () => new Date().toLocaleString('en-GB', { dateStyle: 'full', timeStyle: 'long' }),
  },
}

/** As endpoints want them told. */
export const toolSchemas = Object.entries(tools).map(([name, { description, properties }]) => ({
  type: 'function',
  function: { name, description, parameters: { type: 'object', properties, required: Object.keys(properties) } },
}))

/** Never throws: a tool that fails tells the model so. */
export function runTool(name: string, json: string): ToolOutcome {
  try {
    const tool = tools[name]
    if (tool === undefined) throw new Error(`there is no tool '${name}'`)
    return { text: tool.run(JSON.parse(json || '{}') as Record<string, unknown>) }
  } catch (error) {
    const { name: kind, message } = error as Error
    return { text: message, error: { name: kind, code: 'TOOL_FAILED' } }
  }
}
