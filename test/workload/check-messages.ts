import { isTerminal } from '../../src/core/model/lifecycle.ts';
import { isWireAgent } from './agents/speeches.ts';
import type { Violation } from './check-logs.ts';
import { type Ledger, misused, type Said } from './ledger.ts';
import { type Logs, markersOf, type StoredLog } from './logs.ts';

/** Whether an agent is behind the gateways, where a message may fail to reach it. */
const isUpstream = (agent: string): boolean => agent === 'far' || agent === 'sdk' || isWireAgent(agent);

/**
 * A gateway died, and its task failed, before the next message came, or before its turn came; or the agent takes none while it works.
 */
const excused = (refusal: string): boolean =>
  /^unsupportedOperation: The (task is over|task ended before|agent works on the task)/.test(refusal) ||
  // A guard may block a message.
  refusal.startsWith('permissionDenied: ');

/** Every acknowledged message is in the log of exactly one task, once; no other is in more than one. */
export function checkMessages({ said, canceled, refused }: Ledger, logs: Logs): Violation[] {
  const found: Violation[] = refused.map(({ what, error }) => ({ what: `${what}: ${error.kind}: ${error.message}` }));
  const places = placesOf(logs);
  for (const task of places.get(misused) ?? []) found.push({ what: 'a refused request is in its log', task });
  for (const message of said) found.push(...faults(message, places.get(message.marker) ?? [], logs));
  for (const { taskId } of canceled) {
    const task = logs.byId.get(taskId);
    if (task?.state !== 'TASK_STATE_CANCELED') {
      found.push({ what: `the task ${taskId} was said to be canceled, and is ${task?.state ?? 'not there'}`, task });
    }
  }
  return found;
}

/** In which logs a marker is, as often as it is there. */
function placesOf({ tasks }: Logs): Map<string, StoredLog[]> {
  const places = new Map<string, StoredLog[]>();
  for (const task of tasks) {
    for (const [marker] of markersOf(task)) places.set(marker, [...(places.get(marker) ?? []), task]);
  }
  return places;
}

function faults(said: Said, places: StoredLog[], logs: Logs): Violation[] {
  const { marker, text, agent, taskId, continues, refusal, shown, ended } = said;
  const found: Violation[] = [];
  const name = `${marker} (${text}, to ${agent})`;
  const [place] = places;
  if (places.length > 1 && !wasReturned(marker, places))
    found.push({ what: `${name} is ${places.length} times in the logs`, task: place });
  if (ended === undefined && refusal === undefined) found.push({ what: `${name} was never answered`, task: place });
  // Without a key it is sent once: what a gateway could not do just then is no fault of it.
  if (refusal !== undefined && !excused(refusal) && !(said.gaveUp && !said.keyed)) {
    found.push({ what: `${name} was refused: ${refusal}`, task: place ?? logs.byId.get(continues ?? '') });
  }
  if (taskId === undefined) return found;
  const task = logs.byId.get(taskId);
  if (!task) found.push({ what: `${name} was acknowledged with the task ${taskId}, which is not there` });
  else if (place === undefined) found.push({ what: `${name} was acknowledged, and is in no log`, task });
  else if (place !== task) found.push({ what: `${name} was acknowledged with another task than it is in`, task });
  else if (continues !== undefined && continues !== taskId) found.push({ what: `${name} went elsewhere`, task });
  else if (shown && isTerminal(shown) && task.state !== shown) found.push({ what: `${name} was told ${shown}`, task });
  return found;
}

/**
 * Whether the upstream agent is known to have never received the message at first: the task waits for its client as
 * before, the key is free, and the client has sent the message again.
 */
function wasReturned(marker: string, [task, ...others]: readonly StoredLog[]): boolean {
  if (!task || !isUpstream(task.agent) || others.some((other) => other !== task)) return false;
  const positions = markersOf(task).flatMap(([found, seq]) => (found === marker ? [seq] : []));
  return positions.slice(0, -1).every((seq) => {
    const next = task.log.find((entry) => entry.seq === seq + 1)?.event.statusUpdate;
    return next?.status.state === 'TASK_STATE_INPUT_REQUIRED';
  });
}

/** Tasks that go on until they are canceled, and whose clients do not know of them: they may. */
export function adrift({ said }: Ledger, { tasks }: Logs): ReadonlySet<string> {
  const unknown = new Map(said.map(({ marker, text, refusal }) => [marker, text === 'wait' && refusal !== undefined]));
  return new Set(tasks.filter((task) => markersOf(task).some(([marker]) => unknown.get(marker))).map(({ id }) => id));
}
