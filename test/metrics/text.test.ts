import fc from 'fast-check';
import { expect, it } from 'vitest';
import { counter, type Family, gauge, histogram } from '../../src/metrics/family.ts';
import { Histogram } from '../../src/metrics/series.ts';
import { formatFor, openMetrics, prometheusText } from '../../src/metrics/text.ts';

const filled = (bounds: readonly number[], values: readonly number[]): Histogram => {
  const made = new Histogram(bounds);
  for (const value of values) made.observe(value);
  return made;
};

const families: Family[] = [
  counter('things', 'All things.', [
    [{ kind: 'a "quoted" \\ one\nin two lines' }, 3],
    [{ kind: 'plain', more: '' }, 0],
  ]),
  gauge('level', 'A level,\nwith a \\ in it.', -1.5),
  histogram('wait_seconds', 'Waiting.', [[{ way: 'x' }, filled([0.5, 2], [0.1, 0.5, 0.6, 7])]]),
];

it('metrics are written in Prometheus’ own format', () => {
  expect(prometheusText.write(families)).toBe(`# HELP a2a_gateway_things_total All things.
# TYPE a2a_gateway_things_total counter
a2a_gateway_things_total{kind="a \\"quoted\\" \\\\ one\\nin two lines"} 3
a2a_gateway_things_total{kind="plain",more=""} 0
# HELP a2a_gateway_level A level,\\nwith a \\\\ in it.
# TYPE a2a_gateway_level gauge
a2a_gateway_level -1.5
# HELP a2a_gateway_wait_seconds Waiting.
# TYPE a2a_gateway_wait_seconds histogram
a2a_gateway_wait_seconds_bucket{way="x",le="0.5"} 2
a2a_gateway_wait_seconds_bucket{way="x",le="2.0"} 3
a2a_gateway_wait_seconds_bucket{way="x",le="+Inf"} 4
a2a_gateway_wait_seconds_sum{way="x"} 8.2
a2a_gateway_wait_seconds_count{way="x"} 4
`);
});

it('metrics are written as OpenMetrics, where a counter’s family has no _total', () => {
  const text = openMetrics.write(families);
  expect(text).toContain('# TYPE a2a_gateway_things counter\na2a_gateway_things_total{');
  expect(text.endsWith('a2a_gateway_wait_seconds_count{way="x"} 4\n# EOF\n')).toBe(true);
});

it('metrics are written as their reader prefers', () => {
  expect(formatFor(undefined)).toBe(prometheusText);
  expect(formatFor('')).toBe(prometheusText);
  expect(formatFor('APPLICATION/OpenMetrics-Text; version=1.0.0')).toBe(openMetrics);
  expect(formatFor('text/plain;q=0.2, application/openmetrics-text;q=0.3')).toBe(openMetrics);
  expect(formatFor('application/openmetrics-text;q=0.2, */*')).toBe(prometheusText);
});

it('histograms count every value once, in the first bound that is not below it', () => {
  const numbers = fc.array(fc.double({ min: 0, max: 100, noNaN: true }));
  fc.assert(
    fc.property(numbers, (values) => {
      const bounds = [1, 10, 50];
      const { counts, sum } = filled(bounds, values);
      const upTo = (bound: number): number => values.filter((value) => value <= bound).length;
      expect([...counts]).toEqual([upTo(1), upTo(10) - upTo(1), upTo(50) - upTo(10), values.length - upTo(50)]);
      expect(sum).toBeCloseTo(values.reduce((all, value) => all + value, 0));
    }),
  );
});
