/** The page in a browser that nobody drives: it asks the test what it is to run, and answers. */
import type { Question } from '../asked.js'
import type { News } from './main.js'

/** @param server where the test listens */
export async function ask(server: string): Promise<void> {
  const post = (path: string, body: unknown) =>
    fetch(`${server}/${path}`, { method: 'POST', body: JSON.stringify(body) })
  let last: Promise<unknown> = Promise.resolve()
  // One after another: what is told later is the newer.
  window.tell = async (news: News) => void (await (last = last.then(() => post('tell', news))))
  for (;;) {
    const question = (await (await fetch(`${server}/next`)).json()) as Question
    // It may run for as long as the page, while more is asked.
    void run(question).then((answer) => post('answer', answer))
  }
}

async function run({ id, body, arg }: Question) {
  try {
    const { default: run } = (await import(/* @vite-ignore */ moduleOf(`export default ${body}`))) as {
      default: (arg: unknown) => unknown
    }
    return { id, value: await run(arg) }
  } catch (error) {
    return { id, error: String(error) }
  }
}

function moduleOf(source: string): string {
  return URL.createObjectURL(new Blob([source], { type: 'text/javascript' }))
}
