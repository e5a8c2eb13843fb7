const env = import.meta.env as Record<string, string | undefined>

/** A failing run is repeated with the seed that it printed: `FC_SEED=… npm test`. */
export const seed = Number(env['FC_SEED'] ?? Date.now() & 0x7fffffff)
