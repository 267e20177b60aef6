/** Exit codes of commands. Successful commands load no other module for their exit code. */

export { CommandFailed, UsageError } from '../extensions/command.ts';

/** Exit codes: done; the call or the task failed; wrong usage or configuration; the task waits for its caller. */
export const exitCode = { done: 0, failed: 1, usage: 2, waiting: 3 } as const;

/** Error of a command whose task waits for input or authorization. The command has already printed a message. */
export class TaskWaits extends Error {
  override readonly name = 'TaskWaits';
}
