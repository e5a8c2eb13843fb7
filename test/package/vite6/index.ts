export { build, createServer } from 'vite'
