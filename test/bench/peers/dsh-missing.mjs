// What stands for `dsh` in the page where DSH's packages are not installed: `npm run setup` does it.
export const Context = undefined
export const sessions = undefined
