/** As much of DSH's packages as is measured; undefined where they are not installed. */
declare module 'dsh' {
  export interface Session {
    readonly seq: number
    append(type: string, data: unknown, intent?: object): unknown
    deriveMessages(): unknown[]
  }
  export interface Sessions {
    create(id: string, options?: { seed?: readonly unknown[] }): Session
    get(id: string): Session
    fork(source: Session, boundary?: number, child?: string): Session
  }
  export const sessions: unknown
  export const Context: (new () => { sessions: Sessions; plugin(plugin: unknown): Promise<void> }) | undefined
}
