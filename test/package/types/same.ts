/** Compiles only where both are the same type: `any`, and an optional field in place of another, are not. */
export declare function same<A, B>(...verdict: Same<A, B> extends true ? [] : ['these types differ']): void

// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- two types with an open T are compared for identity
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
