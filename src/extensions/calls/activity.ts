import type { AskReplicas } from '../../core/cluster/ask-replicas.ts';
import { isOutage } from '../../core/model/stored-form.ts';
import type { AgentActivity } from '../../gen/admin-v1/types.ts';
import type { ActivitySubject, KeptActivity } from '../handlers.ts';
import { readKept, storedSince } from './completeness.ts';
import type { Keeping } from './list.ts';
import { minuteOf, Numbers, others } from './model.ts';

/** Sources for the numbers of calls in answers of other operations. */

export interface ActivityDeps {
  /** Asks every replica to store its counts. */
  readonly ask: AskReplicas;
  readonly keeping: Keeping;
}

/** Returns the activity of agents or callers since a time: milliseconds since the epoch. Undefined: the store is unavailable. */
export async function activityOf(
  { ask, keeping }: ActivityDeps,
  time: number,
  by: ActivitySubject,
): Promise<KeptActivity | undefined> {
  const { kept, keep } = keeping;
  const found = new Map<string, Numbers>();
  const range = { from: minuteOf(time), until: Number.POSITIVE_INFINITY };
  try {
    const now = keeping.now();
    const { answers, missing } = await ask<{ readonly instance: string }>('ListNumbers', {});
    const answered = new Set(answers.map(({ value }) => value.instance));
    const known = await readKept(kept, { keep, now, answered, range });
    for await (const sums of kept.numbers.sums({ agent: '', principal: '', dialect: '' }, range, [by], undefined)) {
      for (const { [by]: name, values } of sums) {
        const numbers = found.get(name) ?? new Numbers();
        found.set(name, numbers);
        numbers.addAll(values);
      }
    }
    // They are no caller, and the calls of no agent.
    for (const name of ['', others]) found.delete(name);
    const byName = new Map(Array.from(found, ([name, numbers]) => [name, activityShown(numbers)]));
    return { byName, since: Math.max(range.from, known.since), completeSince: storedSince(known), missing };
  } catch (thrown) {
    // Operators look at agents and callers in an outage, too.
    if (!isOutage(thrown)) throw thrown;
    return undefined;
  }
}

function activityShown(numbers: Numbers): AgentActivity {
  const p95 = numbers.quantile(0.95);
  return {
    calls: numbers.count('calls'),
    failedCalls: numbers.count('failed'),
    tasksEnded: numbers.count('tasksEnded'),
    tasksFailed: numbers.count('tasksFailed'),
    ...(p95 !== undefined && { latencyP95Ms: Math.round(p95 * 10) / 10 }),
  };
}

/**
 * Returns the time at which a replica last ended: milliseconds since the epoch. Undefined: none has ended, or the store is
 * unavailable.
 */
export async function lastEndOf({ kept }: Keeping): Promise<number | undefined> {
  try {
    const ends = (await kept.instances()).flatMap(({ endedAt }) => endedAt ?? []);
    return ends.length === 0 ? undefined : Math.max(...ends);
  } catch (thrown) {
    if (!isOutage(thrown)) throw thrown;
    return undefined;
  }
}
