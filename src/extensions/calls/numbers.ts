import type { AskReplicas } from '../../core/cluster/ask-replicas.ts';
import { timestamp } from '../../core/model/agent-events.ts';
import { A2AError } from '../../core/model/errors.ts';
import type {
  ListNumbersRequest,
  NumberGroup,
  NumberGrouping,
  Numbers as NumbersShown,
} from '../../gen/admin-v1/types.ts';
import type { AdminHandlers } from '../handlers.ts';
import { fault, pageSizeOf, timeOf } from '../requests.ts';
import { gapShown, readKept, storedSince } from './completeness.ts';
import type { Keeping } from './list.ts';
import { bounds, minuteMs, minuteOf, type NumberFilter, Numbers, others, type TimeRange } from './model.ts';
import type { NumberSum } from './store/numbers.ts';

const pageSizes = { fallback: 100, max: 500 } as const;
/** Largest numbers of values: of one line, and of all lines together. */
const most = { steps: 1_500, values: 50_000 } as const;
/** Most groups that are added up at once. Calls of further groups count in the total alone. */
const mostGroups = 20_000;
const hour = 3_600_000;

/** Answer of a replica that was asked to store its numbers. */
export interface NumbersAnswer {
  /** Random id of the replica's run. */
  readonly instance: string;
  /** Whether the replica stores its numbers. */
  readonly areStored: boolean;
}

export interface NumberHandlersDeps {
  /** Asks every replica to store its counts. */
  readonly ask: AskReplicas;
  /** Undefined: the store keeps no numbers. */
  readonly keeping: Keeping | undefined;
}

type By = 'agent' | 'principal' | 'dialect';

const groupings: Readonly<Record<NumberGrouping, By | undefined>> = {
  NUMBER_GROUPING_UNSPECIFIED: undefined,
  NUMBER_GROUPING_AGENT: 'agent',
  NUMBER_GROUPING_PRINCIPAL: 'principal',
  NUMBER_GROUPING_DIALECT: 'dialect',
};

/** A group with its numbers in the whole range of time and in each step. */
interface Group {
  readonly key: NumberFilter;
  readonly numbers: Numbers;
  readonly line: Numbers[];
}

interface Question {
  readonly filter: NumberFilter;
  readonly range: TimeRange;
  readonly by: readonly By[];
  /** Milliseconds. Undefined: there are no lines. */
  readonly step: number | undefined;
  readonly size: number;
}

/** The operation that adds up the numbers of minutes. */
export function numberHandlers({ ask, keeping }: NumberHandlersDeps): AdminHandlers<'ListNumbers'> {
  return {
    async ListNumbers(request) {
      if (!keeping)
        throw new A2AError(
          'unsupportedOperation',
          'This gateway keeps no numbers of calls: set calls to true in the configuration',
        );
      const now = keeping.now();
      const question = questionOf(request, now);
      const { answers, missing } = await ask<NumbersAnswer>('ListNumbers', {});
      const answered = new Set(answers.map(({ value }) => value.instance));
      const { keep } = keeping;
      const kept = await readKept(keeping.kept, { keep, now, answered, range: question.range });
      const { total, groups, more } = await addUp(keeping, question);
      const { filter, range } = question;
      const countedWithOthers = await keeping.kept.numbers.countedWithOthers(filter, range);
      const storeNothing = answers.filter(({ value }) => !value.areStored);
      return {
        value: {
          total: groupShown(total, question),
          groups: groups.map((group) => groupShown(group, question)),
          moreGroups: more,
          times: timesOf(question).map(timestamp),
          step: (question.step ?? 0) / 1_000,
          boundsMs: [...bounds],
          completeSince: timestamp(storedSince(kept)),
          keptSince: timestamp(kept.since),
          gaps: kept.gaps.map(gapShown),
          missingReplicas: [...missing, ...storeNothing.map(({ replica }) => replica)],
          countedWithOthers,
        },
      };
    },
  };
}

/** Reads the request. Throws `invalidParams`. */
function questionOf(request: ListNumbersRequest, now: number): Question {
  const { agent = '', principal = '', dialect = '', by = [], step: seconds = 0 } = request;
  const until = Math.ceil((timeOf('before', request.before) ?? now + 1) / minuteMs) * minuteMs;
  const from = minuteOf(timeOf('after', request.after) ?? until - hour);
  if (from >= until) throw fault('after', 'must be before the other end of the time');
  const step = seconds === 0 ? undefined : Math.ceil((seconds * 1_000) / minuteMs) * minuteMs;
  if (step !== undefined && (until - from) / step > most.steps) {
    throw fault('step', `must be longer: the time would have more than ${most.steps} steps`);
  }
  return {
    filter: { agent, principal, dialect },
    range: { from, until },
    by: [...new Set(by.flatMap((one) => groupings[one] ?? []))],
    step,
    size: pageSizeOf(request.pageSize, pageSizes),
  };
}

/** Returns the times at which the steps of the lines begin. */
function timesOf({ range: { from, until }, step }: Pick<Question, 'range' | 'step'>): number[] {
  const times: number[] = [];
  if (step !== undefined) for (let at = from; at < until; at += step) times.push(at);
  return times;
}

const keyText = ({ agent, principal, dialect }: NumberFilter): string => JSON.stringify([agent, principal, dialect]);

/** Adds up the numbers of all groups, then the lines of the largest. */
async function addUp({ kept: { numbers: stored } }: Keeping, question: Question) {
  const { filter, range, by, step, size } = question;
  const steps = timesOf(question).length;
  const total = newGroup({ agent: '', principal: '', dialect: '' }, steps);
  const groups = new Map<string, Group>();
  let uncounted = 0;
  for await (const sums of stored.sums(filter, range, by, undefined)) {
    for (const sum of sums) {
      total.numbers.addAll(sum.values);
      const group = by.length === 0 ? undefined : groupOf(groups, sum);
      if (group) group.numbers.addAll(sum.values);
      else if (by.length > 0) uncounted += 1;
    }
  }
  const ordered = [...groups.values()].sort(largestFirst);
  const shown = ordered.slice(0, size).map(({ key, numbers }) => ({ ...newGroup(key, steps), numbers }));
  if (step !== undefined) {
    if ((shown.length + 1) * steps > most.values) throw fault('step', 'must be longer, or pageSize smaller');
    await addLines(stored.sums(filter, range, by, step), total, shown);
  }
  return { total, groups: shown, more: ordered.length - shown.length + uncounted };
}

/** Adds the numbers of each step to the lines of the total and of the groups that are shown. */
async function addLines(sums: AsyncIterable<readonly NumberSum[]>, total: Group, shown: readonly Group[]) {
  const byKey = new Map(shown.map((group) => [keyText(group.key), group]));
  for await (const page of sums) {
    for (const sum of page) {
      total.line[sum.step]?.addAll(sum.values);
      byKey.get(keyText(sum))?.line[sum.step]?.addAll(sum.values);
    }
  }
}

const newGroup = (key: NumberFilter, steps: number): Group => ({
  key,
  numbers: new Numbers(),
  line: Array.from({ length: steps }, () => new Numbers()),
});

/** Returns the group of a sum. Undefined: there are too many groups. */
function groupOf(groups: Map<string, Group>, { agent, principal, dialect }: NumberSum): Group | undefined {
  const key = { agent, principal, dialect };
  const text = keyText(key);
  const known = groups.get(text);
  if (known || groups.size >= mostGroups) return known;
  const group = newGroup(key, 0);
  groups.set(text, group);
  return group;
}

const sizeOf = ({ numbers }: Group): number => numbers.count('calls') + numbers.count('refused');

/** Compares groups: the group with the most calls comes first, the remainder last. */
function largestFirst(one: Group, other: Group): number {
  const areOthers = Number(one.key.principal === others) - Number(other.key.principal === others);
  return areOthers || sizeOf(other) - sizeOf(one) || (keyText(one.key) < keyText(other.key) ? -1 : 1);
}

const groupShown = ({ key, numbers, line }: Group, { by }: Question): NumberGroup => ({
  ...Object.fromEntries(by.map((name) => [name, key[name]])),
  numbers: { ...numbersShown(numbers), buckets: numbers.count('calls') === 0 ? [] : numbers.buckets },
  line: line.map(numbersShown),
});

function numbersShown(numbers: Numbers): NumbersShown {
  const shown: NumbersShown = {
    calls: numbers.count('calls'),
    failed: numbers.count('failed'),
    refused: numbers.count('refused'),
    tasksEnded: numbers.count('tasksEnded'),
    tasksFailed: numbers.count('tasksFailed'),
  };
  for (const [name, share] of [
    ['p50Ms', 0.5],
    ['p90Ms', 0.9],
    ['p99Ms', 0.99],
  ] as const) {
    const ms = numbers.quantile(share);
    if (ms !== undefined) shown[name] = Math.round(ms * 10) / 10;
  }
  return shown;
}
