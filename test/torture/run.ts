import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { havoc, schedule } from './chaos.ts';
import { checkAnswers } from './check-answers.ts';
import { checkLogs, type Violation } from './check-logs.ts';
import { adrift, checkExecutions, checkMessages } from './check-messages.ts';
import { checkNotified, checkWatched } from './check-readers.ts';
import { checkUpstream } from './check-upstream.ts';
import { Clients } from './clients.ts';
import { Cluster } from './cluster.ts';
import { countsOf } from './counts.ts';
import { Ledger, type Said } from './ledger.ts';
import { Load } from './load.ts';
import { Logs } from './logs.ts';
import { Random } from './random.ts';
import { report } from './report.ts';
import { Watchers } from './watchers.ts';
import { startWebhooks, type Webhooks } from './webhooks.ts';

export interface TortureOptions {
  readonly seed: number;
  /** How long everything is under attack. */
  readonly seconds: number;
  /** Clients that talk at the same time. */
  readonly clients: number;
  /** More kinds of attacks than the bare minimum. */
  readonly long: boolean;
  readonly print: (line: string) => void;
  /** Ends it early, everything included that was started. */
  readonly signal?: AbortSignal;
}

/** What came of it. */
export interface Outcome {
  readonly violations: readonly Violation[];
  /** Every message that was sent. */
  readonly said: readonly Said[];
  readonly counts: Readonly<Record<string, string | number>>;
  /** Where the gateways' logs lie; undefined when all was well, and they are gone. */
  readonly folder: string | undefined;
}

/** Milliseconds after the last blow until nothing may be under way any more. */
const settling = 30_000;

/** Starts a cluster, puts it under load, lets terrible things happen to it, and looks at what is left. */
export async function torture(options: TortureOptions): Promise<Outcome> {
  const folder = mkdtempSync(join(tmpdir(), 'a2a-gateway-torture-'));
  let kept = true;
  const cluster = await Cluster.start(folder);
  const aborted = Promise.withResolvers<never>();
  const abort = (): void => aborted.reject(new Error('interrupted'));
  options.signal?.addEventListener('abort', abort, { once: true });
  const random = new Random(options.seed + 1);
  const ledger = new Ledger();
  const hooks = await startWebhooks(ledger, new Random(options.seed + 2));
  const clients = new Clients(cluster.ports, random);
  try {
    const running = run(options, { cluster, random, ledger, hooks, clients });
    const outcome = await Promise.race([running, cluster.survive(), aborted.promise]);
    kept = outcome.violations.length > 0;
    const told = { ...outcome, folder: kept ? folder : undefined };
    if (kept) writeFileSync(join(folder, 'report.txt'), report(told, options));
    return told;
  } finally {
    options.signal?.removeEventListener('abort', abort);
    await cluster.end();
    await clients.close();
    await hooks.close();
    if (!kept) rmSync(folder, { recursive: true, force: true });
  }
}

interface Stage {
  readonly cluster: Cluster;
  readonly random: Random;
  readonly ledger: Ledger;
  readonly hooks: Webhooks;
  readonly clients: Clients;
}

async function run(options: TortureOptions, stage: Stage): Promise<Omit<Outcome, 'folder'>> {
  const { cluster, random, ledger, hooks, clients } = stage;
  const watchers = new Watchers(clients, ledger);
  const load = new Load({ clients, watchers, ledger, random, hook: hooks.url });
  const talking = load.run(options.clients);
  const tally = await havoc(cluster, schedule(options), options.print);
  options.print('the last blow has fallen');
  load.stop();
  hooks.behave();
  const calm = Date.now();
  const left = (): number => Math.max(0, settling - (Date.now() - calm));
  await Promise.race([talking, delay(settling)]);
  const silent = Date.now() - calm;
  await watchers.end(left());
  const logs = await atRest(cluster.store, ledger, left);
  const rested = Date.now() - calm;
  options.print(`all talk was over after ${silent} ms, all work after ${rested} ms`);
  const violations = await judge(stage, logs);
  return { violations, said: ledger.said, counts: { ...countsOf(stage, logs, tally), 'ms to rest': rested } };
}

/** What the database holds when nothing is under way any more, and nothing waits for a webhook; or when it is too late. */
async function atRest(store: string, ledger: Ledger, left: () => number): Promise<Logs> {
  for (;;) {
    const logs = await Logs.read(store);
    const last = new Map(logs.tasks.map(({ key, seq }) => [key, seq]));
    const lost = adrift(ledger, logs);
    const working = logs.tasks.some(({ id, owner }) => owner !== null && !lost.has(id));
    const waiting = logs.hooks.some(({ key, cursor, active }) => active && cursor < (last.get(key) ?? 0));
    if ((!working && !waiting) || left() === 0) return logs;
    await delay(200);
  }
}

async function judge({ cluster, ledger, clients }: Stage, logs: Logs): Promise<Violation[]> {
  const fallen = cluster.falls.filter(({ wasReady }) => wasReady);
  return [
    ...checkLogs(logs, adrift(ledger, logs)),
    ...checkMessages(ledger, logs),
    ...checkExecutions(cluster.executions),
    ...checkWatched(ledger, logs),
    ...checkNotified(ledger, logs),
    ...(await checkUpstream(cluster.upstream.far, logs)).violations,
    ...(await checkAnswers(clients, cluster.gateways.length, logs)),
    ...fallen.map(({ gateway, how }) => ({ what: `gateway ${gateway} fell by itself: ${how}` })),
  ];
}
