/** The pool of access handles: SQLite's fastest storage in a browser, and the one that needs no special headers. */
import sqlite3InitModule, { type Database, type PreparedStatement, type SAHPoolUtil } from '@sqlite.org/sqlite-wasm'
import { expose } from 'comlink'
import type { Listed } from '../contestant.js'

const TABLES = `
  CREATE TABLE IF NOT EXISTS sessions (id TEXT PRIMARY KEY, length INTEGER, lastTime INTEGER, title TEXT) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS events (id TEXT, seq INTEGER, json TEXT, PRIMARY KEY (id, seq)) WITHOUT ROWID;`

export class Sqlite {
  #pool!: SAHPoolUtil
  #db!: Database
  #insert!: PreparedStatement

  async open(name: string): Promise<void> {
    const sqlite3 = await sqlite3InitModule()
    this.#pool = await sqlite3.installOpfsSAHPoolVfs({ name, directory: `.${name}` })
    this.#db = new this.#pool.OpfsSAHPoolDb(`/${name}`)
    this.#db.exec(TABLES)
    this.#insert = this.#db.prepare('INSERT INTO events VALUES (?, ?, ?)')
  }

  append({ id, length, lastTime, title }: Listed, lines: readonly string[], first: number): void {
    this.#db.transaction(() => {
      lines.forEach((line, i) => {
        this.#insert.bind([id, first + i, line]).stepReset()
      })
      this.#db.exec({
        sql: `INSERT INTO sessions VALUES (?1, ?2, ?3, ?4)
          ON CONFLICT (id) DO UPDATE SET length = length + ?2, lastTime = ?3`,
        bind: [id, length, lastTime, title],
      })
    })
  }

  read(id: string): string[] {
    return this.#db.selectValues('SELECT json FROM events WHERE id = ? ORDER BY seq', [id]) as string[]
  }

  fork(source: string, child: string, boundary: number): void {
    this.#db.transaction(() => {
      const copy = 'INSERT INTO events SELECT ?1, seq, json FROM events WHERE id = ?2 AND seq <= ?3'
      this.#db.exec({ sql: copy, bind: [child, source, boundary] })
      const row = 'INSERT INTO sessions SELECT ?1, length, lastTime, title FROM sessions WHERE id = ?2'
      this.#db.exec({ sql: row, bind: [child, source] })
    })
  }

  list(): unknown[] {
    return this.#db.selectObjects('SELECT * FROM sessions ORDER BY lastTime DESC')
  }

  delete(id: string): void {
    this.#db.transaction(() => {
      this.#db.exec({ sql: 'DELETE FROM events WHERE id = ?', bind: [id] })
      this.#db.exec({ sql: 'DELETE FROM sessions WHERE id = ?', bind: [id] })
    })
  }

  close(): void {
    this.#insert.finalize()
    this.#db.close()
  }
}

expose(new Sqlite())
