import { effect, useSignal } from '@preact/signals';
import type { ComponentChildren, JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import type { StreamResponse } from '../../../../core/model/a2a.ts';
import type { TaskDetails, TaskSummary } from '../../../../gen/admin-v1/types.ts';
import { reconnections } from '../../shell/connection.ts';
import { hrefOf, route, setQuery } from '../../shell/router.ts';
import { describeEvent } from '../../tasks/describe.ts';
import { Elapsed, TraceLink } from '../../tasks/marks.tsx';
import { TaskContent } from '../../tasks/task-content.tsx';
import type { TaskSession } from '../../tasks/task-session.ts';
import { clock, count, duration } from '../../ui/format.ts';
import { Button, Bytes, Copy, type Fact, Facts, Failure, Json, Tabs, Text, Time } from '../../ui/index.ts';
import { visibleLine } from '../../ui/visible.ts';
import { EventList } from './event-list.tsx';
import { Timeline } from './timeline.tsx';

/** Milliseconds after the last move until the address names the position. */
const patience = 300;

/** Keeps the chosen position in the address, and goes where the address is changed to. */
export function useAddress(session: TaskSession): void {
  useEffect(() => {
    const { atEnd, position, summary } = session;
    const write = effect(() => {
      if (summary.value === undefined) return;
      const wanted = atEnd.value ? undefined : String(position.value);
      const timer = setTimeout(() => {
        const { path, query } = route.peek();
        if (path.length > 0 && (query.get('position') ?? undefined) !== wanted) {
          setQuery({ position: wanted }, { replace: true });
        }
      }, patience);
      return () => clearTimeout(timer);
    });
    const read = effect(() => {
      const wanted = Number(route.value.query.get('position')) || undefined;
      if (summary.peek() === undefined || wanted === undefined) return;
      if (wanted !== position.peek()) session.goTo(wanted);
    });
    return () => {
      write();
      read();
    };
  }, [session]);
}

/** The log of a task, and the task at any position of it. */
export function History({
  session,
  summary,
  translation = false,
}: {
  readonly session: TaskSession;
  readonly summary: TaskSummary;
  /** Whether the gateway can translate the task: it has it. */
  readonly translation?: boolean;
}): JSX.Element {
  const view = useSignal<'task' | 'event' | 'json'>('task');
  const position = session.position.value;
  const moment = session.moment.value;
  const progress = session.progress.value;
  // The event may arrive after its position was chosen.
  void session.changes.value;
  const event = session.log.at(position);
  // What failed is read again when a lost connection comes back.
  const back = reconnections.value;
  useEffect(() => session.retry(), [session, back]);
  const error = session.foldError.value ?? session.log.error;
  const isBehind = moment !== undefined && moment.position !== position;
  return (
    <div class="history">
      <Timeline session={session} />
      <Slider session={session} />
      <Failure error={error} about="The events cannot be read" onRetry={() => session.retry()} />
      <div class="history-panes">
        <section class="history-log" aria-label="Event log">
          <EventList session={session} />
        </section>
        <section class="history-moment" aria-label="The task at the chosen position" aria-busy={isBehind}>
          <Tabs
            label="Views of the chosen position"
            tabs={[
              { id: 'task', title: 'Task' },
              { id: 'event', title: 'Event' },
              { id: 'json', title: 'Task as JSON' },
            ]}
            selected={view.value}
            onSelect={(id) => {
              view.value = id as 'task' | 'event' | 'json';
            }}
          >
            <p class="muted moment-line">
              {progress === undefined
                ? `${view.value === 'event' ? 'Event' : 'After event'} ${count(position)}`
                : `Reading events: ${count(progress)} of ${count(position)}…`}
              {translation && (
                <>
                  {' · '}
                  <a href={hrefOf('bench', [], { view: 'translation', task: summary.key, position: String(position) })}>
                    In other dialects
                  </a>
                </>
              )}
            </p>
            {view.value === 'event' &&
              (event ? (
                <Json key={position} label={`Event ${position}`} value={event} depth={6} />
              ) : (
                <p class="muted">Reading the event…</p>
              ))}
            {view.value === 'task' &&
              (moment ? <TaskContent task={moment.task} /> : <p class="muted">Reading events…</p>)}
            {view.value === 'json' &&
              (moment ? <Json label="The task" value={moment.task} depth={3} /> : <p class="muted">Reading events…</p>)}
          </Tabs>
        </section>
      </div>
    </div>
  );
}

/** Chooses a position of the log. */
function Slider({ session }: { readonly session: TaskSession }): JSX.Element {
  session.changes.value;
  const { log, outline } = session;
  const position = session.position.value;
  const last = log.lastPosition;
  const event = log.at(position);
  const time = Date.parse(event?.time ?? '');
  const first = outline.timeAt(1);
  const line = event && describeEvent(event.event as StreamResponse);
  const at = Number.isNaN(time) ? '' : clock(time, 'milliseconds');
  const since = Number.isNaN(time) || first === undefined ? '' : `+${duration(Math.max(0, time - first))}`;
  const button = (icon: 'first' | 'left' | 'right' | 'last', label: string, to: number, isThere: boolean) => (
    <Button kind="quiet" icon={icon} label={label} disabled={isThere} onClick={() => session.goTo(to)} />
  );
  return (
    <div class="slider">
      <div class="slider-buttons">
        {button('first', 'First event', 1, position <= 1)}
        {button('left', 'Previous event', position - 1, position <= 1)}
      </div>
      <input
        type="range"
        min={1}
        max={Math.max(1, last)}
        value={position}
        disabled={last <= 1}
        aria-label="Position in the log"
        aria-valuetext={`Event ${position} of ${last}${line ? `, ${visibleLine(line.title, 80)}` : ''}${at && `, ${at}`}`}
        onInput={(input) => session.goTo(Number(input.currentTarget.value))}
      />
      <div class="slider-buttons">
        {button('right', 'Next event', position + 1, position >= last)}
        {button('last', 'Last event', last, session.atEnd.value)}
      </div>
      <output class="slider-text">
        <span class="number">
          {count(position)} of {count(last)}
        </span>
        {at && <span class="muted number">{at}</span>}
        {since && <span class="muted number">{since}</span>}
      </output>
    </div>
  );
}

/** What is known about a task besides its content. */
export function TaskFacts({
  summary,
  details,
}: {
  readonly summary: TaskSummary;
  /** Absent for a task from a file. */
  readonly details?: TaskDetails | undefined;
}): JSX.Element {
  const { id, agent, principal, tenant, contextId, dialect, binding, replica, createdAt, updatedAt } = summary;
  const { upstreamTaskId, upstreamContextId, pushConfigs = [], traceId, bytes } = details ?? {};
  const mono = (value: string | undefined) => value && <Text value={value} max={80} mono />;
  const plain = (value: string | undefined) => value && <Text value={value} max={120} />;
  const time = (value: string | undefined) => value && <Time at={value} />;
  /** A task from a file has no pages beside it. */
  const link = (href: string, text: ComponentChildren) => (details && text ? <a href={href}>{text}</a> : text);
  const facts: readonly Fact[] = [
    ['Id', [mono(id), <Copy key="copy" value={id} label="Copy the id" />]],
    ['Agent', link(hrefOf('agents', [agent]), plain(agent))],
    ['Caller', plain(principal)],
    ['Tenant', plain(tenant)],
    ['Context', link(hrefOf('tasks', [], { context: contextId }), mono(contextId))],
    ['Calls', details && <a href={hrefOf('calls', [], { task: summary.key })}>about this task</a>],
    ['Dialect', plain(dialect)],
    ['Binding', plain(binding)],
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
      {summary.reason && (
        <p>
          <span class="muted">Reason:</span> <Text value={summary.reason} />
        </p>
      )}
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
