import { once } from 'node:events';
import { type Config, defaultConfig, loadConfig, type ServeFlags } from '../../config/index.ts';
import type { Logger } from '../../core/ports/logger.ts';
import type { Gateway, GatewayDeps } from '../../gateway/compose/gateway.ts';
import type { ConfiguredLogger } from '../../gateway/process/logger.ts';
import { workerVariable } from '../../gateway/process/workers.ts';
import { configWarnings, consoleLine, servedLines, shownStoreFromHere } from '../config-summary.ts';
import { CommandFailed } from '../exit-code.ts';
import type { Output } from '../output.ts';
import { watchForCrashes, watchForHangUps } from '../process-events.ts';
import { ImportWatcher } from '../watch-imports.ts';
import type { joinWorkers } from '../workers/worker.ts';

export interface ServeOptions extends ServeFlags {
  readonly config?: string;
}

/** Signals that stop the gateway, with the exit code if a second signal stops it at once. */
const stopSignals = { SIGINT: 130, SIGTERM: 143 } as const;

/**
 * `a2a-gateway serve`: runs the gateway until a signal stops it. A second signal ends it without waiting for running
 * calls. SIGHUP reloads the configuration file or the module, or stops the gateway if its terminal was closed. With
 * `--dev`, the module is reloaded whenever it, or a file that it imports from its folder, is saved.
 */
export async function serve(options: ServeOptions, output: Output): Promise<void> {
  const index = process.env[workerVariable];
  const worker = index === undefined ? undefined : await (await import('../workers/worker.ts')).joinWorkers(index);
  const config = await configOf(options);
  const stop = stopRequest(worker === undefined);
  const running = Promise.withResolvers<Running>();
  // A signal during the start takes effect after the start.
  const reloadRunning = async (): Promise<boolean> => reload(await running.promise, options);
  const ignoreHangUps = worker
    ? undefined
    : watchForHangUps({ onReload: async () => void (await reloadRunning()), onTerminalGone: () => stop.now() });
  const [create, { createLogger }] = await Promise.all([
    config.workers > 1 && !worker ? importWorkers() : importGateway(),
    import('../../gateway/process/logger.ts'),
  ]);
  const logger = createLogger(config);
  const files = await watchFiles({ options, config, logger, isWorker: worker !== undefined, reload: reloadRunning });
  let crashed = false;
  watchForCrashes(logger, () => {
    crashed = true;
    stop.now();
  });
  const notices = worker ? workerNotices(worker, stop) : consoleNotices(config, output);
  try {
    const gateway = create(config, {
      logger,
      wholeProcess: true,
      ...(worker && { workers: worker.group }),
      onAdminKey: notices.onAdminKey,
      ...(fileOf(options) !== undefined && { rereadConfig: files.rereadConfig }),
    });
    const { port } = await gateway.listen().catch(async (thrown: NodeJS.ErrnoException) => {
      await gateway.close({ drainMs: 0 }).catch(() => {});
      throw listenError(config, thrown);
    });
    notices.onListening(port, gateway);
    running.resolve({ gateway, logger });
    if (!stop.signal.aborted) await once(stop.signal, 'abort');
    ignoreHangUps?.();
    if (!worker) output.note('waiting for running calls; press Ctrl-C again to stop at once');
    // After Ctrl-C, no load balancer needs time to notice.
    await gateway.close(stop.signal.reason === 'SIGINT' ? { delayMs: 0 } : {});
    if (crashed) throw new CommandFailed('stopped after an uncaught exception; see the log');
  } finally {
    files.stop();
    stop.forget();
    worker?.leave();
  }
}

type CreateServer = (
  config: Config,
  deps: GatewayDeps & { readonly logger: ConfiguredLogger },
) => Pick<Gateway, 'reload' | 'close'> & { listen(): Promise<{ readonly port: number }> };

async function importGateway(): Promise<CreateServer> {
  return (await import('../../gateway/compose/gateway.ts')).createGateway;
}

async function importWorkers(): Promise<CreateServer> {
  const { Workers } = await import('../workers/primary.ts');
  return (config, deps) => new Workers(config, deps);
}

/** Receivers of the gateway's port, and of the admin key that it shows. */
interface ServeNotices {
  onAdminKey(key: string): void;
  onListening(port: number, gateway: Pick<Gateway, 'reload'>): void;
}

/** Creates the notices that a worker sends to the primary process. */
const workerNotices = (
  worker: Awaited<ReturnType<typeof joinWorkers>>,
  stop: ReturnType<typeof stopRequest>,
): ServeNotices => ({
  onAdminKey: (adminKey) => worker.tell({ adminKey }),
  onListening(port, gateway) {
    worker.serve({
      reload: () => gateway.reload(),
      stop: ({ delayMs }) => stop.now(delayMs === 0 ? 'SIGINT' : undefined),
    });
    worker.tell({ port });
  },
});

/**
 * Creates the notices for the terminal. A key that is generated before the gateway listens is printed together with the
 * port.
 */
function consoleNotices(config: Config, output: Output): ServeNotices {
  let adminKey: string | undefined;
  let listening: number | undefined;
  return {
    onAdminKey(key) {
      if (listening === undefined) adminKey = key;
      else output.print(`${consoleLine(config, listening, key)}\n`);
    },
    onListening(port) {
      listening = port;
      announce(config, port, adminKey, output);
      adminKey = undefined;
    },
  };
}

interface FileWatchOptions {
  readonly options: ServeOptions;
  readonly config: Config;
  readonly logger: Logger;
  readonly isWorker: boolean;
  /** Reloads the gateway. Resolves to whether a new configuration is active. */
  readonly reload: () => Promise<boolean>;
}

/** Reloads the gateway when its files change, if the options or the configuration request it. */
async function watchFiles({ options, config, logger, isWorker, reload: onChanged }: FileWatchOptions) {
  const watchers: { stop(): void }[] = [];
  if (options.dev !== undefined) {
    const onSaved = async (file: string): Promise<void> => {
      logger.info({ file }, 'file saved');
      await onChanged();
    };
    watchers.push(new ImportWatcher(options.dev, onSaved));
  }
  let latest = config;
  if (config.watch && options.config !== undefined && !isWorker) {
    const { ConfigWatcher } = await import('../watch-config.ts');
    watchers.push(new ConfigWatcher(options.config, { config: () => latest, onChanged, logger }));
  }
  return {
    /** Reads the configuration again. Its files are watched from then on. */
    async rereadConfig(): Promise<Config> {
      latest = await configOf(options);
      return latest;
    },
    stop: () => {
      for (const watcher of watchers) watcher.stop();
    },
  };
}

interface Running {
  readonly gateway: Pick<Gateway, 'reload'>;
  readonly logger: Logger;
}

/** The file that a reload reads again. */
const fileOf = ({ config, agent, dev }: ServeOptions): string | undefined => config ?? agent ?? dev;

/**
 * Reloads the gateway. Resolves to whether a new configuration is active. Never rejects: errors are logged, and the
 * previous configuration stays active.
 */
async function reload({ gateway, logger }: Running, options: ServeOptions): Promise<boolean> {
  const file = fileOf(options);
  if (file === undefined) {
    logger.warn({}, 'SIGHUP ignored: without --config there is no file to reload');
    return false;
  }
  // The gateway logs the outcome itself.
  return gateway.reload().then(
    () => true,
    () => false,
  );
}

async function configOf({ config: file, ...flags }: ServeOptions): Promise<Config> {
  if (file !== undefined) return loadConfig(file, flags);
  const { upstream } = flags;
  if (upstream === undefined) return defaultConfig(flags);
  const { parseTarget } = await import('../../client/choose.ts');
  let url = upstream;
  try {
    url = parseTarget(upstream).href;
  } catch {
    // The configuration rejects it too, without repeating a password in it.
  }
  return defaultConfig({ ...flags, upstream: url });
}

/** Reasons why listening failed, by error code. */
const listenReasons: Readonly<Record<string, string>> = {
  EADDRINUSE: 'the port is in use; use another, or --port 0 for a free one',
  EACCES: 'permission denied; use a port from 1024 on',
  EADDRNOTAVAIL: 'this machine does not have that address',
  ENOTFOUND: 'unknown host',
};

function listenError({ listen }: Config, thrown: NodeJS.ErrnoException): unknown {
  const reason = listenReasons[thrown.code ?? ''];
  return reason === undefined
    ? thrown
    : new CommandFailed(`cannot listen on ${listen.host}, port ${listen.port}: ${reason}`, { cause: thrown });
}

/**
 * Handles the stop signals. The first one aborts `signal`, with its name as the reason; the second one ends the
 * process.
 *
 * @param isAsked whether Ctrl-C stops this process; in workers, the process that started them handles it
 */
function stopRequest(isAsked: boolean): { readonly signal: AbortSignal; now(reason?: string): void; forget(): void } {
  const controller = new AbortController();
  const signals = Object.entries(stopSignals).filter(([name]) => isAsked || name !== 'SIGINT');
  const handlers = signals.map(([name, code]) => {
    const handler = (): void => {
      if (controller.signal.aborted) process.exit(code);
      controller.abort(name);
    };
    process.on(name, handler);
    return () => process.off(name, handler);
  });
  return {
    signal: controller.signal,
    now: (reason) => controller.abort(reason),
    forget() {
      for (const remove of handlers) remove();
    },
  };
}

function announce(config: Config, port: number, adminKey: string | undefined, output: Output): void {
  const place = config.store === 'memory:' ? 'memory, until the gateway stops' : shownStoreFromHere(config.store);
  const shared = config.workers > 1 ? `${config.workers} workers share the port. ` : '';
  const stored = `${shared}Tasks are stored in ${place}. Press Ctrl-C to stop.`;
  const lines = [...servedLines(config, port), consoleLine(config, port, adminKey), stored];
  output.print(`${lines.filter((line) => line !== undefined).join('\n')}\n`);
  for (const warning of configWarnings(config)) output.note(`warning: ${warning}`);
}
