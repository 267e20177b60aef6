import type { JSX } from 'preact';

const [width, height] = [60, 14];

/** Values over time as a small line, from 0 to the highest. Null: unknown. Its numbers stand beside it. */
export function Spark(props: { readonly values: readonly (number | null)[]; readonly bad: boolean }): JSX.Element {
  const { values, bad } = props;
  const top = Math.max(1e-9, ...values.map((value) => value ?? 0));
  const path = values.map((value, at) => {
    if (value === null) return '';
    const [x, y] = [(at * width) / (values.length - 1), height - 2 - (value / top) * (height - 4)];
    return `${(values[at - 1] ?? null) === null ? 'M' : 'L'}${x.toFixed(1)} ${y.toFixed(1)}h0`;
  });
  return (
    <svg class={bad ? 'spark bad' : 'spark'} width={width} height={height} aria-hidden="true">
      <path d={path.join('')} />
    </svg>
  );
}
