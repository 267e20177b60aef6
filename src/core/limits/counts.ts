/** Bounds on the contents of one document, independent of its size in bytes. */
export interface CountLimits {
  /** Parts of one message or artifact. */
  readonly parts: number;
  /** Keys of one object. */
  readonly keys: number;
  /** Values in total: the items of all lists and the members of all objects. */
  readonly values: number;
}

/** Defaults for a request. */
export const requestCounts: CountLimits = { parts: 10_000, keys: 10_000, values: 250_000 };

/** Limits of an agent's answer, or of one event of its stream. */
export const answerCounts: CountLimits = { parts: 100_000, keys: 100_000, values: 2_500_000 };
