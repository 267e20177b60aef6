import { useSignal } from '@preact/signals';
import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import type { StreamResponse } from '../../../../core/model/a2a.ts';
import { ownDialect } from '../../../../core/model/call.ts';
import type { TaskDetails, TaskSummary } from '../../../../gen/admin-v1/types.ts';
import { reconnections } from '../../shell/connection.ts';
import { hrefOf, navigate, route, setQuery } from '../../shell/router.ts';
import { describeEvent } from '../../tasks/describe.ts';
import { Elapsed, Id, TraceLink } from '../../tasks/marks.tsx';
import { TaskContent } from '../../tasks/task-content.tsx';
import type { TaskSession } from '../../tasks/task-session.ts';
import { clock, count, duration } from '../../ui/format.ts';
import {
  Button,
  Bytes,
  Copy,
  type Fact,
  Facts,
  Failure,
  Json,
  severityOf,
  Tabs,
  Text,
  Time,
  VirtualList,
} from '../../ui/index.ts';
import { visibleJson, visibleLine } from '../../ui/visible.ts';
import { nothing, show } from '../bench/translation/state.ts';
import { Timeline } from './timeline.tsx';

/** Milliseconds after the last move until the address names the position. */
const addressDelay = 300;

/** Writes the chosen position to the address, and follows changes of the address. */
export function useAddress(session: TaskSession): void {
  const { atEnd, position, summary } = session;
  const addressed = Number(route.value.query.get('position')) || undefined;
  const chosen = atEnd.value ? undefined : position.value;
  const isKnown = summary.value !== undefined;
  useEffect(() => {
    if (!isKnown || chosen === addressed) return;
    const timer = setTimeout(() => setQuery({ position: chosen?.toString() }, { replace: true }), addressDelay);
    return () => clearTimeout(timer);
  }, [isKnown, chosen]);
  useEffect(() => {
    if (isKnown && addressed !== undefined && addressed !== position.peek()) session.goTo(addressed);
  }, [addressed]);
}

const views = { task: 'Task', event: 'Event', json: 'Task as JSON' } as const;

/** The log of a task, and the task at any position of it. */
export function History({ session }: { readonly session: TaskSession }): JSX.Element {
  const view = useSignal<keyof typeof views>('task');
  const position = session.position.value;
  const moment = session.moment.value;
  const progress = session.progress.value;
  // The event may arrive after its position was chosen.
  void session.changes.value;
  const event = session.log.at(position);
  // A failed read is repeated when a lost connection comes back.
  const back = reconnections.value;
  useEffect(() => session.retry(), [session, back]);
  const error = session.foldError.value ?? session.log.error;
  const isBehind = moment !== undefined && moment.position !== position;
  const shown = {
    task: moment && <TaskContent task={moment.task} />,
    event: event && <Json key={position} label={`Event ${position}`} value={event} depth={6} />,
    json: moment && <Json label="The task" value={moment.task} depth={3} />,
  };
  const translate = (type: 'task' | 'event'): void => {
    show(visibleJson(type === 'event' ? event?.event : moment?.task), { ...nothing, from: ownDialect, type });
    navigate(hrefOf('bench', [], { view: 'translation' }));
  };
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
            tabs={Object.entries(views).map(([id, title]) => ({ id, title }))}
            selected={view.value}
            onSelect={(id) => (view.value = id as keyof typeof views)}
          >
            <p class="muted moment-line">
              {progress === undefined
                ? `${view.value === 'event' ? 'Event' : 'After event'} ${count(position)}`
                : `Reading events: ${count(progress)} of ${count(position)}…`}
              {' · '}
              <button type="button" class="link" onClick={() => translate(view.value === 'event' ? 'event' : 'task')}>
                In other dialects
              </button>
            </p>
            {shown[view.value] ?? <p class="muted">Reading events…</p>}
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
  return (
    <div class="slider">
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
      <Button disabled={session.atEnd.value} onClick={() => session.goTo(last)}>
        Last event
      </Button>
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

/** Pixels of one event in the list. */
const rowHeight = 30;

/** The events of the log. Visible ones are read; selecting one selects its position. */
function EventList({ session }: { readonly session: TaskSession }): JSX.Element {
  session.changes.value;
  const { log } = session;
  const position = session.position.value;
  const atEnd = session.atEnd.value;
  const box = useRef<HTMLDivElement>(null);
  const last = log.lastPosition;
  // The chosen event is kept in sight; the end of a log that grows, too.
  useLayoutEffect(() => {
    const list = box.current?.querySelector<HTMLElement>('.virtual');
    if (!list) return;
    const top = (position - 1) * rowHeight;
    const hidden = Math.max(list.scrollTop - top, top + rowHeight - list.scrollTop - list.clientHeight);
    if (hidden <= 0) return;
    // A step scrolls by a row, and a jump shows the neighbouring events.
    if (hidden > 2 * rowHeight) list.scrollTop = top - (list.clientHeight - rowHeight) / 2;
    else list.scrollTop += top < list.scrollTop ? -hidden : hidden;
  }, [position, atEnd, last]);

  const onKeyDown = (event: KeyboardEvent): void => {
    const pages = { PageDown: position + 15, PageUp: position - 15, Home: 1, End: last };
    const to = { ArrowDown: position + 1, ArrowUp: position - 1, ...pages }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    session.goTo(to);
  };
  const row = (index: number): JSX.Element => (
    <Row session={session} position={index + 1} chosen={index + 1 === position} />
  );
  return (
    <div ref={box} class="event-list" onKeyDown={onKeyDown} role="group" aria-label="Event log">
      <VirtualList label="Events" count={last} rowHeight={rowHeight} row={row} maxHeight="var(--log-height)" />
    </div>
  );
}

interface RowProps {
  readonly session: TaskSession;
  readonly position: number;
  readonly chosen: boolean;
}

function Row({ session, position, chosen }: RowProps): JSX.Element {
  const event = session.log.at(position);
  useEffect(() => {
    if (!event) session.log.want(position, position);
  });
  const line = event && describeEvent(event.event as StreamResponse);
  const first = session.log.at(1);
  const since = Date.parse(event?.time ?? '') - Date.parse(first?.time ?? '');
  const severity = line?.state ? severityOf(line.state) : 'idle';
  return (
    <button
      type="button"
      class="event-row"
      aria-current={chosen ? 'true' : undefined}
      tabIndex={chosen ? 0 : -1}
      onClick={() => session.goTo(position)}
    >
      <span class="event-position number">{count(position)}</span>
      <span class="event-time number">{Number.isNaN(since) ? '' : duration(Math.max(0, since))}</span>
      {line ? (
        <>
          <span class={`event-kind event-${line.kind} mark-${severity}`}>
            {line.kind === 'artifact' && <span class="visually-hidden">Artifact </span>}
            <Text value={line.title} />
          </span>
          <Text value={line.text} class="event-text" />
        </>
      ) : (
        <span class="muted">…</span>
      )}
    </button>
  );
}

interface TaskFactsProps {
  readonly summary: TaskSummary;
  /** Details of the task. Absent: not read yet. */
  readonly details?: TaskDetails | undefined;
}

/** Facts about a task besides its content. */
export function TaskFacts({ summary, details }: TaskFactsProps): JSX.Element {
  const { id, agent, principal, tenant, contextId, dialect, binding, replica, createdAt, updatedAt } = summary;
  const { upstreamTaskId, upstreamContextId, pushConfigs = [], traceId, bytes, retryOf, retriedAs } = details ?? {};
  const mono = (value: string | undefined) => value && <Text value={value} max={80} mono />;
  const textOf = (value: string | undefined) => value && <Text value={value} max={120} />;
  const time = (value: string | undefined) => value && <Time at={value} />;
  const link = (href: string, text: ComponentChildren) => text && <a href={href}>{text}</a>;
  const task = (key: string | undefined) => key && link(hrefOf('tasks', [key]), mono(key));
  const facts: readonly Fact[] = [
    ['Id', [mono(id), <Copy key="copy" value={id} label="Copy the id" />]],
    ['Agent', link(hrefOf('agents', [agent]), textOf(agent))],
    ['Caller', textOf(principal)],
    ['Tenant', textOf(tenant)],
    ['Context', link(hrefOf('tasks', [], { context: contextId }), contextId && <Id value={contextId} />)],
    ['Calls', link(hrefOf('calls', [], { task: summary.key }), 'about this task')],
    ['Retry of', task(retryOf)],
    ['Retried as', task(retriedAs)],
    ['Dialect', textOf(dialect)],
    ['Binding', textOf(binding)],
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
          <span class="muted">{severityOf(summary.state) === 'warning' ? 'Question' : 'Reason'}:</span>{' '}
          <Text value={summary.reason} />
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
