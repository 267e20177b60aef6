import type { ComponentChildren, JSX } from 'preact';
import type { TaskDetails, TaskSummary } from '../../../../gen/admin-v1/types.ts';
import { hrefOf } from '../../shell/route.ts';
import { Elapsed } from '../../tasks/elapsed.tsx';
import { TraceLink } from '../../tasks/trace-link.tsx';
import { Bytes, Time } from '../../ui/basic.tsx';
import { Copy } from '../../ui/code.tsx';
import { count } from '../../ui/format.ts';
import { Json } from '../../ui/json.tsx';
import { Text } from '../../ui/text.tsx';

/** What is known about a task besides its content. */
export function Facts({
  summary,
  details,
}: {
  readonly summary: TaskSummary;
  /** Absent for a task from a file. */
  readonly details?: TaskDetails | undefined;
}): JSX.Element {
  const { id, agent, principal, tenant, contextId, dialect, replica, createdAt, updatedAt } = summary;
  const { upstreamTaskId, upstreamContextId, pushConfigs = [], traceId, bytes } = details ?? {};
  const isLive = details !== undefined;
  return (
    <>
      <dl class="task-facts">
        <Fact name="Id">
          <Text value={id} max={100} mono />
          <Copy value={id} label="Copy the id" />
        </Fact>
        <Fact name="Agent">
          {isLive ? (
            <a href={hrefOf('agents', [agent])}>
              <Text value={agent} max={80} />
            </a>
          ) : (
            <Text value={agent} max={80} />
          )}
        </Fact>
        <Fact name="Caller">{principal && <Text value={principal} max={120} />}</Fact>
        <Fact name="Tenant">{tenant && <Text value={tenant} max={80} />}</Fact>
        <Fact name="Context">
          {contextId &&
            (isLive ? (
              <a href={hrefOf('context', [contextId])}>
                <Text value={contextId} max={80} mono />
              </a>
            ) : (
              <Text value={contextId} max={80} mono />
            ))}
        </Fact>
        <Fact name="Dialect">{dialect && <Text value={dialect} max={40} />}</Fact>
        <Fact name="Replica">{replica && <Text value={replica} max={60} mono />}</Fact>
        <Fact name="Created">{createdAt && <Time at={createdAt} />}</Fact>
        <Fact name="Changed">{updatedAt && <Time at={updatedAt} />}</Fact>
        <Fact name="Duration">{createdAt && <Elapsed task={summary} />}</Fact>
        <Fact name="Size">{bytes !== undefined && <Bytes value={Number(bytes)} />}</Fact>
        <Fact name="Upstream task">{upstreamTaskId && <Text value={upstreamTaskId} max={80} mono />}</Fact>
        <Fact name="Upstream context">{upstreamContextId && <Text value={upstreamContextId} max={80} mono />}</Fact>
        <Fact name="Trace">{traceId && <TraceLink traceId={traceId} />}</Fact>
      </dl>
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

function Fact({
  name,
  children,
}: {
  readonly name: string;
  readonly children?: ComponentChildren;
}): JSX.Element | null {
  if (!children) return null;
  return (
    <div class="fact">
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}
