import { run } from './app.js'

void run({ worker: () => new Worker('/worker.js', { type: 'module' }) })
