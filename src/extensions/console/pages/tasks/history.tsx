import { effect, useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import type { TaskSummary } from '../../../../gen/admin-v1/types.ts';
import { messageOf } from '../../gateway/error.ts';
import { reconnections } from '../../shell/connection.ts';
import { hrefOf } from '../../shell/route.ts';
import { route, setQuery } from '../../shell/router.ts';
import { TaskContent } from '../../tasks/task-content.tsx';
import type { TaskSession } from '../../tasks/task-session.ts';
import { count } from '../../ui/format.ts';
import { Button, Json, Notice, Tabs } from '../../ui/index.ts';
import { EventList } from './event-list.tsx';
import { Slider } from './slider.tsx';
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
      {error !== undefined && (
        <Notice severity="error" action={<Button onClick={() => session.retry()}>Try again</Button>}>
          The events cannot be read: {messageOf(error)}
        </Notice>
      )}
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
                  <a href={hrefOf('translation', [], { task: summary.key, position: String(position) })}>
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
