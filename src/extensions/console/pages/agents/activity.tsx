import type { JSX } from 'preact';
import type { AgentStatus } from '../../gateway/admin.ts';
import { type Read, useRead } from '../../gateway/hooks.ts';
import type { Series } from '../../metrics/charts.ts';
import { Drawing } from '../../metrics/drawing.tsx';
import { linesOf, type Metrics } from '../../metrics/lines.ts';
import { readMetrics } from '../../metrics/read.ts';
import { hrefOf } from '../../shell/router.ts';
import { count, duration } from '../../ui/format.ts';

type Activity = NonNullable<AgentStatus['lastHour']>;

/** A figure of an agent's activity in the last hour. */
interface Figure {
  readonly title: string;
  /** The series of the figure over the hour. */
  readonly series: Series;
  readonly value: (activity: Activity) => number | undefined;
  /** Returns the total of which the value is the failed part. Absent: the value is a time. */
  readonly all?: (activity: Activity) => number | undefined;
  /** Returns the link of the number. */
  readonly href: (agent: string) => string;
}

const figures: readonly Figure[] = [
  {
    title: 'Failed tasks',
    series: { metric: 'a2a_gateway_tasks_ended_total', by: 'agent', where: { state: /^(failed|rejected)$/ } },
    value: ({ tasksFailed = 0 }) => tasksFailed,
    all: ({ tasksEnded }) => tasksEnded,
    href: (agent) => hrefOf('tasks', [], { agent, state: 'failed,rejected', after: '1h' }),
  },
  {
    title: 'Failed calls',
    series: { metric: 'a2a_gateway_requests_total', by: 'agent', where: { result: /^(?!ok$)/ } },
    value: ({ failedCalls = 0 }) => failedCalls,
    all: ({ calls }) => calls,
    href: (agent) => hrefOf('calls', [], { agent, failed: 'true', after: '1h' }),
  },
  {
    title: '95 %',
    series: { metric: 'a2a_gateway_request_duration_seconds', by: 'agent', where: { quantile: '0.95' } },
    value: ({ latencyP95Ms }) => latencyP95Ms,
    href: (agent) => hrefOf('metrics', [], { agent }),
  },
];

/** Reads the minutes of the last hour: of the figures, and of other metrics. */
export const useLastHour = (agent = '', others: readonly string[] = []): Read<Metrics> =>
  useRead(
    (signal) => {
      const names = [...new Set([...figures.map(({ series }) => series.metric), ...others])];
      return readMetrics({ names, agent, from: Date.now() - 3_600_000, steps: 60 }, signal);
    },
    { every: 20_000, key: agent },
  );

/** Returns the figures of agents: each links to its calls or tasks, with a line of the last hour next to it. */
export const figuresOf = (metrics: Metrics | undefined) =>
  figures.map(({ title, series, value, all, href }) => {
    const lines = new Map(metrics && linesOf({ lines: [series] }, metrics).map((line) => [line.label, line]));
    return {
      title,
      value: ({ lastHour = {} }: AgentStatus) => value(lastHour) ?? -1,
      cell({ name, lastHour = {} }: AgentStatus): JSX.Element {
        const number = value(lastHour);
        const total = all?.(lastHour);
        const line = lines.get(name);
        const bad = all && number ? 'bad' : 'muted';
        const known = all ? total && `${count(number ?? 0)} of ${count(total)}` : number && duration(number);
        return (
          <a href={href(name)} class="trouble">
            <span class={bad}>{known || '–'}</span>
            {line && <Drawing lines={[line]} class={`spark ${bad}`} />}
          </a>
        );
      },
    };
  });
