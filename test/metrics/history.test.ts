import { describe, expect, it } from 'vitest';
import { counter, gauge, histogram, withHistory } from '../../src/metrics/family.ts';
import { joinSeries, MetricHistory, type SeriesValues, withQuantiles } from '../../src/metrics/history.ts';
import { bounds, Histogram } from '../../src/metrics/series.ts';

/** History of a day: points, steps, unknown values, bounds, and the sum over several processes. */

const second = 1_000;
const hour = 3_600 * second;
const begin = 500_000 * hour;

const calls = (n: number, agent = 'demo') => counter('requests', 'h', [[{ agent, result: 'ok', binding: 'rest' }, n]]);
const valuesOf = (series: readonly SeriesValues[], name: string) => series.find((one) => one.name === name)?.values;
const requests = 'a2a_gateway_requests_total';

it('a history has by how much counters grew, the mean of gauges, and null where nothing was read', () => {
  const history = new MetricHistory();
  for (const [at, total, live] of [
    [0, 3, 10],
    [10, 5, 20],
    [40, 305, 30],
  ] as const) {
    history.add([calls(total), gauge('tasks_live', 'h', live)], begin + at * second);
  }
  const range = { from: begin, until: begin + 60 * second, step: 10 * second };
  const found = history.read(range);
  expect(valuesOf(found, requests)).toEqual([3, 2, null, null, 300, null]);
  expect(valuesOf(found, 'a2a_gateway_tasks_live')).toEqual([10, 20, null, null, 30, null]);
  const coarse = history.read({ ...range, step: 30 * second });
  expect(valuesOf(coarse, requests)).toEqual([5, 300]);
  expect(valuesOf(coarse, 'a2a_gateway_tasks_live')).toEqual([15, 30]);
});

it('a history keeps a family of a module with the labels that it declares, and no family that declares none', () => {
  const history = new MetricHistory();
  const values = ['request', 'answer'].map((phase) => [{ rule: 'closed', phase }, 2] as const);
  history.add([withHistory(counter('verdicts', 'h', values), 'rule'), counter('seconds', 'h', values)], begin);
  const found = history.read({ from: begin, until: begin + 10 * second, step: 10 * second });
  expect(found).toMatchObject([{ name: 'a2a_gateway_verdicts_total', labels: { rule: 'closed' }, values: [4] }]);
});

it('a history adds what is read several times at one point, and starts again with a counter that does', () => {
  const history = new MetricHistory();
  for (const total of [5, 7, 0, 2]) history.add([calls(total)], begin);
  expect(valuesOf(history.read({ from: begin, until: begin + 10 * second, step: 10 * second }), requests)).toEqual([9]);
});

it('a history keeps the worst of the values of which only the worst counts', () => {
  const history = new MetricHistory();
  const lag = (value: number | undefined) => gauge('push_oldest_seconds', 'h', value, 'highest');
  history.add([lag(0.5)], begin);
  history.add([lag(0.25)], begin);
  history.add([lag(0.125)], begin + 10 * second);
  history.add([lag(undefined)], begin + 20 * second);
  const name = 'a2a_gateway_push_oldest_seconds';
  const range = { from: begin, until: begin + 30 * second };
  expect(valuesOf(history.read({ ...range, step: 10 * second }), name)).toEqual([0.5, 0.125, null]);
  expect(valuesOf(history.read({ ...range, step: 30 * second }), name)).toEqual([0.5]);
});

it('a history holds small, large and fractional values of one hour', () => {
  const history = new MetricHistory();
  const values = [0, 200, 70_000, 0.5, 3];
  for (const [at, value] of values.entries()) {
    history.add([gauge('tasks_live', 'h', value)], begin + at * 10 * second);
  }
  const found = history.read({ from: begin, until: begin + 50 * second, step: 10 * second });
  expect(valuesOf(found, 'a2a_gateway_tasks_live')).toEqual(values);
});

it('a history forgets what is older than a day, and stays small whatever the number of agents', () => {
  const history = new MetricHistory();
  let total = 0;
  for (let at = 0; at < 30 * hour; at += 10 * second) {
    total += 100_000;
    // Ten thousand agents, of which some hundred are busy in each hour.
    const busy = Math.floor(at / hour) * 100 + (at % 300);
    const agents = Array.from({ length: 20 }, (_, i) => calls(total, `agent-${busy + i}`));
    history.add([...agents, gauge('tasks_live', 'h', 1)], begin + at);
    expect(history.bytes).toBeLessThanOrEqual(4 * 1024 * 1024);
  }
  const now = begin + 30 * hour;
  const all = history.read({ from: begin, until: now, step: hour, names: ['a2a_gateway_tasks_live'] });
  expect(all[0]?.values).toEqual([...Array(5).fill(null), ...Array(25).fill(1)]);
});

it('a history refuses an answer of too many values', () => {
  const history = new MetricHistory();
  history.add(
    Array.from({ length: 300 }, (_, i) => calls(1, `agent-${i}`)),
    begin,
  );
  const range = { from: begin, until: begin + 2 * hour, step: 10 * second };
  expect(() => history.read(range)).toThrow(expect.objectContaining({ kind: 'invalidParams' }));
  expect(history.read({ ...range, agent: 'agent-7' })).toHaveLength(1);
});

describe('several processes', () => {
  const one = (values: (number | null)[], join: SeriesValues['join']): SeriesValues => ({
    name: 'n',
    labels: {},
    join,
    values,
  });

  it('several processes are one: increases are added, the worst value counts, and unknown values stay unknown', () => {
    const join = (kind: SeriesValues['join']) =>
      joinSeries([[one([1, 2, null, null], kind)], [one([3, null, 4, null], kind)]])[0]?.values;
    expect(join('increase')).toEqual([4, 2, 4, null]);
    expect(join('highest')).toEqual([3, 2, 4, null]);
    expect(join('lowest')).toEqual([1, 2, 4, null]);
  });

  it('several processes have the quantiles of all their values together', () => {
    const history = (values: readonly number[]): SeriesValues[] => {
      const latency = new Histogram(bounds.calls);
      for (const value of values) latency.observe(value);
      const each = new MetricHistory();
      each.add([histogram('request_duration_seconds', 'h', [[{ agent: 'demo' }, latency]])], begin);
      return each.read({ from: begin, until: begin + 20 * second, step: 10 * second });
    };
    const fast = Array.from({ length: 90 }, () => 0.003);
    const slow = Array.from({ length: 10 }, () => 1);
    const found = withQuantiles(joinSeries([history(fast), history(slow)]));
    const all = new Histogram(bounds.calls);
    for (const value of [...fast, ...slow]) all.observe(value);
    expect(found.map(({ labels, values }) => [labels.quantile, ...values])).toEqual([
      ['0.5', all.quantile(0.5), null],
      ['0.95', all.quantile(0.95), null],
    ]);
  });
});
