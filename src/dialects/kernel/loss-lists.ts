import type { Dialect } from './dialect.ts';

/** What dialects list their losses with. */

/** Paths below another, which is given with its dot. */
export const below = (prefix: string, paths: readonly string[]): string[] => paths.map((path) => prefix + path);

/** What the members of tasks and events lose. */
export interface MemberLosses {
  readonly message: readonly string[];
  readonly artifact: readonly string[];
}

/** The losses of messages, tasks and events that are made of these, in dialects with the events of v1. */
export function memberLosses({ message, artifact }: MemberLosses): Dialect['losses'] {
  const task = [...below('status.message.', message), ...below('history.', message), ...below('artifacts.', artifact)];
  return {
    message,
    task,
    event: [
      ...below('task.', task),
      ...below('message.', message),
      ...below('statusUpdate.status.message.', message),
      ...below('artifactUpdate.artifact.', artifact),
    ],
  };
}
