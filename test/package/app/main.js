import { run } from './app.js'

void run()
