/**
 * Measures how the gateway grows: one gateway, two and three on one PostgreSQL, SQLite beside them; how much later others
 * tell what one writes; what an event costs that other gateways follow; what stored tasks and open subscriptions cost; and a
 * hundred replicas without HTTP. Prints tables, writes test/bench/results/scaling.json, and docs/operate/scaling.svg with `--figure`.
 *
 * Usage: npm run bench:scaling -- [--rounds 3] [--duration 3000] [--tasks 1000,10000,100000,1000000]
 *   [--subscriptions 100,1000,10000] [--followers 0,1,10] [--fleet 2,10,50,100] [--rate 200] [--setup NAME] [--figure]
 *   [--only throughput|lag|followers|stored|subscriptions|fleet] [--out FILE]
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { startPostgres } from '../../support/postgres.ts';
import { drawCharts, type Line } from './figure.ts';
import { measureFleets } from './fleet.ts';
import { measureFollowers } from './followers.ts';
import { measureLag, measureSubscriptions } from './following.ts';
import { durable } from './machine.ts';
import { measureStored } from './stored.ts';
import { measureThroughput } from './throughput.ts';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '3' },
    duration: { type: 'string', default: '3000' },
    tasks: { type: 'string', default: '1000,10000,100000,1000000' },
    subscriptions: { type: 'string', default: '100,1000,10000' },
    followers: { type: 'string', default: '0,1,10' },
    // Numbers of replicas, and events a second of all together.
    fleet: { type: 'string', default: '2,10,50,100' },
    rate: { type: 'string', default: '200' },
    out: { type: 'string', default: fileURLToPath(new URL('../results/scaling.json', import.meta.url)) },
    only: { type: 'string', default: '' },
    // Of the throughput: setups whose names contain this text.
    setup: { type: 'string', default: '' },
    figure: { type: 'boolean', default: false },
  },
});
const wanted = (part: string): boolean => part.includes(values.only);
const numbers = (list: string): number[] => list.split(',').map(Number);
/** Figures as they are printed: three digits that say something. */
const shown = (row: object): object =>
  Object.fromEntries(
    Object.entries(row).map(([key, value]) => [key, typeof value === 'number' ? digits(value) : value]),
  );
const digits = (value: number): number => (value >= 100 ? Math.round(value) : Number(value.toPrecision(3)));

// A hundred replicas have three connections each.
const postgres = await startPostgres([...durable, '-c', 'max_connections=400']);
const interrupted = (): void => {
  void postgres.stop().then(() => process.exit(130));
};
process.on('SIGINT', interrupted);
process.on('SIGTERM', interrupted);
const charts = [];
const result: Record<string, unknown> = { at: new Date().toISOString(), node: process.version };
try {
  if (wanted('throughput')) {
    const rows = await measureThroughput(postgres, values.setup, Number(values.rounds), Number(values.duration));
    console.table(rows.map(shown));
    result.throughput = rows;
  }
  if (wanted('lag')) {
    const lag = await measureLag(postgres);
    console.table([shown(lag)]);
    result.lag = lag;
  }
  if (wanted('followers')) {
    const rows = await measureFollowers(postgres, numbers(values.followers));
    console.table(rows.map(shown));
    result.followers = rows;
  }
  if (wanted('fleet')) {
    const load = { rate: Number(values.rate), duration: Number(values.duration) };
    const rows = await measureFleets(postgres, numbers(values.fleet), load);
    console.table(rows.map(shown));
    result.fleet = rows;
  }
  if (wanted('subscriptions')) {
    const rows = await measureSubscriptions(postgres, numbers(values.subscriptions));
    console.table(rows.map(shown));
    result.subscriptions = rows;
    const line = (name: string, key: keyof (typeof rows)[number]): Line => ({
      name,
      // Values too small to measure are drawn at the axis.
      points: rows.map((row) => [row.subscriptions, Math.max(row[key], 0.1)]),
    });
    charts.push({
      title: 'Open subscriptions, each to a task elsewhere',
      x: 'subscriptions',
      y: 'cost',
      lines: [
        line('KiB of memory each', 'kib'),
        line('gateway, idle: CPU ms a second', 'idleGateway'),
        line('CPU µs for each event told', 'perEvent'),
        line('PostgreSQL, idle: CPU ms a second', 'idlePostgres'),
      ],
    });
  }
  if (wanted('stored')) {
    const rows = await measureStored(postgres, numbers(values.tasks));
    console.table(rows.map(({ store, tasks, costs }) => shown({ store, tasks, ...costs })));
    result.stored = rows;
    for (const store of new Set(rows.map((row) => row.store))) {
      const own = rows.filter((row) => row.store === store);
      const names = Object.keys(own[0]?.costs ?? {});
      const lines = names.map((name): Line => ({ name, points: own.map((row) => [row.tasks, row.costs[name] ?? 1]) }));
      charts.push({ title: `Stored tasks, ${store}`, x: 'tasks in the store', y: 'milliseconds', lines });
    }
  }
} finally {
  await postgres.stop();
}
mkdirSync(dirname(values.out), { recursive: true });
writeFileSync(values.out, `${JSON.stringify(result, undefined, 2)}\n`);
if (values.figure && charts.length > 0) {
  writeFileSync(new URL('../../../docs/operate/scaling.svg', import.meta.url), drawCharts(charts));
}
