// As much of Node's modules as DSH's packages ask for: `node:path` and `node:module`.
/** @param {string} path */
export const isAbsolute = (path) => path.startsWith('/')
export const createRequire = () => () => ({ version: 'in a page' })
