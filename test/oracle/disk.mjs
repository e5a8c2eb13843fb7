/** A folder of session files, and the published JSONL backend on it. */
import { appendFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import dsh from '@deepseek-ai/dsh-session'
import jsonl from '@deepseek-ai/dsh-session-persistence-jsonl'

const folders = []
process.on('exit', () => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})

export class Disk {
  #paths = new Map()

  /**
   * @param context a cordis context, with or without a session store
   * @param options of the backend; not compressed by default
   * @param before whose folder is used again
   */
  static async open(context, options, before) {
    const disk = new Disk()
    disk.context = context
    disk.root = before?.root ?? mkdtempSync(join(tmpdir(), 'dsh-'))
    disk.#paths = before?.paths ?? disk.#paths
    if (before === undefined) folders.push(disk.root)
    if (context.sessions === undefined) await context.plugin(dsh)
    await context.plugin(jsonl, { root: disk.root, compression: 'none', writeBatchMaxDelayMs: 1, ...options })
    disk.backend = context.sessionPersistence
    return disk
  }

  get paths() {
    return this.#paths
  }

  /** Writes a file where the backend looks for it; returns the session's id. One without a header is session `s`. */
  place(bytes) {
    const header = headerOf(bytes)
    const path = this.#pathOf(header)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, bytes)
    return header.id
  }

  read(header) {
    return readFileSync(this.#pathOf(header), 'utf8')
  }

  readById(id) {
    return readFileSync(this.#find(id))
  }

  add(id, text) {
    appendFileSync(this.#find(id), text)
  }

  /** The first line of these bytes that is no longer in the placed file, 1-based. */
  cutLine(bytes) {
    const now = readFileSync(this.#pathOf(headerOf(bytes)))
    let same = 0
    while (same < bytes.length && bytes[same] === now[same]) same++
    // A piece of a line goes, also when what closes the turn then begins alike.
    if (same === bytes.length && bytes.at(-1) === 10) return undefined
    return bytes.subarray(0, same).filter((byte) => byte === 10).length + 1
  }

  async close() {
    await this.context.fiber.dispose()
    rmSync(this.root, { recursive: true, force: true })
  }

  #pathOf(header) {
    const { path } = this.backend.locate(header)
    this.#paths.set(header.id, path)
    return path
  }

  #find(id) {
    const path = this.#paths.get(id) ?? this.backend.locate(this.context.sessions.get(id).header).path
    this.#paths.set(id, path)
    return path
  }
}

function headerOf(bytes) {
  try {
    const { id, cwd } = JSON.parse(bytes.toString('utf8').split('\n')[0])
    if (typeof id === 'string' && id !== '') {
      return { id, ...(typeof cwd === 'string' && cwd !== '' && { cwd }) }
    }
  } catch {
    // No header: any place will do.
  }
  return { id: 's' }
}
