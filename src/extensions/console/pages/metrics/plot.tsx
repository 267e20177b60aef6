import { type Signal, useSignal } from '@preact/signals';
import type { JSX, TargetedPointerEvent } from 'preact';
import { type Chart, unitOf } from '../../metrics/charts.ts';
import { Drawing } from '../../metrics/drawing.tsx';
import type { Line, Metrics } from '../../metrics/lines.ts';
import { formatValue, highestOf } from '../../metrics/summary.ts';
import { clock } from '../../ui/format.ts';
import { visibleLine } from '../../ui/visible.ts';

export interface PlotProps {
  readonly chart: Chart;
  readonly metrics: Metrics;
  readonly lines: readonly Line[];
  /** Index of the time at the pointer, in any chart. */
  readonly cursor: Signal<number | undefined>;
  /** Called with a range that was selected by dragging, in seconds. */
  readonly onSelect: (from: number, until: number) => void;
  /** Called with the index of a time that was clicked. */
  readonly onClick: (at: number) => void;
}

/** Pixels of movement above which dragging selects a range. */
const leastDrag = 5;
/** A threshold this many times above all values is written at the edge, so that the values stay readable. */
const farAbove = 8;
/** Seconds between two times at the axis. */
const spans = [60, 300, 600, 1_200, 3_600, 7_200, 14_400, 28_800];

/** Returns the multiples of a step that are below an end. */
const multiples = (step: number, from: number, end: number): number[] =>
  Array.from({ length: Math.ceil((end - from) / step) }, (_, at) => from + at * step);

/** The lines of a chart with their axes and the threshold of its alert. */
export function Plot({ chart, metrics, lines, cursor, onSelect, onClick }: PlotProps): JSX.Element {
  const { times } = metrics;
  /** Positions where the pointer was pressed, and where it is, as indexes that need not be whole. */
  const drag = useSignal<readonly [from: number, to: number] | undefined>(undefined);
  const format = (value: number | null | undefined): string => formatValue(value, unitOf(chart));
  const highest = Math.max(0, ...lines.flatMap(({ values }) => values.map((value) => value ?? 0)));
  const { when, value: limit = 0 } = chart.alert ?? {};
  const threshold = when === '>' && limit > 0 ? limit : undefined;
  const isNear = threshold !== undefined && (highest === 0 || threshold <= highest * farAbove);
  const top = 1.1 * (Math.max(highest, isNear ? threshold : 0) || 1);
  const scale = unitOf(chart) === 'bytes' ? 1_024 ** Math.floor(Math.log2(top) / 10) : 1;
  const power = scale * 10 ** Math.floor(Math.log10(top / 2 / scale));
  const ticks = multiples(power * (top / 2 >= 5 * power ? 5 : top / 2 >= 2 * power ? 2 : 1), 0, top);
  const [first = 0, last = 0] = [times[0], times.at(-1)];
  const span = spans.find((span) => (last - first) / span <= 6) ?? 86_400;
  const marks = multiples(span, Math.ceil(first / span) * span, last);
  const description = lines.map(
    ({ label, values }) => `${visibleLine(label)} ${format(values.at(-1))}, at most ${format(highestOf({ values }))}`,
  );

  const placeOf = ({ currentTarget, clientX }: TargetedPointerEvent<SVGSVGElement>): number => {
    const { left, width } = currentTarget.getBoundingClientRect();
    return Math.min(1, Math.max(0, (clientX - left) / width)) * (times.length - 1);
  };
  const timeAt = (place: number): number => first + (place / (times.length - 1)) * (last - first);
  const move = (event: TargetedPointerEvent<SVGSVGElement>): void => {
    cursor.value = Math.round(placeOf(event));
    if (drag.value) drag.value = [drag.value[0], placeOf(event)];
  };
  const release = (event: TargetedPointerEvent<SVGSVGElement>): void => {
    const [from, to] = drag.value?.toSorted((a, b) => a - b) ?? [];
    drag.value = undefined;
    if (from === undefined || to === undefined) return;
    const pixels = ((to - from) / (times.length - 1)) * event.currentTarget.clientWidth;
    if (pixels < leastDrag) onClick(Math.round(to));
    else onSelect(timeAt(from), timeAt(to));
  };
  return (
    <div class="plot" role="img" aria-label={`${chart.title}, latest: ${description.join('; ') || 'no values'}`}>
      {ticks.map((tick) => (
        <span key={tick} class="plot-value" style={{ '--at': tick / top }}>
          {format(tick)}
        </span>
      ))}
      {marks.map((time) => (
        <span key={time} class="plot-time" style={{ '--at': (time - first) / (last - first) }}>
          {clock(time * 1_000, 'minutes')}
        </span>
      ))}
      {threshold !== undefined && !isNear && <span class="plot-above">alert above {format(threshold)} ↑</span>}
      <Drawing
        {...(chart.to && { class: 'plot-leads' })}
        {...{ lines, top }}
        onPointerMove={move}
        onPointerLeave={() => (cursor.value = undefined)}
        onPointerDown={(event) => {
          event.currentTarget.setPointerCapture(event.pointerId);
          drag.value = [placeOf(event), placeOf(event)];
        }}
        onPointerUp={release}
        onPointerCancel={() => (drag.value = undefined)}
      >
        <path class="plot-grid" d={ticks.map((tick) => `M0 ${1 - tick / top}H${times.length - 1}`).join('')} />
        {isNear && <path class="plot-threshold" d={`M0 ${1 - threshold / top}H${times.length - 1}`} />}
        {drag.value && <path class="plot-chosen" d={`M${drag.value[0]} 0H${drag.value[1]}V1H${drag.value[0]}`} />}
        <Pointed cursor={cursor} />
      </Drawing>
    </div>
  );
}

/** The time at the pointer. */
const Pointed = ({ cursor: { value } }: Pick<PlotProps, 'cursor'>): JSX.Element | null =>
  value === undefined ? null : <path class="plot-pointed" d={`M${value} 0V1`} />;
