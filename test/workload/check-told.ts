import { isResting, stateOf } from '../../src/core/model/lifecycle.ts';
import { canonicalEvent, canonicalMessage, canonicalTask } from './canonical.ts';
import type { Violation } from './check-logs.ts';
import { foldings } from './folding.ts';
import type { Answer, Ledger, Said } from './ledger.ts';
import { type Logs, markersOf, type StoredLog, told } from './logs.ts';

/** Every answer shows a task as its log had it at some time; and a key has the same answer each time. */
export function checkTold({ said }: Ledger, logs: Logs, histories = new Histories()): Violation[] {
  return said.flatMap((one) => {
    const name = `${one.marker} (${one.text}, to ${one.agent}, ${one.manner})`;
    const task = logs.byId.get(one.taskId ?? '');
    const contradicted = one.answers.flatMap((answer) => contradiction(answer, task, histories) ?? []);
    const found = [...new Set(contradicted), ...(one.keyed ? differences(one, task, histories) : [])];
    return found.map((what) => ({ what: `${name}: ${what}`, task }));
  });
}

/** States of each task at each position of its log. */
export class Histories {
  readonly #all = new Map<string, string[]>();

  of({ key, log }: StoredLog): readonly string[] {
    let history = this.#all.get(key);
    if (!history) {
      history = Array.from(foldings(log.map(({ event }) => event)), canonicalTask);
      this.#all.set(key, history);
    }
    return history;
  }
}

function contradiction(answer: Answer, stored: StoredLog | undefined, histories: Histories): string | undefined {
  const { task, events } = answer;
  if (!task && !events?.[0]?.event.task) return undefined;
  if (!stored) return 'it was answered with a task that is in no log';
  if (task) {
    if (histories.of(stored).includes(canonicalTask(task))) return undefined;
    return `the answer shows the task as its log never had it: ${JSON.stringify(task)}`;
  }
  const expected = stored.log.filter(told);
  for (const [i, { seq, event }] of (events ?? []).entries()) {
    const entry = expected[i];
    if (entry?.seq !== seq) return `its stream shows ${seq} where ${entry?.seq ?? 'nothing'} comes`;
    if (canonicalEvent(entry.event) !== canonicalEvent(event)) return `its stream shows something else at ${seq}`;
  }
  const last = events?.at(-1);
  const state = last && stateOf(last.event);
  return answer.whole && !(state && isResting(state)) ? 'its stream ended before the turn did' : undefined;
}

function differences(said: Said, stored: StoredLog | undefined, histories: Histories): string[] {
  const { answers, manner } = said;
  const tasks = answers.flatMap(({ task, events }) => task ?? events?.[0]?.event.task ?? []);
  const messages = answers.flatMap(({ message, events }) => message ?? events?.[0]?.event.message ?? []);
  const found: string[] = [];
  if (tasks.length > 0 && messages.length > 0) found.push('its key was answered with a task and with a message');
  const ids = new Set(tasks.map(({ id }) => id));
  if (ids.size > 1) found.push(`its key was answered with the tasks ${[...ids].join(', ')}`);
  if (new Set(messages.map(canonicalMessage)).size > 1) found.push('its key was answered with different messages');
  const shown = manner === 'waits' ? new Set(tasks.map(canonicalTask)) : new Set<string>();
  // A turn may come to rest twice, before anybody goes on with the task.
  const rests = stored ? restsOf(said, stored).map((seq) => histories.of(stored)[seq - 1]) : [];
  if (shown.size > 1 && [...shown].some((one) => !rests.includes(one)))
    found.push(`its key was answered differently: ${[...shown].join(' and ')}`);
  return found;
}

/** Positions where the turn that a message began came to rest. */
function restsOf({ marker }: Said, stored: StoredLog): number[] {
  const began = markersOf(stored).find(([one]) => one === marker)?.[1] ?? 1;
  const next = stored.log.find(({ seq, event }) => seq > began && event.message)?.seq ?? Infinity;
  const rested = stored.log.filter(({ seq, event }) => {
    const state = stateOf(event);
    // The event that opens a task may bring it to rest.
    return seq >= began && seq < next && state !== undefined && isResting(state);
  });
  return rested.map(({ seq }) => seq);
}
