/** The same in a worker of its own, asked through Comlink: what is left of the limit where the page owns no storage. */
import { expose } from 'comlink'
import { RawStore } from './raw-store.js'

expose(new RawStore())
