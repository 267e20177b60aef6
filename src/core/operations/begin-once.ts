import type { Message } from '../model/a2a.ts';
import type { CallKey } from '../model/call.ts';
import { A2AError } from '../model/errors.ts';
import { isConflict, isKeyTaken } from '../model/log-conflict.ts';
import type { KnownCall } from '../ports/task-store.ts';
import { readCallAnswer } from '../tasks/call-answer.ts';
import { requireSameRequest, underWay } from '../tasks/call-key.ts';
import { taskAt } from '../tasks/replay.ts';
import { beginTurn, isGone } from './begin-turn.ts';
import type { Begun, How, Sending } from './sending.ts';

/** Times that a key is looked for while others take it and free it. */
const attempts = 5;

/** Begins the turn of a call with an idempotency key, or finds the one that the first call with this key began. */
export function beginOnce(sending: Sending, call: CallKey, how: Required<How>): Promise<Begun> {
  const { request, owner, deps, tasks } = sending;
  const { store } = deps;
  // Of two calls in this gateway, the second finds what the first has written. Elsewhere, the store refuses the later.
  const name = JSON.stringify(['key', owner.agent, owner.tenant, owner.principal, call.key]);
  return tasks.alone(name, async () => {
    for (let attempt = 1; ; attempt += 1) {
      const known = await store.findCall(owner, call.key);
      try {
        const begun = known && (await begunBefore(sending, known, call, how));
        if (begun) return begun;
        // The task was taken back a moment ago, or has expired.
        if (known && attempt === attempts) throw A2AError.taskNotFound(known.turn?.key ?? '');
        if (!known) return await beginTurn(sending, request.message.taskId, how);
      } catch (thrown) {
        // Another gateway may have begun the same call in the moment since the key was looked for.
        const isTaken = isKeyTaken(thrown) || (isConflict(thrown) && (await store.findCall(owner, call.key)));
        if (!isTaken && !(known && isGone(thrown) && attempt < attempts)) throw thrown;
        if (attempt === attempts) throw underWay();
      }
    }
  });
}

/** What the first call with the key began, from the log; undefined when its task is not there. */
async function begunBefore(
  { request, deps, tasks }: Sending,
  known: KnownCall,
  call: CallKey,
  { leads }: Required<How>,
): Promise<Begun | undefined> {
  requireSameRequest(known, call);
  if (known.answer !== undefined) return readCallAnswer<{ message: Message }>(known.answer);
  // Of a gateway of an earlier version, which stores a call before its task.
  if (!known.turn) throw underWay();
  const { key, seq: after } = known.turn;
  const shows = leads || request.configuration?.returnImmediately === true;
  const live = await tasks.findByKey(key);
  if (!live) return undefined;
  return live.hold(async () => {
    await live.upToDate();
    // Its gateway may yet answer the first call without a task: not when another caller has been shown it.
    if (shows && live.committed <= 1 && !(await deps.store.pin(key))) {
      live.gone();
      return undefined;
    }
    const continued = leads && after > 0 ? await taskAt(deps.store, key, after + 1) : undefined;
    live.keep();
    return { live, after, known: true, ...(continued && { continued }) };
  });
}
