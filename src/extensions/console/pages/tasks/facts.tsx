import type { ComponentChildren, JSX } from 'preact';
import type { TaskDetails, TaskSummary } from '../../../../gen/admin-v1/types.ts';
import { hrefOf } from '../../shell/route.ts';
import { Elapsed, TraceLink } from '../../tasks/marks.tsx';
import { count } from '../../ui/format.ts';
import { Bytes, Copy, type Fact, Facts, Json, Text, Time } from '../../ui/index.ts';

/** What is known about a task besides its content. */
export function TaskFacts({
  summary,
  details,
}: {
  readonly summary: TaskSummary;
  /** Absent for a task from a file. */
  readonly details?: TaskDetails | undefined;
}): JSX.Element {
  const { id, agent, principal, tenant, contextId, dialect, replica, createdAt, updatedAt } = summary;
  const { upstreamTaskId, upstreamContextId, pushConfigs = [], traceId, bytes } = details ?? {};
  const mono = (value: string | undefined) => value && <Text value={value} max={80} mono />;
  const plain = (value: string | undefined) => value && <Text value={value} max={120} />;
  const time = (value: string | undefined) => value && <Time at={value} />;
  /** A task from a file has no pages beside it. */
  const link = (page: string, name: string | undefined, text: ComponentChildren) =>
    details && name ? <a href={hrefOf(page, [name])}>{text}</a> : text;
  const facts: readonly Fact[] = [
    ['Id', [mono(id), <Copy key="copy" value={id} label="Copy the id" />]],
    ['Agent', link('agents', agent, plain(agent))],
    ['Caller', plain(principal)],
    ['Tenant', plain(tenant)],
    ['Context', link('context', contextId, mono(contextId))],
    ['Dialect', plain(dialect)],
    ['Replica', mono(replica)],
    ['Created', time(createdAt)],
    ['Changed', time(updatedAt)],
    ['Duration', createdAt && <Elapsed task={summary} />],
    ['Size', bytes !== undefined && <Bytes value={Number(bytes)} />],
    ['Upstream task', mono(upstreamTaskId)],
    ['Upstream context', mono(upstreamContextId)],
    ['Trace', traceId && <TraceLink traceId={traceId} />],
  ];
  return (
    <>
      <Facts kind="task-facts" facts={facts} />
      {pushConfigs.length > 0 && (
        <details class="push-configs">
          <summary>
            {count(pushConfigs.length)} push {pushConfigs.length === 1 ? 'configuration' : 'configurations'}
          </summary>
          <Json label="Push configurations" value={pushConfigs} depth={2} maxHeight="16rem" />
          <p>
            <a href={hrefOf('push', [], { task: id })}>Deliveries of this task</a>
          </p>
        </details>
      )}
    </>
  );
}
