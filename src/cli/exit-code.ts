/** Exit codes of commands. Free of imports, so that commands that end well load nothing for it. */

/** Exit codes: done; the call or the task failed; wrong usage or configuration; the task waits for its caller. */
export const exitCode = { done: 0, failed: 1, usage: 2, waiting: 3 } as const;

/** A mistake in how the command was called. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** A failed task or call, whose message is all that is printed. */
export class CommandFailed extends Error {
  override readonly name = 'Failed';
}

/** The task waits for input or authorization. The command has said so. */
export class TaskWaits extends Error {
  override readonly name = 'TaskWaits';
}
