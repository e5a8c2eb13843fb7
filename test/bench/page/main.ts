/** The page that measures: what a test calls by name. */
import * as append from '../work/append.js'
import * as fork from '../work/fork.js'
import * as idle from '../work/idle.js'
import * as one from '../work/one.js'
import * as open from '../work/open.js'
import * as shelf from '../work/shelf.js'
import * as stream from '../work/stream.js'

const works = { ...append, ...fork, ...idle, ...one, ...open, ...shelf, ...stream }

export type Works = typeof works

declare global {
  interface Window {
    works: Works
  }
}

window.works = works
