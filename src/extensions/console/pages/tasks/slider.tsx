import type { JSX } from 'preact';
import type { StreamResponse } from '../../../../core/model/a2a.ts';
import { describeEvent } from '../../tasks/describe.ts';
import type { TaskSession } from '../../tasks/task-session.ts';
import { count, duration } from '../../ui/format.ts';
import { Button } from '../../ui/index.ts';
import { visibleLine } from '../../ui/visible.ts';

const clock = new Intl.DateTimeFormat(undefined, {
  ...({ hour: '2-digit', minute: '2-digit', second: '2-digit', fractionalSecondDigits: 3 } as const),
  hourCycle: 'h23',
});

/** Chooses a position of the log. */
export function Slider({ session }: { readonly session: TaskSession }): JSX.Element {
  session.changes.value;
  const { log, outline } = session;
  const position = session.position.value;
  const last = log.lastPosition;
  const event = log.at(position);
  const time = Date.parse(event?.time ?? '');
  const first = outline.timeAt(1);
  const line = event && describeEvent(event.event as StreamResponse);
  const at = Number.isNaN(time) ? '' : clock.format(time);
  const since = Number.isNaN(time) || first === undefined ? '' : `+${duration(Math.max(0, time - first))}`;
  const step = (to: number): void => session.goTo(to);
  return (
    <div class="slider">
      <div class="slider-buttons">
        <Button kind="quiet" icon="first" label="First event" disabled={position <= 1} onClick={() => step(1)} />
        <Button
          kind="quiet"
          icon="left"
          label="Previous event"
          disabled={position <= 1}
          onClick={() => step(position - 1)}
        />
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
        <Button
          kind="quiet"
          icon="right"
          label="Next event"
          disabled={position >= last}
          onClick={() => step(position + 1)}
        />
        <Button kind="quiet" icon="last" label="Last event" disabled={session.atEnd.value} onClick={() => step(last)} />
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
