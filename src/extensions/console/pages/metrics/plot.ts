import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import type { Line } from '../../metrics/lines.ts';
import { clock } from '../../ui/format.ts';

/** What a plot draws. */
export interface PlotContent {
  /** Seconds, ascending. */
  readonly times: readonly number[];
  readonly lines: readonly Line[];
  /** Levels of alerts. */
  readonly thresholds: readonly number[];
  /** The largest value, where it is known. */
  readonly top?: number | undefined;
  readonly format: (value: number) => string;
}

/** Colors as the browser computed them: a canvas knows no custom properties. */
export interface PlotColors {
  readonly lines: readonly string[];
  readonly ink: string;
  readonly grid: string;
  readonly threshold: string;
}

/** What people do with a plot. Indexes are those of times. */
export interface PlotActions {
  /** The pointer is at a time, in any plot of the page. */
  readonly point: (index: number | undefined) => void;
  /** A time was clicked. */
  readonly click: (index: number) => void;
  /** A range was chosen by dragging, in seconds. */
  readonly select: (from: number, until: number) => void;
}

const height = 132;
/** Pixels from which on a movement chooses a range. */
const leastDrag = 5;
/** A threshold this many times above all values is written at the edge, so that the values stay readable. */
const farAbove = 8;

/** Indexes of the values between unknown ones, which no line can show. */
const loneAt = ({ data }: uPlot, line: number): number[] => {
  const values = data[line] ?? [];
  return [...values.keys()].filter((at) => values[at] != null && values[at - 1] == null && values[at + 1] == null);
};

/** A chart of lines over time on a canvas. */
export class Plot {
  readonly #place: HTMLElement;
  readonly #actions: PlotActions;
  readonly #resized: ResizeObserver;
  #plot: uPlot | undefined;
  #content: PlotContent | undefined;
  /** What cannot change without another plot. */
  #identity = '';

  constructor(place: HTMLElement, actions: PlotActions) {
    this.#place = place;
    this.#actions = actions;
    this.#resized = new ResizeObserver(() => this.#plot?.setSize({ width: place.clientWidth, height }));
    this.#resized.observe(place);
  }

  show(content: PlotContent, colors: PlotColors): void {
    this.#content = content;
    const identity = JSON.stringify([content.lines.map(({ label }) => label), colors]);
    const data = [content.times, ...content.lines.map(({ values }) => values)] as unknown as uPlot.AlignedData;
    if (this.#plot && identity === this.#identity) {
      this.#plot.setData(data);
      return;
    }
    this.#plot?.destroy();
    this.#identity = identity;
    this.#plot = new uPlot(this.#options(content, colors), data, this.#place);
  }

  destroy(): void {
    this.#resized.disconnect();
    this.#plot?.destroy();
  }

  #options({ lines }: PlotContent, colors: PlotColors): uPlot.Options {
    const font = `11px ${getComputedStyle(this.#place).fontFamily}`;
    const axis: uPlot.Axis = {
      ...{ stroke: colors.ink, font, gap: 4 },
      grid: { stroke: colors.grid, width: 1 },
      ticks: { show: false },
    };
    return {
      ...{ width: this.#place.clientWidth, height, padding: [8, 16, 0, 0], legend: { show: false } },
      cursor: {
        ...{ y: false, points: { size: 6 } },
        drag: { x: true, y: false, setScale: false, dist: leastDrag, click: () => {} },
        sync: { key: 'metrics' },
      },
      scales: { x: { range: (_, min, max) => [min, max] }, y: { range: this.#range } },
      axes: [
        { ...axis, size: 20, space: 48, values: (_, times) => times.map((time) => clock(time * 1_000, 'minutes')) },
        {
          ...axis,
          ...{ size: 52, space: 28 },
          values: (_, values) => values.map((value) => this.#content?.format(value) ?? ''),
        },
      ],
      series: [
        {},
        ...lines.map(({ label }, i): uPlot.Series => {
          const stroke = colors.lines[i % colors.lines.length] as string;
          return { label, stroke, width: 1.5, points: { size: 4, fill: stroke, filter: loneAt }, spanGaps: false };
        }),
      ],
      hooks: {
        draw: [(plot) => this.#drawThresholds(plot, colors, font)],
        setCursor: [({ cursor }) => this.#actions.point(cursor.idx ?? undefined)],
        ready: [(plot) => this.#listen(plot)],
        setSelect: [
          (plot) => {
            const { left, width } = plot.select;
            // Other plots of the page show the same selection.
            if (width <= 0 || !plot.over.matches(':hover')) return;
            plot.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
            this.#actions.select(plot.posToVal(left, 'x'), plot.posToVal(left + width, 'x'));
          },
        ],
      },
    };
  }

  /** The browser says of the end of a drag that it is a click, too. */
  #listen({ over, cursor }: uPlot): void {
    let pressedAt = 0;
    over.addEventListener('mousedown', ({ clientX }) => {
      pressedAt = clientX;
    });
    over.addEventListener('click', ({ clientX }) => {
      if (Math.abs(clientX - pressedAt) < leastDrag && typeof cursor.idx === 'number') this.#actions.click(cursor.idx);
    });
  }

  readonly #range = (_: uPlot, __: number, highest: number): [number, number] => {
    const { thresholds = [], top } = this.#content ?? {};
    const near = thresholds.filter((threshold) => !highest || threshold <= highest * farAbove);
    const max = Math.max(highest || 0, ...near, top ?? 0);
    return [0, max === 0 ? 1 : max * 1.1];
  };

  #drawThresholds(plot: uPlot, { threshold: color }: PlotColors, font: string): void {
    const { thresholds = [], format = String } = this.#content ?? {};
    const { ctx, bbox } = plot;
    const { left, top, width } = bbox;
    const ratio = devicePixelRatio;
    const [, max = 1] = [plot.scales.y?.min, plot.scales.y?.max];
    ctx.save();
    ctx.strokeStyle = color;
    ctx.fillStyle = color;
    ctx.lineWidth = ratio;
    ctx.font = font.replace('11px', `${11 * ratio}px`);
    ctx.textAlign = 'right';
    ctx.textBaseline = 'top';
    for (const threshold of thresholds) {
      if (threshold > (max ?? 1)) {
        ctx.fillText(`alert above ${format(threshold)} ↑`, left + width - 4 * ratio, top + 2 * ratio);
        continue;
      }
      const y = Math.round(plot.valToPos(threshold, 'y', true));
      ctx.setLineDash([5 * ratio, 4 * ratio]);
      ctx.beginPath();
      ctx.moveTo(left, y);
      ctx.lineTo(left + width, y);
      ctx.stroke();
    }
    ctx.restore();
  }
}
