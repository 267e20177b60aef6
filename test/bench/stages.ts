/**
 * Shows where the time of a call goes: profiles the main thread of the gateway under load of 16 callers and adds it up by stage,
 * in microseconds per call. Another checkout, with its node_modules, can be measured beside this one.
 *
 * Usage: npm run bench:stages -- [--tree DIR]… [--duration 8000] [--functions 20]
 */
import { parseArgs } from 'node:util';
import { loadHttp } from './load/http.ts';
import { rounded } from './part.ts';
import { connections, params10, rpc, version10, words } from './requests.ts';
import { ServerProcess, type StartOptions } from './server-process.ts';
import type { Stages } from './servers/profile.ts';

const { values } = parseArgs({
  options: {
    tree: { type: 'string', multiple: true, default: [] },
    duration: { type: 'string', default: '8000' },
    functions: { type: 'string', default: '20' },
  },
});
const duration = Number(values.duration);
const trees: readonly (string | undefined)[] = [undefined, ...values.tree];
const call = (text: string): Buffer => rpc('/', 'SendMessage', params10(text), version10);

type Start = (options: StartOptions) => Promise<ServerProcess>;

/** One column of the table. Its functions are those that took most of the time. */
async function measure(start: Start, tree: string | undefined, request: Buffer, expect: string) {
  const gateway = await start({ preload: 'profile', ...(tree !== undefined && { tree }) });
  try {
    const load = (ms: number) => loadHttp(gateway.http, request, { connections, duration: ms, expect });
    await load(duration);
    const before = await gateway.usage();
    const plain = await load(duration);
    const cpu = ((await gateway.usage()).cpu - before.cpu) / plain.requests;
    await gateway.ask('profile start', 'started' as never);
    const { requests } = await load(duration);
    const { stages, functions } = await gateway.ask<Stages>('profile stop', 'stages');
    const perCall = ([name, time]: [string, number]): [string, number] => [name, rounded(time / requests)];
    const byTime = (times: Readonly<Record<string, number>>) =>
      Object.entries(times)
        .toSorted(([, a], [, b]) => b - a)
        .map(perCall);
    const sum = rounded(Object.values(stages).reduce((total, time) => total + time, 0) / requests);
    const sums = { 'main thread, with the profiler': sum, 'CPU of all threads, without the profiler': rounded(cpu) };
    return { stages: { ...Object.fromEntries(byTime(stages)), ...sums }, functions: byTime(functions) };
  } finally {
    await gateway.stop();
  }
}

async function show(what: string, start: Start, request: Buffer, expect: string): Promise<void> {
  const rows: Record<string, Record<string, number>> = {};
  for (const tree of trees) {
    const { stages, functions } = await measure(start, tree, request, expect);
    for (const [stage, time] of Object.entries(stages)) rows[stage] = { ...rows[stage], [tree ?? 'here']: time };
    console.log(`${what}, ${tree ?? 'here'}: functions with most time, µs per call`);
    console.table(functions.slice(0, Number(values.functions)).map(([name, time]) => ({ name, µs: time })));
  }
  console.log(`${what}: µs per call by stage`);
  console.table(rows);
}

const agent = await ServerProcess.start('bare-agent', '1.0');
try {
  const url = `http://localhost:${agent.http}`;
  const bridge: Start = (options) => ServerProcess.startWith(options, 'bridge', url);
  await show('bridged task', bridge, call(words), 'TASK_STATE_COMPLETED');
  const gateway: Start = (options) => ServerProcess.startWith(options, 'gateway');
  await show('direct message', gateway, call(`say ${words}`), 'ROLE_AGENT');
} finally {
  await agent.stop();
}
