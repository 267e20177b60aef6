import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import {
  type Alert,
  type Chart,
  charts,
  metricNames,
  type Series,
  unitOf,
} from '../../../src/extensions/console/metrics/charts.ts';
import { isFiring, linesOf, type Metrics } from '../../../src/extensions/console/metrics/lines.ts';
import { conditionOf, drawn, formatValue, highestOf } from '../../../src/extensions/console/metrics/summary.ts';
import { keptFamilies } from '../../../src/metrics/history.ts';

const root = new URL('../../../', import.meta.url);
const text = (path: string): string => readFileSync(new URL(path, root), 'utf8');

describe('the lines of a chart', () => {
  const metrics = (...series: Metrics['series'][number][]): Metrics => ({
    times: [0, 60, 120],
    step: 60,
    end: 150,
    series,
    missing: [],
  });
  const counter = (labels: Record<string, string>, ...values: (number | null)[]) => ({ name: 'c', labels, values });
  const lines = (line: Series, ...series: Metrics['series'][number][]) =>
    Object.fromEntries(linesOf({ lines: [line] }, metrics(...series)).map(({ label, values }) => [label, values]));

  test('values are summed by a label, where other labels have the wanted values', () => {
    const line = { metric: 'c', where: { state: 'open', x: /^[12]$/ }, by: 'agent' } as const;
    const found = lines(
      line,
      counter({ agent: 'a', state: 'open', x: '1' }, 1, null, null),
      counter({ agent: 'a', state: 'open', x: '2' }, 2, 3, null),
      counter({ agent: 'a', state: 'opened', x: '2' }, 4, 4, 4),
      counter({ agent: 'b', state: 'open', x: '3' }, 4, 4, 4),
    );
    expect(found).toEqual({ a: [3, 3, null] });
  });

  test('a rate is by the second, also in the step that is not over, and unknown where the values are', () => {
    const line = { metric: 'c', label: 'all', show: 'rate' } as const;
    expect(lines(line, counter({}, 60, null, 60), counter({ x: '1' }, 60, null, 60))).toEqual({ all: [2, null, 4] });
    expect(lines({ ...line, show: 'growth' }, counter({}, 60, null, 0))).toEqual({ all: [60, null, 0] });
  });

  test('a share is of all values; of nothing there is none, and of calls without failures it is 0', () => {
    const line = { metric: 'c', label: 'failed', where: { r: /^bad/ }, show: 'share' } as const;
    expect(lines(line, counter({ r: 'ok' }, 9, 0, null), counter({ r: 'badly' }, 1, 0, null))).toEqual({
      failed: [0.1, null, null],
    });
    expect(lines(line, counter({ r: 'ok' }, 9, 0, null))).toEqual({ failed: [0, null, null] });
    expect(lines(line)).toEqual({});
  });
});

describe('alerts', () => {
  const firing = (alert: Omit<Alert, 'name'>, ...values: (number | null)[]): boolean =>
    isFiring(
      { alert: { name: 'one', ...alert } },
      [{ label: 'a', values: [0, 0], ...(values.length > 0 && { values }) }],
      { times: values.map((_, at) => at * 60), step: 60, end: values.length * 60, series: [], missing: [] },
    );

  test('alerts fire where the condition has held for as long as it has to', () => {
    const alert = { when: '>', value: 1, lasts: '3m' } as const;
    expect(firing(alert, 0, 0, 0, 0, 2, 2)).toBe(false);
    expect(firing(alert, 0, 0, 0, 2, 2, 2)).toBe(true);
    expect(firing(alert, 2, 2, 2, 2, 1, 2)).toBe(false);
    // A gateway that has just started.
    expect(firing(alert, null, null, null, null, 2, 2)).toBe(false);
    expect(firing(alert, 2, 2, 2, 2, null, null)).toBe(true);
    expect(firing(alert, 2, 2, ...Array(8).fill(null))).toBe(false);
    expect(firing({ when: '==', value: 0, lasts: '1m' }, 1, 0, 0)).toBe(true);
    expect(firing({ when: '>', value: 1, lasts: '3m', line: 'b' }, 2, 2, 2, 2, 2, 2)).toBe(false);
  });

  test('alerts about what has grown fire for some time after it did', () => {
    const alert = { when: '>', value: 0, within: '3m' } as const;
    expect(firing(alert, 0, 0, 0, 0, 1, 0)).toBe(true);
    expect(firing(alert, 0, 1, 0, 0, 0, 0)).toBe(false);
    expect(firing(alert, null, null, null, null, null, 1)).toBe(true);
  });
});

describe('the charts', () => {
  interface Rule {
    readonly alert: string;
    readonly expr: string;
    readonly for?: string;
  }
  const { groups } = parse(text('deploy/helm/a2a-gateway/files/alerts.yml')) as { groups: { rules: Rule[] }[] };
  const rules = groups.flatMap((group) => group.rules);
  /** Alerts without a threshold that could be drawn, and where the console shows them. */
  const shownOtherwise: Readonly<Record<string, string>> = {
    GatewayDown: 'the page says that the gateway does not answer',
    GatewayLost: 'Replicas',
  };

  test('the charts have titles of their own', () => {
    expect(new Set(charts.map(({ title }) => title)).size).toBe(charts.length);
  });

  test.each(rules.map((rule) => [rule.alert, rule] as const))(
    'the charts show what %s alerts on',
    (name, { expr, for: lasts }) => {
      const place = shownOtherwise[name];
      if (place !== undefined) return;
      const { lines: all, alert } = charts.find((chart) => chart.alert?.name === name) as Chart;
      const [, when, value] = /(>|==) ([\d.]+)$/.exec(expr) ?? [];
      expect(alert).toMatchObject({ when, value: Number(value) });
      expect(alert?.lasts).toBe(lasts);
      const lines = all.filter(({ label }) => alert?.line === undefined || label === alert.line);
      const named = [...new Set(expr.match(/(?:a2a_gateway|nodejs|process)_\w+/g))];
      expect(named.map((one) => one.replace(/_bucket$/, ''))).toEqual(lines.map(({ metric }) => metric));
      for (const { where = {} } of lines) {
        // Its quantile of 0.95 is never above the one of 0.99 that the alert is about.
        const { quantile, ...labels } = where;
        if (quantile !== undefined) expect(expr).toContain('histogram_quantile(0.99');
        for (const [name, value] of Object.entries(labels)) {
          const pattern = typeof value === 'string' ? value : (/\?:(.*)\)/.exec(value.source)?.[1] ?? '');
          expect(expr).toMatch(new RegExp(`${name}=~?"${pattern.replace(/[|.*]/g, '\\$&')}"`));
        }
      }
      if (alert?.within !== undefined) expect(expr).toContain(`[${alert.within}]`);
    },
  );

  test('the charts name no alert that the file does not have', () => {
    const named = charts.flatMap(({ alert }) => alert?.name ?? []);
    const known = rules.map(({ alert }) => alert).filter((alert) => !(alert in shownOtherwise));
    expect(named.toSorted()).toEqual(known.toSorted());
  });

  test('the charts read only what the gateway keeps', () => {
    expect(metricNames().filter((name) => !keptFamilies.includes(name))).toEqual([]);
  });
});

describe('what is said about a chart', () => {
  test('values have three digits and the fitting unit', () => {
    expect(
      [0.0000000004, 0.0000003, 0.0000321, 0.0123, 0.25, 1, 59.94, 90, 5_400].map((value) =>
        formatValue(value, 'seconds'),
      ),
    ).toEqual([...['0 ns', '300 ns', '0.032 ms', '12 ms', '250 ms', '1.0 s', '1 min', '1 min 30 s', '1 h 30 min']]);
    expect(formatValue(0, 'seconds')).toBe('0 s');
    expect(formatValue(131_072_000, 'bytes')).toBe('125 MiB');
    expect(formatValue(0.0512, 'share')).toBe('5.12 %');
    expect(formatValue(1_234.5678, 'perSecond')).toBe('1235/s');
    expect(formatValue(0.05, 'perSecond')).toBe('0.05/s');
    expect(formatValue(12_345, 'count')).toBe('12,345');
    expect(formatValue(null, 'count')).toBe('–');
  });

  test('the highest known value of a line is found', () => {
    expect(highestOf({ values: [null, 1, 3, null] })).toBe(3);
    expect(highestOf({ values: [null] })).toBeNull();
  });

  test('the eight highest lines are drawn, in the order of their labels', () => {
    const lines = Array.from({ length: 20 }, (_, i) => ({ label: `agent ${i}`, values: [i, 0] }));
    expect(drawn(lines).map(({ label }) => label)).toEqual([12, 13, 14, 15, 16, 17, 18, 19].map((i) => `agent ${i}`));
  });

  test('a condition is said in words', () => {
    const said = (metric: string, alert: Omit<Alert, 'name'>): string =>
      conditionOf({ lines: [{ metric }], alert: { name: 'one', ...alert } });
    expect(said('x_seconds', { when: '>', value: 0.25, lasts: '10m', line: '99 %' })).toBe(
      '99 % above 250 ms for 10 min',
    );
    expect(said('x', { when: '==', value: 0 })).toBe('at 0');
    expect(said('x', { when: '>', value: 0, within: '1h' })).toBe('above 0 within 1 h');
  });

  test('the unit of a chart follows from the name of the metric and how it is shown', () => {
    const unit = (metric: string, show?: Series['show']) => unitOf({ lines: [{ metric, ...(show && { show }) }] });
    expect([unit('x_seconds'), unit('x_p99_seconds'), unit('x_bytes'), unit('x')]).toEqual([
      ...['seconds', 'seconds', 'bytes', 'count'],
    ]);
    expect([unit('cpu_seconds_total', 'rate'), unit('x_total', 'rate')]).toEqual(['share', 'perSecond']);
    expect([unit('x_total', 'share'), unit('x_total', 'growth')]).toEqual(['share', 'count']);
  });
});
