// What stands for `dsh` in the page where DSH's packages are there.
export { Context } from '@deepseek-ai/cordis'
export { default as sessions } from '@deepseek-ai/dsh-session'
