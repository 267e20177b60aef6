import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { query } from '../support/postgres.ts';
import { Random } from '../support/random.ts';
import { checkAnswers } from '../workload/check-answers.ts';
import { checkExecutions } from '../workload/check-executions.ts';
import { checkLogs, type Violation } from '../workload/check-logs.ts';
import { adrift, checkMessages } from '../workload/check-messages.ts';
import { checkNotified, checkWatched } from '../workload/check-readers.ts';
import { checkTold } from '../workload/check-told.ts';
import { checkUpstream } from '../workload/check-upstream.ts';
import { Clients } from '../workload/clients.ts';
import { Effects } from '../workload/effects.ts';
import { Ledger, type Said } from '../workload/ledger.ts';
import { Load } from '../workload/load.ts';
import { Logs } from '../workload/logs.ts';
import { Sender } from '../workload/sender.ts';
import { Watchers } from '../workload/watchers.ts';
import { startWebhooks, type Webhooks } from '../workload/webhooks.ts';
import { readExecutions } from './agents/executions.ts';
import { clocks, type HavocOptions, havoc, type Tally, type TroubleName } from './chaos.ts';
import { Cluster } from './cluster.ts';
import { countsOf } from './counts.ts';
import { report, runOf } from './report.ts';

export interface TortureOptions {
  readonly seed: number;
  /** Seconds for which the gateways are under attack. */
  readonly seconds: number;
  /** Clients that talk at the same time. */
  readonly clients: number;
  /** Troubles of the gateways. */
  readonly troubles: readonly TroubleName[];
  /** Whether NATS carries the notifications. Default: PostgreSQL does. */
  readonly nats?: boolean;
  /** Whether some agents have a database of their own. Default false. */
  readonly several?: boolean;
  /** Called with what happens, when it does. Default: nothing. */
  readonly print?: (line: string) => void;
  /** Ends it early, everything included that was started. */
  readonly signal?: AbortSignal;
}

/** A violation, with what found it. */
export type Found = Violation & { readonly check: string };

/** The results of a run. */
export interface Outcome {
  readonly violations: readonly Found[];
  /** Every message that was sent. */
  readonly said: readonly Said[];
  readonly counts: Readonly<Record<string, string | number>>;
  readonly tally: Tally;
  /** Events of the run, one line each. */
  readonly log: readonly string[];
  /** Folder of the gateways' logs; undefined when all was well and they were removed. */
  readonly folder: string | undefined;
}

/** Milliseconds after the last blow until nothing may be under way any more. */
const settling = 30_000;

/** Starts a cluster, puts it under load, lets terrible things happen to it, and looks at what is left. */
export async function torture(options: TortureOptions): Promise<Outcome> {
  const folder = mkdtempSync(join(tmpdir(), 'a2a-gateway-torture-'));
  let kept = true;
  const off = clocks(options);
  const failed = (cause: unknown): never => {
    throw new Error([`${runOf(options)}: ${cause}; the logs lie in ${folder}`, ...log].join('\n'), { cause });
  };
  const log: string[] = [];
  const starting = Cluster.start({
    folder,
    clocks: off,
    random: new Random(options.seed + 4),
    nats: options.nats === true,
    several: options.several === true,
  });
  const cluster = await starting.catch(failed);
  const aborted = Promise.withResolvers<never>();
  const abort = (): void => aborted.reject(new Error('interrupted'));
  options.signal?.addEventListener('abort', abort, { once: true });
  const random = new Random(options.seed + 1);
  const ledger = new Ledger();
  const hooks = await startWebhooks(ledger, new Random(options.seed + 2));
  const clients = new Clients(cluster.urls, random);
  const print = (line: string): void => {
    log.push(line);
    options.print?.(line);
  };
  try {
    const running = run({ ...options, print }, { cluster, random, ledger, hooks, clients, clocks: off });
    const outcome = await Promise.race([running, cluster.survive(), aborted.promise]);
    kept = outcome.violations.length > 0;
    const told = { ...outcome, log, folder: kept ? folder : undefined };
    if (kept) writeFileSync(join(folder, 'report.txt'), report(told, options));
    return told;
  } catch (cause) {
    return failed(cause);
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
  readonly clocks: readonly number[];
}

async function run(options: TortureOptions & HavocOptions, stage: Stage): Promise<Omit<Outcome, 'folder' | 'log'>> {
  const { cluster, random, ledger, hooks, clients } = stage;
  const watchers = new Watchers(clients, ledger);
  const sender = new Sender({ clients, ledger, hook: hooks.url, onEnd: (gateway) => cluster.ended(gateway) });
  const load = new Load({ clients, watchers, ledger, random, sender });
  const talking = load.run(options.clients);
  const tally = await havoc(cluster, options);
  options.print('the last blow has fallen');
  load.stop();
  hooks.behave();
  const calm = Date.now();
  const left = (): number => Math.max(0, settling - (Date.now() - calm));
  await Promise.race([talking, delay(settling)]);
  const silent = Date.now() - calm;
  await new Effects({ clients, ledger, random, sender }).replay();
  await watchers.end(left());
  const logs = await atRest(cluster.stores, ledger, left);
  const rested = Date.now() - calm;
  options.print(`all talk was over after ${silent} ms, all work after ${rested} ms`);
  const violations = await judge(stage, logs);
  const counts = { ...countsOf({ ...stage, tally }, logs), 'ms to rest': rested };
  return { violations, said: ledger.said, counts, tally };
}

/** Contents of the database when no work or delivery is left, or when time is up. */
async function atRest(stores: readonly string[], ledger: Ledger, left: () => number): Promise<Logs> {
  for (;;) {
    const logs = await Logs.read(async (text) => (await Promise.all(stores.map((store) => query(store, text)))).flat());
    const last = new Map(logs.tasks.map(({ key, seq }) => [key, seq]));
    const lost = adrift(ledger, logs);
    const working = logs.tasks.some(({ id, owner }) => owner !== null && !lost.has(id));
    const waiting = logs.hooks.some(({ key, cursor, active }) => active && cursor < (last.get(key) ?? 0));
    if ((!working && !waiting) || left() === 0) return logs;
    await delay(200);
  }
}

async function judge({ cluster, ledger, clients }: Stage, logs: Logs): Promise<Found[]> {
  const fallen = cluster.falls.filter(({ wasReady }) => wasReady);
  const executed = {
    executions: readExecutions(cluster.executions),
    wasStruck: (pid: number) => cluster.wasStruck(pid),
  };
  const failed = (thrown: unknown): Violation[] => [{ what: `the check failed: ${thrown}` }];
  const checks: Record<string, readonly Violation[]> = {
    logs: checkLogs(logs, adrift(ledger, logs)),
    messages: checkMessages(ledger, logs),
    told: checkTold(ledger, logs),
    executions: checkExecutions(executed, ledger, logs),
    watched: checkWatched(ledger, logs),
    notified: checkNotified(ledger, logs),
    upstream: await checkUpstream(cluster.far, logs).catch(failed),
    answers: await checkAnswers(clients, cluster.gateways.length, logs).catch(failed),
    processes: fallen.map(({ gateway, how }) => ({ what: `gateway ${gateway} fell by itself: ${how}` })),
  };
  return Object.entries(checks).flatMap(([check, found]) => found.map((violation) => ({ check, ...violation })));
}
