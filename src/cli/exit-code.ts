/** Exit codes of commands. Commands that end well load nothing more for it. */

export { CommandFailed, UsageError } from '../extensions/command.ts';

/** Exit codes: done; the call or the task failed; wrong usage or configuration; the task waits for its caller. */
export const exitCode = { done: 0, failed: 1, usage: 2, waiting: 3 } as const;

/** The task waits for input or authorization. The command has said so. */
export class TaskWaits extends Error {
  override readonly name = 'TaskWaits';
}
