import type { Message } from '../model/a2a.ts';
import { A2AError } from '../model/errors.ts';
import type { CallKey } from '../model/ids.ts';
import { isConflict, isKeyTaken } from '../ports/store-errors.ts';
import type { KnownCall } from '../ports/task-store.ts';
import { firstCallRunning, readCallAnswer, requireSameRequest } from '../tasks/idempotency-key.ts';
import { taskAt } from '../tasks/replay.ts';
import { isStreaming, isTaskNotFound, type SendInput, type StartedTurn, startTurn } from './start-turn.ts';

/** Times that a key is looked up while other replicas take and release it. */
const maxAttempts = 5;

/** Begins the turn of a call with an idempotency key, or finds the turn that the first call with this key began. */
export function startTurnOnce(input: SendInput, call: CallKey): Promise<StartedTurn> {
  const { owner, deps, tasks } = input;
  const { store } = deps;
  // Of two calls in this replica, the second finds what the first has written. The store refuses those of other replicas.
  const name = JSON.stringify(['key', owner.agent, owner.tenant, owner.principal, call.key]);
  return tasks.withLock(name, async () => {
    for (let attempt = 1; ; attempt += 1) {
      const known = await store.findCall(owner, call.key);
      try {
        const started = known && (await findStartedTurn(input, known, call));
        if (started) return started;
        // The task was retracted a moment ago, or has expired.
        if (known && attempt === maxAttempts) throw A2AError.taskNotFound(known.turn?.key ?? '');
        if (!known) return await startTurn(input);
      } catch (thrown) {
        // Another replica may have begun the same call after the key was looked up.
        const isTaken = isKeyTaken(thrown) || (isConflict(thrown) && (await store.findCall(owner, call.key)));
        if (!isTaken && !(known && isTaskNotFound(thrown) && attempt < maxAttempts)) throw thrown;
        if (attempt === maxAttempts) throw firstCallRunning();
      }
    }
  });
}

/** The turn of the first call with the key, from the log; undefined when its task does not exist. */
async function findStartedTurn(input: SendInput, known: KnownCall, call: CallKey): Promise<StartedTurn | undefined> {
  const { request, deps, tasks } = input;
  requireSameRequest(known, call);
  if (known.answer !== undefined) return readCallAnswer<{ message: Message }>(known.answer);
  // Written by a replica of an earlier version, which stores a call before its task.
  if (!known.turn) throw firstCallRunning();
  const { key, seq: after } = known.turn;
  const live = await tasks.findByKey(key);
  if (!live) return undefined;
  return live.retainWhile(async () => {
    await live.catchUp();
    // The owner may still answer the first call without a task, unless the task is pinned since this caller gets to see it.
    const showsTask = isStreaming(input) || request.configuration?.returnImmediately === true;
    if (showsTask && live.log.committed <= 1 && !(await deps.store.pin(key))) {
      live.markDeleted();
      return undefined;
    }
    const leadingTask = isStreaming(input) && after > 0 ? await taskAt(deps.store, key, after + 1) : undefined;
    live.retain();
    return { live, after, isRepeated: true, ...(leadingTask && { leadingTask }) };
  });
}
