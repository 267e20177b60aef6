import type { Client } from '../../src/client/index.ts';
import type { Task } from '../../src/core/model/a2a.ts';

/** Resolves with a task once it is in a state, such as `COMPLETED`: its own stream says when. */
export async function reaches(client: Client, id: string, state: RegExp | string): Promise<Task> {
  const isIn = (now = ''): boolean =>
    typeof state === 'string' ? now === `TASK_STATE_${state.replace('TASK_STATE_', '')}` : state.test(now);
  let refused: unknown;
  for (;;) {
    const task = await client.getTask({ id });
    if (isIn(task.status.state)) return task;
    if (refused !== undefined) throw refused;
    try {
      for await (const event of client.subscribeToTask({ id })) {
        if (isIn(event.task?.status.state ?? event.statusUpdate?.status.state)) break;
      }
    } catch (error) {
      // A task that has ended meanwhile has no stream any more.
      refused = error;
    }
  }
}
