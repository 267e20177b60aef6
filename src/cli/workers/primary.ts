import cluster, { type Worker as Process } from 'node:cluster';
import { once } from 'node:events';
import { newAdminKey } from '../../auth/admin-key.ts';
import type { Config } from '../../config/index.ts';
import type { Gateway, GatewayDeps } from '../../gateway/compose/gateway.ts';
import type { ConfiguredLogger } from '../../gateway/process/logger.ts';
import type { ReloadReport } from '../../gateway/process/state.ts';
import { type WorkerGroup, workerVariable } from '../../gateway/process/workers.ts';
import { logReload } from '../../gateway/reload/reload.ts';
import type { Family } from '../../metrics/family.ts';
import { mergeFamilies } from '../../metrics/merge.ts';
import { type Ask, converse } from '../../net/process-channel.ts';
import { CommandFailed } from '../exit-code.ts';
import { type ReloadResult, reloadResult, reloadTimeout, reportOf } from './worker.ts';

/**
 * Milliseconds before a worker that has ended is restarted: `first`, doubled each time up to `longest`, and `first`
 * again after the worker has run for `steady`.
 */
const restarts = { first: 250, longest: 30_000, steady: 60_000 } as const;

/**
 * Milliseconds within which a worker must end, in addition to the time that its configuration allows for running calls.
 */
const endGrace = 15_000;

/** One of the workers, whose process may be replaced. */
interface Slot {
  readonly index: number;
  /** Asks the worker; present while it serves. */
  ask?: Ask;
  process?: Process;
  failures: number;
  /** Latest metrics of the current process. */
  counted: readonly Family[];
  /** Counters of earlier processes when they ended. */
  former: readonly Family[];
}

/** A message from a worker: the port on which it serves, or the admin key that is in use. */
interface WorkerNews {
  readonly port?: number;
  readonly adminKey?: string;
}

/** Dependencies that `serve` passes to a gateway. */
type WorkersDeps = Pick<GatewayDeps, 'onAdminKey' | 'rereadConfig'> & { readonly logger: ConfiguredLogger };

type CloseOptions = Parameters<Gateway['close']>[0];

/**
 * A gateway of several worker processes that share its port. This process serves nothing itself: it starts the workers,
 * restarts those that end, and passes on requests for metrics, readiness, reloads and the stop to all of them.
 */
export class Workers implements Pick<Gateway, 'reload' | 'close'> {
  readonly #deps: WorkersDeps;
  readonly #logger: ConfiguredLogger;
  readonly #slots: Slot[];
  readonly #adminKey = newAdminKey();
  readonly #reusePort = process.platform === 'linux';
  #port: number;
  #active: Config;
  #closing = false;
  /** Resolved when the first worker listens. From then on the gateway owns the port. */
  readonly #listened = Promise.withResolvers<number>();
  #hasListened = false;
  #shownKey: string | undefined;
  #reloading: Promise<unknown> = Promise.resolve();

  constructor(config: Config, deps: WorkersDeps) {
    this.#deps = deps;
    this.#logger = deps.logger;
    this.#slots = Array.from({ length: config.workers }, (_, index): Slot => {
      return { index, failures: 0, counted: [], former: [] };
    });
    this.#port = config.listen.port;
    this.#active = config;
    // Advanced serialization can also send numbers that JSON lacks.
    cluster.setupPrimary({ serialization: 'advanced' });
  }

  async #read(slot: Slot, question: string): Promise<unknown> {
    const answer = await slot.ask?.('own', question);
    if (question === 'metrics' && answer) slot.counted = answer as readonly Family[];
    return answer;
  }

  readonly #all = async (question: string): Promise<unknown[]> => {
    const answers = await Promise.all(this.#slots.map((slot) => this.#read(slot, question)));
    return question === 'metrics' ? [...answers, ...this.#slots.map(({ former }) => former)] : answers;
  };

  readonly #reload = async (): Promise<ReloadReport> => {
    const reloadOf = async (slot: Slot) => (await slot.ask?.('reload', undefined, reloadTimeout)) as ReloadResult;
    const [first, ...others] = this.#slots.filter(({ ask }) => ask);
    // The first worker finds out whether the configuration can be used; then the others load it.
    const report = reportOf(first && (await reloadOf(first)));
    const results = await Promise.all(others.map(async (slot) => [slot, await reloadOf(slot)] as const));
    let { ended } = report;
    for (const [{ process: behind }, result] of results) {
      if (result && 'report' in result) ended += result.report.ended;
      // The worker is restarted with the configuration of the others.
      else behind?.process.kill('SIGKILL');
    }
    // Reading it fails if it has changed again, which leads to another reload.
    this.#active = (await this.#deps.rereadConfig?.().catch(() => undefined)) ?? this.#active;
    this.#logger.learn(this.#active);
    this.#logger.follow(this.#active);
    logReload(this.#logger, { ...report, ended }, this.#active.file);
    return { ...report, ended };
  };

  reload(): Promise<ReloadReport> {
    const turn = this.#reloading.then(this.#reload);
    this.#reloading = turn.catch(() => undefined);
    return turn;
  }

  /** Starts a worker. Resolves when it serves, and rejects if it ends before that. */
  readonly #start = async (slot: Slot): Promise<void> => {
    const child = cluster.fork({ [workerVariable]: String(slot.index) });
    const began = performance.now();
    slot.process = child;
    const served = Promise.withResolvers<void>();
    const ask = converse(child.process, {
      join: (): Pick<WorkerGroup, 'listen' | 'adminKey'> => ({
        listen: { port: this.#port, first: !this.#hasListened, reusePort: this.#reusePort },
        adminKey: this.#adminKey,
      }),
      news: ({ port, adminKey }: WorkerNews) => {
        if (adminKey !== undefined) this.#showKey(adminKey);
        if (port === undefined) return;
        slot.ask = ask;
        served.resolve();
        this.#usePort(port);
      },
      all: this.#all,
      reload: () => reloadResult(this.reload()),
    });
    child.once('exit', (code, signal) => {
      delete slot.ask;
      delete slot.process;
      slot.former = mergeFamilies([slot.former, slot.counted]).filter(({ type }) => type !== 'gauge');
      slot.counted = [];
      served.reject(new CommandFailed(''));
      if (this.#closing || !this.#hasListened) return;
      if (performance.now() - began > restarts.steady) slot.failures = 0;
      this.#startAgain(slot, { pid: child.process.pid, exit: signal || code });
    });
    await served.promise;
  };

  #showKey(adminKey: string): void {
    if (adminKey !== this.#shownKey) this.#deps.onAdminKey?.(adminKey);
    this.#shownKey = adminKey;
  }

  /** Records the port of a worker that serves. */
  #usePort(port: number): void {
    // node:cluster itself maps the requested port to the chosen one.
    if (this.#reusePort) this.#port = port;
    this.#hasListened = true;
    this.#listened.resolve(port);
  }

  /** Restarts a worker that has ended, after a pause. */
  #startAgain(slot: Slot, end: { readonly pid: number | undefined; readonly exit: string | number }): void {
    const worker = slot.index + 1;
    const restartMs = Math.min(restarts.first * 2 ** slot.failures, restarts.longest);
    slot.failures += 1;
    this.#logger.error({ worker, ...end, restartMs }, 'a worker has ended; it is started again');
    setTimeout(async () => {
      if (this.#closing) return;
      // If it ends before it serves, this method is called again.
      const serves = await this.#start(slot).then(
        () => true,
        () => false,
      );
      if (serves) this.#logger.info({ worker, pid: slot.process?.process.pid }, 'a worker serves again');
    }, restartMs).unref();
  }

  async listen(): Promise<{ readonly port: number }> {
    const [first, ...others] = this.#slots as [Slot, ...Slot[]];
    // The first worker reports errors. The others would report the same ones.
    await this.#start(first);
    await Promise.allSettled(others.map(this.#start));
    return { port: await this.#listened.promise };
  }

  async close(options: CloseOptions = {}): Promise<void> {
    this.#closing = true;
    const { delay, drain } = this.#active.shutdown;
    const deadline = AbortSignal.timeout(delay + drain + endGrace);
    await Promise.all(
      this.#slots.map(async ({ ask, process: child }) => {
        if (!child) return;
        const ended = once(child, 'exit', { signal: deadline }).catch(() => child.process.kill('SIGKILL'));
        // A worker that does not serve yet has no calls.
        if (ask) void ask('stop', options);
        else child.process.kill('SIGKILL');
        await ended;
      }),
    );
  }
}
