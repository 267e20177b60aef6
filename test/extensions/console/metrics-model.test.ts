import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import {
  type Chart,
  charts,
  increase,
  now,
  quantile,
  rate,
  rateOf,
  share,
} from '../../../src/extensions/console/pages/metrics/charts.ts';
import { History, parseMetrics, type Series } from '../../../src/extensions/console/pages/metrics/history.ts';
import {
  conditionOf,
  drawn,
  formatValue,
  metAlerts,
  summaryOf,
} from '../../../src/extensions/console/pages/metrics/summary.ts';
import { Metrics } from '../../../src/metrics/metrics.ts';
import { prometheusText } from '../../../src/metrics/text.ts';

const root = new URL('../../../', import.meta.url);
const text = (path: string): string => readFileSync(new URL(path, root), 'utf8');

describe('the text format', () => {
  const wanted = new Set(['a', 'b_bucket']);

  test('labels with escapes, exponents, infinities and times are read; other names are not', () => {
    const read = parseMetrics(
      [
        '# HELP a All kinds.',
        '# TYPE a gauge',
        'a 1.5e-3',
        'a{x="1"} +Inf 1700000000',
        'a{x="quote \\" slash \\\\ line\\nend",y="}"} 2',
        'other 3',
        'b_bucket{le="0.5",} 4',
        'b_bucket{le="+Inf"} 5\r',
      ].join('\n'),
      wanted,
    );
    expect([...read.keys()]).toEqual(['a', 'b_bucket']);
    expect(read.get('a')).toEqual([
      { labels: {}, value: 0.0015 },
      { labels: { x: '1' }, value: Infinity },
      { labels: { x: 'quote " slash \\ line\nend', y: '}' }, value: 2 },
    ]);
    expect(read.get('b_bucket')).toEqual([
      { labels: { le: '0.5' }, value: 4 },
      { labels: { le: '+Inf' }, value: 5 },
    ]);
  });

  test('lines that are damaged are left out', () => {
    expect(parseMetrics('a{x="1" 2\na{x=1} 2\na\na x\n\na 7', wanted).get('a')).toEqual([{ labels: {}, value: 7 }]);
  });

  test('whatever the gateway writes is read', () => {
    const labels = { agent: 'a "b"\\c\nd' };
    const family = { name: 'a', type: 'gauge', help: 'A\nhelp.', samples: [{ labels, value: 12 }] } as const;
    expect(parseMetrics(prometheusText.write([family]), wanted).get('a')).toEqual([{ labels, value: 12 }]);
  });
});

describe('the lines of a chart', () => {
  /** Reads figures, and returns the latest values by line. */
  const at = (series: Series) => {
    const history = new History([{ id: 'one', lines: [series] }], 60);
    return (time: number, ...lines: string[]) => {
      history.add(lines.join('\n'), time);
      const latest = history.lines('one').map(({ label, values }) => [label, values.at(-1)]);
      return Object.fromEntries(latest.filter(([, value]) => value !== null));
    };
  };

  test('figures are summed by a label, where other labels have the wanted values', () => {
    const read = at({ metric: 'm', where: { state: 'open' }, by: 'agent', show: now });
    expect(
      read(
        0,
        'm{agent="a",state="open",x="1"} 1',
        'm{agent="a",state="open",x="2"} 2',
        'm{agent="b",state="opened"} 4',
      ),
    ).toEqual({ a: 3 });
  });

  test('a rate is over its window, and does not fall when a counter begins anew', () => {
    const read = at({ metric: 'c', show: { ...rate, window: 20 } });
    expect(read(0, 'c 100')).toEqual({});
    expect(read(10, 'c 150')).toEqual({ '': 5 });
    expect(read(20, 'c 150')).toEqual({ '': 2.5 });
    // The gateway was restarted: 30 more.
    expect(read(30, 'c 30')).toEqual({ '': 1.5 });
  });

  test('a rate of some figures is that of lines that have such', () => {
    const read = at({ metric: 'c', by: 'agent', show: rateOf('r', /^(?:bad.*|odd)$/) });
    read(0);
    expect(read(10, 'c{agent="a",r="badly"} 10', 'c{agent="a",r="odd"} 10', 'c{agent="b",r="not odd"} 10')).toEqual({
      a: 2,
    });
  });

  test('a counter that appears later began at zero', () => {
    const read = at({ metric: 'c', by: 'agent', show: increase(60) });
    read(0);
    expect(read(10, 'c{agent="new"} 7')).toEqual({ new: 7 });
  });

  test('a share is of what grew in the window; of nothing there is none', () => {
    const read = at({ metric: 'c', show: share('r', /^bad.*$/) });
    read(0, 'c{r="ok"} 1000', 'c{r="bad"} 1000');
    expect(read(10, 'c{r="ok"} 1000', 'c{r="bad"} 1000')).toEqual({});
    expect(read(20, 'c{r="ok"} 1009', 'c{r="bad"} 1000', 'c{r="badly"} 1')).toEqual({ '': 0.1 });
  });

  test('more lines than a chart can hold are summed', () => {
    const read = at({ metric: 'm', by: 'agent', show: now });
    const values = read(0, ...Array.from({ length: 100 }, (_, i) => `m{agent="a${i}"} 1`));
    expect(Object.keys(values)).toHaveLength(41);
    expect(values.others).toBe(60);
  });

  test('quantiles of a histogram are those of the window, each line for itself', () => {
    const read = at({ metric: 'h_bucket', by: 'agent', show: quantile(0.5) });
    const histogram = (agent: string, ...counts: number[]) =>
      ['1', '2', '4', '+Inf'].map((le, i) => `h_bucket{agent="${agent}",x="1",le="${le}"} ${counts[i]}`);
    expect(read(0, ...histogram('a', 90, 90, 90, 90))).toEqual({});
    expect(read(10, ...histogram('a', 90, 100, 100, 100), ...histogram('b', 0, 0, 0, 8))).toEqual({ a: 1.5, b: 4 });
  });
});

describe('quantiles', () => {
  const buckets = new Map([
    ['0.1', 10],
    ['1', 30],
    ['+Inf', 40],
  ]);

  test.each([
    [0.25, 0.1],
    [0.5, 0.55],
    [0.75, 1],
    [0.99, 1],
    [0, 0],
  ])('%d is interpolated as by Prometheus', (wanted, value) => {
    expect(quantile(wanted).value(buckets, 60)).toBeCloseTo(value);
  });

  test('an empty histogram has none', () => {
    expect(quantile(0.5).value(new Map(), 60)).toBeUndefined();
    expect(quantile(0.5).value(new Map([['+Inf', 0]]), 60)).toBeUndefined();
  });
});

describe('the history', () => {
  const chart = {
    id: 'one',
    lines: [
      { metric: 'g', by: 'x', show: now },
      { label: 'rate', metric: 'c', show: rate },
    ],
  };

  test('a line that appears later has no values before; one that goes away has none after', () => {
    const history = new History([chart], 5);
    history.add('g{x="a"} 1\nc 0', 0);
    history.add('g{x="a"} 2\ng{x="b"} 3\nc 10', 5);
    history.add('g{x="b"} 4\nc 10', 10);
    expect(history.times).toEqual([0, 5, 10]);
    expect(history.lines('one')).toEqual([
      { label: 'a', values: [1, 2, null] },
      { label: 'b', values: [null, 3, 4] },
      { label: 'rate', values: [null, 2, 1] },
    ]);
  });

  test('a break interrupts all lines', () => {
    const history = new History([chart], 5);
    history.add('g{x="a"} 1\nc 0', 0);
    history.add('g{x="a"} 1\nc 10', 100);
    history.add('g{x="a"} 1\nc 15', 105);
    expect(history.times).toEqual([0, 50, 100, 105]);
    expect(history.lines('one')).toEqual([
      { label: 'a', values: [1, null, 1, 1] },
      { label: 'rate', values: [null, null, null, 1] },
    ]);
  });

  test('is an hour long at most, and forgets lines without values', () => {
    const history = new History([chart], 5);
    history.add('g{x="old"} 1', 0);
    for (let time = 5; time <= 8_000; time += 5) history.add('g{x="a"} 1', time);
    expect(history.times.length).toBe(721);
    expect(history.times[0]).toBe(4_400);
    expect(history.lines('one').map(({ label, values }) => [label, values.length])).toEqual([['a', 721]]);
  });
});

describe('the charts', () => {
  interface Rule {
    readonly alert: string;
    readonly expr: string;
    readonly for?: string;
  }
  const { groups } = parse(text('examples/alerts.yml')) as { groups: { rules: Rule[] }[] };
  const rules = groups.flatMap((group) => group.rules);
  /** Alerts without a threshold that could be drawn, and where the console shows them. */
  const shownOtherwise: Readonly<Record<string, string>> = {
    GatewayDown: 'the page says that the gateway does not answer',
    GatewayLost: 'replicas',
  };

  test('have ids of their own', () => {
    expect(new Set(charts.map(({ id }) => id)).size).toBe(charts.length);
  });

  test.each(rules.map((rule) => [rule.alert, rule] as const))(
    'show what %s alerts on',
    (name, { expr, for: lasts }) => {
      const place = shownOtherwise[name];
      if (place !== undefined) return;
      const chart = charts.find(({ alerts = [] }) => alerts.some((alert) => alert.name === name)) as Chart;
      const alert = chart.alerts?.find((one) => one.name === name);
      const [, when, value] = /(>|==) ([\d.]+)$/.exec(expr) ?? [];
      expect(alert).toMatchObject({ when, value: Number(value) });
      expect(alert?.lasts).toBe(lasts);
      const lines = chart.lines.filter(({ label }) => alert?.line === undefined || label === alert.line);
      const named = [...new Set(expr.match(/(?:a2a_gateway|nodejs|process)_\w+/g))];
      expect(lines.map(({ metric }) => metric)).toEqual(expect.arrayContaining(named));
      for (const { label, where = {}, show } of lines) {
        const wanted =
          show.pick === undefined ? where : { ...where, [show.parts ?? '']: /\?:(.*)\)/.exec(show.pick.source)?.[1] };
        for (const [name, pattern] of Object.entries(wanted)) {
          expect(expr).toMatch(new RegExp(`${name}=~?"${String(pattern).replace(/[|.*]/g, '\\$&')}"`));
        }
        if (show.parts === 'le')
          expect(expr).toContain(`histogram_quantile(${Number.parseInt(label ?? '', 10) / 100},`);
      }
    },
  );

  test('name no alert that the file does not have', () => {
    const named = charts.flatMap(({ alerts = [] }) => alerts.map(({ name }) => name));
    const known = rules.map(({ alert }) => alert).filter((alert) => !(alert in shownOtherwise));
    expect(named.toSorted()).toEqual(known.toSorted());
  });

  test('read only what the gateway serves', async () => {
    const figures = { replicas: 1, push: { due: 0, waiting: 0 } };
    const connections = { open: 1, idle: 1, waiting: 0 };
    const store = { figures: async () => figures, connections: () => connections, now: () => 0 };
    const push = { delivered: 0, failed: 0, dead: 0, held: 0, receivers: 0, silent: 0 };
    const families = await new Metrics('0').families({
      live: () => 0,
      agents: () => ({ a: { state: 'ok', breaker: 'closed' } }),
      push: () => push,
      store: store as never,
    });
    const names = new Set(families.map(({ name }) => name));
    const read = charts.flatMap(({ lines }) => lines.map(({ metric }) => metric));
    expect(read.filter((name) => !names.has(name.replace(/_bucket$/, '')))).toEqual([]);
    const documented = text('docs/reference/metrics.md');
    const own = read.filter((name) => name.startsWith('a2a_')).map((name) => name.replace(/_bucket$/, ''));
    expect(own.filter((name) => !documented.includes(`\`${name}\``))).toEqual([]);
  });

  test('show which conditions are met', () => {
    const chart = charts.find(({ id }) => id === 'transactions') as Chart;
    const lines = [
      { label: '50 %', values: [0.5] },
      { label: '99 %', values: [0.6, 0.2] },
    ];
    expect(metAlerts(chart, lines)).toEqual([]);
    expect(metAlerts(chart, [{ label: '99 %', values: [0.3] }]).map(({ name }) => name)).toEqual(['StoreSlow']);
    const down: Pick<Chart, 'alerts'> = { alerts: [{ name: 'StoreDown', when: '==', value: 0 }] };
    expect(metAlerts(down, [{ label: 'up', values: [0] }])).toHaveLength(1);
    expect(metAlerts(down, [{ label: 'up', values: [null] }])).toEqual([]);
  });
});

describe('what is said about a chart', () => {
  test('values have three digits and the fitting unit', () => {
    expect([0.0000321, 0.0123, 0.25, 1, 59.94, 90, 5_400].map((value) => formatValue(value, 'seconds'))).toEqual([
      ...['32.1 µs', '12.3 ms', '250 ms', '1 s', '59.9 s', '1.5 min', '1.5 h'],
    ]);
    expect(formatValue(0, 'seconds')).toBe('0 s');
    expect(formatValue(131_072_000, 'bytes')).toBe('125 MiB');
    expect(formatValue(0.0512, 'share')).toBe('5.12 %');
    expect(formatValue(1_234.5678, 'perSecond')).toBe('1235/s');
    expect(formatValue(0.05, 'perSecond')).toBe('0.05/s');
    expect(formatValue(12_345, 'count')).toBe('12,345');
    expect(formatValue(null, 'count')).toBe('–');
  });

  test('a summary has the latest, lowest, average and highest value', () => {
    expect(summaryOf({ label: 'a', values: [null, 1, 3, null] })).toEqual({
      ...{ label: 'a', latest: null, lowest: 1, average: 2, highest: 3 },
    });
    expect(summaryOf({ label: 'a', values: [null] })).toMatchObject({ lowest: null, average: null });
  });

  test('the eight highest lines are drawn, in the order of their labels', () => {
    const lines = Array.from({ length: 20 }, (_, i) => ({ label: `agent ${i}`, values: [i, 0] }));
    expect(drawn(lines).map(({ label }) => label)).toEqual([12, 13, 14, 15, 16, 17, 18, 19].map((i) => `agent ${i}`));
  });

  test('a condition is said in words', () => {
    const seconds = (value: number): string => formatValue(value, 'seconds');
    const alert = { name: 'StoreSlow', when: '>', value: 0.25, lasts: '10m', line: '99 %' } as const;
    expect(conditionOf(alert, seconds)).toBe('99 % above 250 ms for 10 min');
    expect(conditionOf({ name: 'StoreDown', when: '==', value: 0 }, String)).toBe('at 0');
  });
});
