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

/** Milliseconds before a worker that has ended is started again: doubled each time, and the first again after `steady`. */
const restarts = { first: 250, longest: 30_000, steady: 60_000 } as const;

/** Milliseconds for a worker to end beyond those that its configuration gives to running calls. */
const endGrace = 15_000;

/** One of the workers: its process may be replaced. */
interface Slot {
  readonly index: number;
  /** While it serves. */
  ask?: Ask;
  process?: Process;
  failures: number;
  /** What it has counted, and what former processes had when they ended. */
  counted: readonly Family[];
  former: readonly Family[];
}

/**
 * A gateway of several processes, which share its port. This one serves nothing itself: it starts them, starts those again that
 * end, and passes on what is asked of all: metrics, readiness, reloads, and to stop.
 *
 * @param deps those that `serve` gives to a gateway
 */
export function createWorkers(
  config: Config,
  deps: Pick<GatewayDeps, 'onAdminKey' | 'rereadConfig'> & { readonly logger: ConfiguredLogger },
): Pick<Gateway, 'reload' | 'close'> & { listen(): Promise<{ readonly port: number }> } {
  const { logger } = deps;
  const slots = Array.from({ length: config.workers }, (_, index): Slot => {
    return { index, failures: 0, counted: [], former: [] };
  });
  const adminKey = newAdminKey();
  const reusePort = process.platform === 'linux';
  let { port } = config.listen;
  let active = config;
  let closing = false;
  /** Resolved by the first worker: from then on the port is the gateway's. */
  const listened = Promise.withResolvers<number>();
  let hasListened = false;
  let shownKey: string | undefined;
  let reloading: Promise<unknown> = Promise.resolve();
  // Numbers that JSON does not have are sent too.
  cluster.setupPrimary({ serialization: 'advanced' });

  const read = async (slot: Slot, question: string): Promise<unknown> => {
    const answer = await slot.ask?.('own', question);
    if (question === 'metrics' && answer) slot.counted = answer as readonly Family[];
    return answer;
  };
  const all = async (question: string): Promise<unknown[]> => {
    const answers = await Promise.all(slots.map((slot) => read(slot, question)));
    return question === 'metrics' ? [...answers, ...slots.map(({ former }) => former)] : answers;
  };

  async function reload(): Promise<ReloadReport> {
    const reloadOf = async (slot: Slot) => (await slot.ask?.('reload', undefined, reloadTimeout)) as ReloadResult;
    const [first, ...others] = slots.filter(({ ask }) => ask);
    // The first finds whether the configuration can be used; then the others take the same.
    const report = reportOf(first && (await reloadOf(first)));
    const results = await Promise.all(others.map(async (slot) => [slot, await reloadOf(slot)] as const));
    let { ended } = report;
    for (const [{ process: behind }, result] of results) {
      if (result && 'report' in result) ended += result.report.ended;
      // It starts again with the configuration of the others.
      else behind?.process.kill('SIGKILL');
    }
    // It cannot be read any more where it has changed once more, which is another reload.
    active = (await deps.rereadConfig?.().catch(() => undefined)) ?? active;
    logger.learn(active);
    logger.follow(active);
    logReload(logger, { ...report, ended }, active.file);
    return { ...report, ended };
  }
  const reloadInTurn = (): Promise<ReloadReport> => {
    const turn = reloading.then(reload);
    reloading = turn.catch(() => undefined);
    return turn;
  };

  /** Resolves when the worker serves; rejects when it ends before. */
  async function start(slot: Slot): Promise<void> {
    const child = cluster.fork({ [workerVariable]: String(slot.index) });
    const began = performance.now();
    slot.process = child;
    const served = Promise.withResolvers<void>();
    const ask = converse(child.process, {
      join: (): Pick<WorkerGroup, 'listen' | 'adminKey'> => ({
        listen: { port, first: !hasListened, reusePort },
        adminKey,
      }),
      news(told: { readonly port?: number; readonly adminKey?: string }) {
        if (told.adminKey !== undefined && told.adminKey !== shownKey) deps.onAdminKey?.(told.adminKey);
        shownKey = told.adminKey ?? shownKey;
        if (told.port === undefined) return;
        // node:cluster knows the port that was chosen by the one that was asked for.
        if (reusePort) port = told.port;
        hasListened = true;
        slot.ask = ask;
        served.resolve();
        listened.resolve(told.port);
      },
      all,
      reload: () => reloadResult(reloadInTurn()),
    });
    child.once('exit', (code, signal) => {
      delete slot.ask;
      delete slot.process;
      slot.former = mergeFamilies([slot.former, slot.counted]).filter(({ type }) => type !== 'gauge');
      slot.counted = [];
      served.reject(new CommandFailed(''));
      if (closing || !hasListened) return;
      if (performance.now() - began > restarts.steady) slot.failures = 0;
      const pause = Math.min(restarts.first * 2 ** slot.failures, restarts.longest);
      slot.failures += 1;
      const facts = { worker: slot.index + 1, pid: child.process.pid, exit: signal || code, restartMs: pause };
      logger.error(facts, 'a worker has ended; it is started again');
      setTimeout(async () => {
        if (closing) return;
        // One that ends before it serves comes here again.
        const serves = await start(slot).then(
          () => true,
          () => false,
        );
        if (serves) logger.info({ worker: slot.index + 1, pid: slot.process?.process.pid }, 'a worker serves again');
      }, pause).unref();
    });
    await served.promise;
  }

  return {
    async listen() {
      const [first, ...others] = slots as [Slot, ...Slot[]];
      // It says what is wrong; the others would say the same.
      await start(first);
      await Promise.allSettled(others.map(start));
      return { port: await listened.promise };
    },
    reload: reloadInTurn,
    async close(options = {}) {
      closing = true;
      const { delay, drain } = active.shutdown;
      const deadline = AbortSignal.timeout(delay + drain + endGrace);
      await Promise.all(
        slots.map(async ({ ask, process: child }) => {
          if (!child) return;
          const ended = once(child, 'exit', { signal: deadline }).catch(() => child.process.kill('SIGKILL'));
          // One that has not begun to serve has no calls.
          if (ask) void ask('stop', options);
          else child.process.kill('SIGKILL');
          await ended;
        }),
      );
    },
  };
}
