import type { Message } from '../model/a2a.ts';
import { A2AError } from '../model/errors.ts';
import type { CallKey } from '../model/ids.ts';
import { isConflict, isKeyTaken } from '../ports/store-errors.ts';
import type { KnownCall } from '../ports/task-store.ts';
import { firstCallRunning, readCallAnswer, requireSameRequest } from '../tasks/idempotency-key.ts';
import { taskAt } from '../tasks/replay.ts';
import type { SendInput, StartedTurn, TurnOptions } from './sending.ts';
import { isTaskNotFound, startTurn } from './start-turn.ts';

/** Times that a key is looked for while others take it and free it. */
const attempts = 5;

/** Begins the turn of a call with an idempotency key, or finds the one that the first call with this key began. */
export function startTurnOnce(sending: SendInput, call: CallKey, how: Required<TurnOptions>): Promise<StartedTurn> {
  const { request, owner, deps, tasks } = sending;
  const { store } = deps;
  // Of two calls in this gateway, the second finds what the first has written. Elsewhere, the store refuses the later.
  const name = JSON.stringify(['key', owner.agent, owner.tenant, owner.principal, call.key]);
  return tasks.withLock(name, async () => {
    for (let attempt = 1; ; attempt += 1) {
      const known = await store.findCall(owner, call.key);
      try {
        const begun = known && (await findStartedTurn(sending, known, call, how));
        if (begun) return begun;
        // The task was taken back a moment ago, or has expired.
        if (known && attempt === attempts) throw A2AError.taskNotFound(known.turn?.key ?? '');
        if (!known) return await startTurn(sending, request.message.taskId, how);
      } catch (thrown) {
        // Another gateway may have begun the same call in the moment since the key was looked for.
        const isTaken = isKeyTaken(thrown) || (isConflict(thrown) && (await store.findCall(owner, call.key)));
        if (!isTaken && !(known && isTaskNotFound(thrown) && attempt < attempts)) throw thrown;
        if (attempt === attempts) throw firstCallRunning();
      }
    }
  });
}

/** What the first call with the key began, from the log; undefined when its task is not there. */
async function findStartedTurn(
  { request, deps, tasks }: SendInput,
  known: KnownCall,
  call: CallKey,
  { needsLeadingTask }: Required<TurnOptions>,
): Promise<StartedTurn | undefined> {
  requireSameRequest(known, call);
  if (known.answer !== undefined) return readCallAnswer<{ message: Message }>(known.answer);
  // Of a gateway of an earlier version, which stores a call before its task.
  if (!known.turn) throw firstCallRunning();
  const { key, seq: after } = known.turn;
  const shows = needsLeadingTask || request.configuration?.returnImmediately === true;
  const live = await tasks.findByKey(key);
  if (!live) return undefined;
  return live.retainWhile(async () => {
    await live.catchUp();
    // Its gateway may yet answer the first call without a task: not when another caller has been shown it.
    if (shows && live.log.committed <= 1 && !(await deps.store.pin(key))) {
      live.markDeleted();
      return undefined;
    }
    const leadingTask = needsLeadingTask && after > 0 ? await taskAt(deps.store, key, after + 1) : undefined;
    live.retain();
    return { live, after, known: true, ...(leadingTask && { leadingTask }) };
  });
}
