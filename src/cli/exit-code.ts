/** What a command ends with: it is done; the call or the task failed; it was called or configured wrongly. */
export const exitCode = { done: 0, failed: 1, usage: 2 } as const;
