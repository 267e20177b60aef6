import type { JSX } from 'preact';
import { isTerminal, lifecycle } from '../../../../core/model/lifecycle.ts';
import type { TaskSession } from '../../tasks/task-session.ts';
import { clock, count, duration, words } from '../../ui/format.ts';
import { Button, now, severityOf } from '../../ui/index.ts';

/** Spans of time in which events are counted: bars of the drawing. */
const spans = 160;
const width = 1000;
const barsHeight = 26;
const phasesTop = 32;
const phasesHeight = 10;
const height = 46;
/** Width of the state in which a task ended, which has no duration. */
const endWidth = 16;

/**
 * The course of a task over time: its states, the number of events, and the chosen position. A click selects the
 * position at that time. The slider and the log show the same, and support the keyboard.
 */
export function Timeline({ session }: { readonly session: TaskSession }): JSX.Element | null {
  session.changes.value;
  const { outline, log } = session;
  if (log.lastPosition < 2) return null;
  if (outline.length < log.lastPosition) {
    const reached = session.readingAll.value;
    const all = count(log.lastPosition);
    return (
      <p class="muted timeline-missing">
        {reached !== undefined ? (
          `Reading events for the timeline: ${count(reached)} of ${all}…`
        ) : (
          <Button onClick={() => void session.readAll()}>Read all {all} events to draw the timeline</Button>
        )}
      </p>
    );
  }
  const start = outline.timeAt(1) ?? 0;
  const last = outline.timeAt(outline.length) ?? start;
  const { phases } = outline;
  // The bar of a task in progress extends to the current time.
  const isActive =
    session.stream.state.value !== 'ended' && lifecycle[phases.at(-1)?.state ?? 'TASK_STATE_UNSPECIFIED'] === 'active';
  const end = isActive ? Math.max(last, now.value) : last;
  const length = Math.max(1, end - start);
  const x = (time: number): number => ((time - start) / length) * width;
  const density = outline.density(spans, end);
  const most = Math.max(...density);
  const here = outline.timeAt(session.position.value);
  const choose = (event: PointerEvent & { readonly currentTarget: SVGSVGElement }): void => {
    if (event.type === 'pointermove' && event.buttons !== 1) return;
    const { left, width: seen } = event.currentTarget.getBoundingClientRect();
    const share = Math.max(0, Math.min(1, (event.clientX - left) / seen));
    session.goTo(share === 1 ? log.lastPosition : outline.positionAt(start + share * length));
  };
  const description = phases
    .map(({ state, start: at }) => `${words(state)} after ${duration(at - start)}`)
    .slice(0, 20);
  return (
    <figure class="timeline">
      <svg
        viewBox={`0 0 ${width} ${height}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`Course of the task over ${duration(end - start)}: ${description.join(', ')}`}
        onPointerDown={choose}
        onPointerMove={choose}
      >
        {density.map((events, at) =>
          events === 0 ? null : (
            <rect
              key={at}
              class="timeline-bar"
              x={(at * width) / spans}
              width={width / spans - 1}
              y={barsHeight - Math.max(2, (events / most) * barsHeight)}
              height={Math.max(2, (events / most) * barsHeight)}
            />
          ),
        )}
        {phases.slice(0, 500).map(({ state, position, start: from }, at) => (
          <rect
            key={position}
            class={`timeline-phase fill-${severityOf(state)}`}
            x={isTerminal(state) ? Math.min(x(from), width - endWidth) : x(from)}
            width={isTerminal(state) ? endWidth : Math.max(2, x(phases[at + 1]?.start ?? end) - x(from))}
            y={phasesTop}
            height={phasesHeight}
          >
            <title>{`${words(state)}, ${duration((phases[at + 1]?.start ?? end) - from)}`}</title>
          </rect>
        ))}
        {here !== undefined && <line class="timeline-here" x1={x(here)} x2={x(here)} y1={0} y2={height} />}
      </svg>
      <figcaption class="timeline-legend muted">
        <span>{clock(start)}</span>
        <span>{duration(end - start)}</span>
        <span>{clock(end)}</span>
      </figcaption>
    </figure>
  );
}
