import type { JSX } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import type { StreamResponse } from '../../../../core/model/a2a.ts';
import { describeEvent } from '../../tasks/describe.ts';
import type { TaskSession } from '../../tasks/task-session.ts';
import { count, duration } from '../../ui/format.ts';
import { severityOf, Text, VirtualList } from '../../ui/index.ts';

const rowHeight = 30;

/** The events of the log. Those in sight are read; choosing one chooses its position. */
export function EventList({ session }: { readonly session: TaskSession }): JSX.Element {
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
    // A step scrolls by a row, and a jump shows what is around.
    if (hidden > 2 * rowHeight) list.scrollTop = top - (list.clientHeight - rowHeight) / 2;
    else list.scrollTop += top < list.scrollTop ? -hidden : hidden;
  }, [position, atEnd, last]);

  const wanted = { from: Number.POSITIVE_INFINITY, to: 0 };
  const row = (index: number): JSX.Element => {
    wanted.from = Math.min(wanted.from, index + 1);
    wanted.to = Math.max(wanted.to, index + 1);
    return <Row session={session} position={index + 1} chosen={index + 1 === position} />;
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const steps: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1, PageDown: 15, PageUp: -15 };
    const to =
      { Home: 1, End: last }[event.key] ?? (event.key in steps ? position + (steps[event.key] ?? 0) : undefined);
    if (to === undefined) return;
    event.preventDefault();
    session.goTo(to);
  };
  return (
    <div ref={box} class="event-list" onKeyDown={onKeyDown} role="group" aria-label="Event log">
      <VirtualList label="Events" count={last} rowHeight={rowHeight} row={row} maxHeight="var(--log-height)" />
      <Wanted session={session} wanted={wanted} />
    </div>
  );
}

/** Reads the events in sight, after the rows were drawn. */
function Wanted({
  session,
  wanted,
}: {
  readonly session: TaskSession;
  readonly wanted: { readonly from: number; readonly to: number };
}): null {
  useLayoutEffect(() => {
    if (wanted.to > 0) session.log.want(wanted.from, wanted.to);
  });
  return null;
}

function Row({
  session,
  position,
  chosen,
}: {
  readonly session: TaskSession;
  readonly position: number;
  readonly chosen: boolean;
}): JSX.Element {
  const event = session.log.at(position);
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
