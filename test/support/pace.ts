/** By how much limits are longer than on a quiet machine: `vitest.config.ts` measures it once for each run of tests. */
const pace = Number(process.env.TEST_PACE ?? 1);

/** A time limit, in milliseconds on a quiet machine. On a slow or busy one it is longer. */
export const paced = (ms: number): number => Math.ceil(ms * pace);
