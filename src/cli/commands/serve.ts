import { once } from 'node:events';
import { type Config, type ConfigOverrides, defaultConfig, loadConfig } from '../../config/index.ts';
import type { Logger } from '../../core/ports/logger.ts';
import type { Gateway } from '../../gateway/compose/gateway.ts';
import { configWarnings, servedUrls, shownStore } from '../config-summary.ts';
import { CommandFailed } from '../exit-code.ts';
import type { Output } from '../output.ts';
import { watchForCrashes, watchForHangUps } from '../process-events.ts';

export interface ServeOptions extends ConfigOverrides {
  readonly config?: string;
  /** An agent's URL, as people write it. */
  readonly upstream?: string;
}

/** Signals that ask the gateway to stop, and what a process that obeys one at once exits with. */
const stopSignals = { SIGINT: 130, SIGTERM: 143 } as const;

/**
 * `a2a-gateway serve`: runs the gateway until it is told to stop. A second signal does not wait for running calls. SIGHUP
 * has it read its configuration file again; when the terminal that it was started in is gone, it stops.
 */
export async function serve(options: ServeOptions, output: Output): Promise<void> {
  const config = await configOf(options);
  const stop = stopRequest();
  const running = Promise.withResolvers<Running>();
  const ignoreHangUps = watchForHangUps({
    // One that comes while the gateway starts waits.
    onReload: async () => reload(await running.promise, options),
    onTerminalGone: () => stop.now(),
  });
  const [{ createGateway }, { createLogger }] = await Promise.all([
    import('../../gateway/compose/gateway.ts'),
    import('../../gateway/compose/logger.ts'),
  ]);
  const logger = createLogger(config);
  let crashed = false;
  watchForCrashes(logger, () => {
    crashed = true;
    stop.now();
  });
  try {
    const gateway = createGateway(config, { logger, wholeProcess: true });
    const { port } = await gateway.listen().catch(async (thrown: NodeJS.ErrnoException) => {
      await gateway.close({ drainMs: 0 }).catch(() => {});
      throw listenError(config, thrown);
    });
    announce(config, port, output);
    running.resolve({ gateway, logger });
    if (!stop.signal.aborted) await once(stop.signal, 'abort');
    ignoreHangUps();
    output.note('finishing what is running; Ctrl-C again stops at once');
    // Whoever presses Ctrl-C has no balancer that has to notice first.
    await gateway.close(stop.signal.reason === 'SIGINT' ? { delayMs: 0 } : {});
    if (crashed) throw new CommandFailed('stopped after an exception that nobody caught; the log says which');
  } finally {
    stop.forget();
  }
}

interface Running {
  readonly gateway: Gateway;
  readonly logger: Logger;
}

/** Never rejects: what is wrong with the file is in the log, and the configuration before stays. */
async function reload({ gateway, logger }: Running, { config: file, ...flags }: ServeOptions): Promise<void> {
  const { upstream: _, ...overrides } = flags;
  if (file === undefined) {
    logger.warn({}, 'SIGHUP: without --config there is no file to read again');
    return;
  }
  let config: Config;
  try {
    config = await loadConfig(file, overrides, { again: true });
  } catch (thrown) {
    const problem = thrown instanceof Error ? thrown.message : String(thrown);
    logger.error({ problem, file }, 'configuration refused; the previous one stays active');
    return;
  }
  // The gateway itself logs what came of it.
  await gateway.reload(config).catch(() => undefined);
}

async function configOf({ config: file, upstream, ...overrides }: ServeOptions): Promise<Config> {
  if (file !== undefined) return loadConfig(file, overrides);
  if (upstream === undefined) return defaultConfig(overrides);
  const { parseTarget } = await import('../../client/choose.ts');
  let url = upstream;
  try {
    url = parseTarget(upstream).href;
  } catch {
    // What is no URL for the client is none for the configuration, which says so without repeating it.
  }
  return defaultConfig({ ...overrides, upstream: url });
}

/** Why a listener could not be had, by the system's code. */
const listenReasons: Readonly<Record<string, string>> = {
  EADDRINUSE: 'the port is in use; --port 0 takes a free one',
  EACCES: 'this user may not listen on that port; ports from 1024 on are for everyone',
  EADDRNOTAVAIL: 'this machine has no such address',
  ENOTFOUND: 'there is no such host',
};

function listenError({ listen }: Config, thrown: NodeJS.ErrnoException): unknown {
  const reason = listenReasons[thrown.code ?? ''];
  return reason === undefined
    ? thrown
    : new CommandFailed(`cannot listen on ${listen.host}, port ${listen.port}: ${reason}`, { cause: thrown });
}

/** Listens for the signals: the first aborts, with its name as the reason, the second ends the process. */
function stopRequest(): { readonly signal: AbortSignal; now(): void; forget(): void } {
  const controller = new AbortController();
  const handlers = Object.entries(stopSignals).map(([name, code]) => {
    const handler = (): void => {
      if (controller.signal.aborted) process.exit(code);
      controller.abort(name);
    };
    process.on(name, handler);
    return () => process.off(name, handler);
  });
  return {
    signal: controller.signal,
    now: () => controller.abort(),
    forget() {
      for (const remove of handlers) remove();
    },
  };
}

function announce(config: Config, port: number, output: Output): void {
  const { base, agents } = servedUrls(config, port);
  const lines = [`a2a-gateway is listening on ${base}`, ''];
  for (const { name, what, root, rows } of agents) {
    lines.push(`agent ${name} (${what})${root ? ', also at the root' : ''}`);
    for (const [title, url] of rows) lines.push(`  ${title.padEnd(10)} ${url}`);
    lines.push('');
  }
  lines.push(`Tasks are in ${shownStore(config.store)}. Ctrl-C finishes what is running and stops.`);
  output.print(`${lines.join('\n')}\n`);
  for (const warning of configWarnings(config)) output.note(`warning: ${warning}`);
}
