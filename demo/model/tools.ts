import { calculate } from './calculate'

interface ToolOutcome {
  text: string
  error?: { name: string; code: string }
}

/** The tools that the scripted model can call. They take the model's arguments and answer in text. */
const tools: Record<string, (input: Record<string, unknown>) => string | Promise<string>> = {
  calculator: ({ expression }) => String(calculate(String(expression))),
  clock: () => new Date().toLocaleString('en-GB', { dateStyle: 'full', timeStyle: 'long' }),
}

/** Never rejects: a tool that fails tells the model so. */
export async function runTool(name: string, json: string): Promise<ToolOutcome> {
  try {
    const run = tools[name]
    if (run === undefined) throw new Error(`there is no tool '${name}'`)
    return { text: await run(JSON.parse(json) as Record<string, unknown>) }
  } catch (error) {
    const { name: kind, message } = error as Error
    return { text: message, error: { name: kind, code: 'TOOL_FAILED' } }
  }
}
