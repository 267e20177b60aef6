import type { JSX } from 'preact';
import { admin, type ListNumbersResponse, type NumberGroup, type Numbers } from '../gateway/admin.ts';
import { type Read, useRead } from '../gateway/hooks.ts';
import { settings } from '../gateway/settings.ts';
import { hrefOf } from '../shell/router.ts';
import { clock, count, duration } from '../ui/format.ts';
import type { Column } from '../ui/index.ts';
import { Complete } from './complete.tsx';
import { Drawing } from './drawing.tsx';

/** A number about the calls and tasks of an agent or a caller, and its line over the same time. */
interface Figure {
  readonly title: string;
  readonly value: (numbers: Numbers) => number | undefined;
  /** Returns the total of which the value is a part. Absent: the value is a time. */
  readonly all?: (numbers: Numbers) => number | undefined;
  /** Returns the link to what the number counts. `of`: filters by the agent or the caller, and by the time. */
  readonly href: (of: Readonly<Record<string, string>>) => string;
}

const figures: readonly Figure[] = [
  {
    title: 'Failed tasks',
    value: ({ tasksFailed }) => tasksFailed,
    all: ({ tasksEnded }) => tasksEnded,
    href: (of) => hrefOf('tasks', [], { ...of, state: 'failed,rejected' }),
  },
  {
    title: 'Failed calls',
    value: ({ failed }) => failed,
    all: ({ calls }) => calls,
    href: (of) => hrefOf('calls', [], { ...of, outcome: 'failed' }),
  },
  {
    title: 'Refused',
    value: ({ refused }) => refused,
    all: ({ calls = 0, refused = 0 }) => calls + refused,
    href: (of) => hrefOf('calls', [], { ...of, outcome: 'refused' }),
  },
  {
    title: 'Latency p99',
    value: ({ p99Ms }) => p99Ms,
    href: (of) => hrefOf('calls', [], { ...of, sort: '-Duration' }),
  },
];

const subjects = { agent: 'NUMBER_GROUPING_AGENT', principal: 'NUMBER_GROUPING_PRINCIPAL' } as const;

export type Subject = keyof typeof subjects;

const minute = 60_000;

/**
 * Reads the numbers of the last minutes, in lines of 60 steps: of each agent or caller, or of one. Empty: none are kept.
 *
 * @param name of the only agent or caller. Absent: all
 */
export function useNumbers(by: Subject, minutes: number, name?: string): Read<ListNumbersResponse> {
  return useRead(
    async (signal) => {
      if (settings.value?.keepsCalls === false) return {};
      const after = new Date(Math.floor(Date.now() / minute) * minute - (minutes - 1) * minute).toISOString();
      const request = { by: [subjects[by]], after, step: minutes, pageSize: 500, ...(name && { [by]: name }) };
      return admin.call('ListNumbers', request, { signal });
    },
    { every: 10_000, key: `${by} ${minutes} ${name ?? ''}` },
  );
}

const shareOf = (part = 0, all = 0): number => (all > 0 ? part / all : 0);

/** Returns the part of calls or of tasks that failed, whichever is greater: from 0 to 1. */
export const failingShare = ({ calls, failed, tasksEnded, tasksFailed }: Numbers = {}): number =>
  Math.max(shareOf(failed, calls), shareOf(tasksFailed, tasksEnded));

/** Returns the time of some numbers as the filters of a list. */
function timesOf({ times = [], step = 0 }: ListNumbersResponse): Readonly<Record<string, string>> {
  const [after] = times;
  const last = Date.parse(times.at(-1) ?? '');
  if (after === undefined || Number.isNaN(last)) return {};
  return { after, before: new Date(last + step * 1_000).toISOString() };
}

/** Whether numbers are of one agent or caller: not of requests without a valid credential, and not of the callers beyond those counted. */
export const isNamed = (name: string): boolean => name !== '' && name !== '(others)';

/** Returns the figures of agents or callers: each number leads to what it counts, and all lines have the same axes. */
export function figuresOf(by: Subject, answer: ListNumbersResponse | undefined) {
  const groups = new Map(answer?.groups?.map((group) => [group[by] ?? '', group]));
  const lines = [...groups.values()].flatMap(({ line = [] }) => line);
  return figures.map(({ title, value, all, href }) => {
    const top = all ? 1 : Math.max(1, ...lines.map((numbers) => value(numbers) ?? 0));
    const pointOf = (numbers: Numbers): number | null =>
      !all ? (value(numbers) ?? null) : all(numbers) ? shareOf(value(numbers), all(numbers)) : null;
    return {
      title,
      /** Value for the order of a list: the share of failures, then their number. */
      value(name: string): number {
        const { numbers = {} } = groups.get(name) ?? {};
        return all ? shareOf(value(numbers), all(numbers)) * 1e9 + (value(numbers) ?? 0) : (value(numbers) ?? -1);
      },
      cell(name: string): JSX.Element {
        const { numbers = {}, line = [] }: NumberGroup = groups.get(name) ?? {};
        const number = value(numbers);
        const total = all?.(numbers);
        const kind = all && number ? 'bad' : 'muted';
        const known = all ? total && `${count(number ?? 0)} of ${count(total)}` : number && duration(number);
        const content = (
          <>
            <span class={kind}>{known || '–'}</span>
            {line.length > 0 && <Drawing lines={[{ values: line.map(pointOf) }]} top={top} class={`spark ${kind}`} />}
          </>
        );
        // Callers without a name are no filter of a list.
        if (!answer?.completeSince || !isNamed(name)) return <span class="figure">{content}</span>;
        return (
          <a href={href({ [by]: name, ...timesOf(answer) })} class="figure">
            {content}
          </a>
        );
      },
    };
  });
}

/** Returns the figures as columns of a table of agents or callers. */
export const figureColumns = <Row,>(
  by: Subject,
  answer: ListNumbersResponse | undefined,
  nameOf: (row: Row) => string,
): Column<Row>[] =>
  figuresOf(by, answer).map(({ title, value, cell }) => ({
    title,
    sort: (row) => value(nameOf(row)),
    cell: (row) => cell(nameOf(row)),
    width: 'minmax(8.5rem, 1fr)',
  }));

/** The time of numbers, the axes of their lines, and since when they are complete. */
export function NumbersLine({ of }: { readonly of: ListNumbersResponse }): JSX.Element {
  const { times = [], step = 0, groups = [], moreGroups = 0, countedWithOthers = 0 } = of;
  const first = Date.parse(times[0] ?? '');
  const end = Date.parse(times.at(-1) ?? '') + step * 1_000;
  const slowest = Math.max(0, ...groups.flatMap(({ line = [] }) => line.map(({ p99Ms = 0 }) => p99Ms)));
  if (!of.completeSince) return <p class="muted">No numbers are kept: the configuration says calls: false.</p>;
  return (
    <p class="muted">
      {Number.isNaN(first) ? '' : `The numbers cover ${duration(end - first)} until ${clock(end, 'minutes')}. `}
      Each line has the same time and reaches up to 100 % or {duration(slowest)}. <Complete of={of} from={times[0]} />
      {moreGroups > 0 && ` ${count(moreGroups)} further ones are not listed.`}
      {countedWithOthers > 0 &&
        ` ${count(countedWithOthers)} more calls and refusals are counted with (others), and may be among these.`}
    </p>
  );
}
