import type { ComponentChildren, JSX, SVGAttributes } from 'preact';
import type { Line } from './lines.ts';

interface DrawingProps extends Omit<SVGAttributes<SVGSVGElement>, 'children' | 'class'> {
  readonly class?: string;
  readonly lines: readonly Pick<Line, 'values'>[];
  /** The value at the upper edge. Absent: the highest one. */
  readonly top?: number;
  /** Content below the lines, where a step is 1 wide, and 0 and 1 are the upper and the lower edge. */
  readonly children?: ComponentChildren;
}

/** Lines over time, from 0 up, in the size and the colors of its class. Its numbers are shown next to it. */
export function Drawing({ lines, top, children, class: more = '', ...rest }: DrawingProps): JSX.Element {
  const highest = top ?? Math.max(1e-9, ...lines.flatMap(({ values }) => values.map((value) => value ?? 0)));
  const steps = Math.max(1, ...lines.map(({ values }) => values.length - 1));
  return (
    <svg {...rest} class={`drawing ${more}`} viewBox={`0 0 ${steps} 1`} preserveAspectRatio="none" aria-hidden="true">
      {children}
      {lines.map(({ values }, at) => (
        // Lines are identified by their position alone.
        <g key={at} style={{ stroke: `var(--line-${at + 1}, currentcolor)` }}>
          <path d={pathOf(values, highest, false)} />
          <path d={pathOf(values, highest, true)} class="dots" />
        </g>
      ))}
    </svg>
  );
}

/** Returns the path through known values, or dots for single ones between two unknown ones. */
const pathOf = (values: Line['values'], top: number, lone: boolean): string =>
  values
    .map((value, at) => {
      const [begins, ends] = [values[at - 1], values[at + 1]].map((beside) => beside === null || beside === undefined);
      if (value === null || (begins && ends) !== lone) return '';
      return `${begins ? 'M' : 'L'}${at} ${(1 - value / top).toFixed(4)}${lone ? 'h0' : ''}`;
    })
    .join('');
