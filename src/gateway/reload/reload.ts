import type { OpenStreams } from '../../auth/stream-expiry.ts';
import { asConfigError, atConfigPath } from '../../config/error-path.ts';
import { canonicalText } from '../../config/fingerprint.ts';
import { type Config, isLocalOnly } from '../../config/index.ts';
import { A2AError } from '../../core/model/errors.ts';
import type { Logger } from '../../core/ports/logger.ts';
import type { Meters } from '../../core/telemetry/meters.ts';
import type { ListenerTls } from '../../transports/listener/tcp-listener.ts';
import type { AdminKeys } from '../access/admin-key.ts';
import { changesOf, openAgents, replacedAgents } from '../agents/agents.ts';
import type { ConfiguredLogger } from '../process/logger.ts';
import type { GatewayState, Reload, ReloadReport } from '../process/state.ts';
import { type ActiveConfig, type ConfigSnapshot, discardSnapshot } from './active-config.ts';
import type { Draining } from './draining.ts';
import { readTls } from './listener-tls.ts';

interface ReloadDeps {
  readonly active: ActiveConfig;
  readonly adminKeys: Pick<AdminKeys, 'use'>;
  /** Creates the snapshot of another configuration, which shares the unchanged parts of `former`. */
  readonly createNext: (next: Config, former: ConfigSnapshot) => Promise<ConfigSnapshot>;
  readonly deps: { readonly workers?: object | undefined };
  readonly meters: Pick<Meters, 'reloads'>;
  readonly state: Pick<GatewayState, 'stopping'>;
  readonly logger: Logger | ConfiguredLogger;
  /** Applies the changes of the active configuration to open connections and timers. */
  readonly server: { applyConfig(tls: ListenerTls | undefined): void };
  readonly ongoing: OpenStreams;
  readonly draining: Draining;
}

/**
 * Creates the function that replaces one configuration by another without closing a connection. Everything that can fail is done
 * before anything changes; then all of it changes at once. Reloads run one at a time, in the order of the calls.
 */
export function createReload(deps: ReloadDeps): Reload {
  const { active, logger, meters } = deps;
  let last: Promise<unknown> = Promise.resolve();

  const reload = async (read: () => Config | Promise<Config>): Promise<ReloadReport> => {
    requireRunning(deps);
    let { file } = active.snapshot.config;
    try {
      const wanted = await read();
      ({ file } = wanted);
      // Before anything about the configuration is logged, because its secrets must not appear in the log.
      if ('learn' in logger) logger.learn(wanted);
      const report = await replace(wanted, deps);
      meters.reloads.done += 1;
      active.refused = undefined;
      return report;
    } catch (thrown) {
      meters.reloads.refused += 1;
      const error = thrown instanceof A2AError && deps.state.stopping ? thrown : await asConfigError(thrown, file);
      const problem = error.message;
      active.refused = { problem, at: Date.now() };
      logger.error({ problem, file }, refusalLine(file));
      throw error;
    }
  };
  return (read) => {
    const turn = last.then(() => reload(read));
    last = turn.catch(() => undefined);
    return turn;
  };
}

/** @param file path of the configuration; undefined for a program, and for `serve --dev` without a file */
const refusalLine = (file: string | undefined): string =>
  file === undefined
    ? 'reload refused; everything stays as it was'
    : 'configuration refused; the previous one stays active';

function requireRunning({ state }: ReloadDeps): void {
  if (state.stopping) throw state.stopping;
}

async function replace(wanted: Config, deps: ReloadDeps): Promise<ReloadReport> {
  const { active, server, ongoing, draining, logger } = deps;
  const former = active.snapshot;
  const { config, restart } = await atConfigPath(['listen'], () => reloadable(wanted, former.config));
  const tls = await atConfigPath(['listen', 'tls'], () => readTls(config));
  const next = await deps.createNext(config, former);
  try {
    requireRunning(deps);
    openAgents(next.agents, former.agents);
  } catch (thrown) {
    await discardSnapshot(next, former);
    throw thrown;
  }
  active.replace(next);
  deps.adminKeys.use(next.access.adminKey);
  server.applyConfig(tls);
  if ('follow' in logger) logger.follow(config);
  const ended = endStreams(next, former, ongoing);

  for (const replaced of replacedAgents(next.agents, former.agents)) draining.add(replaced);
  for (const replaced of former.parts.replacedBy(next.parts)) draining.add(replaced);
  former.access.close(next.access);

  const report: ReloadReport = { agents: changesOf(next.agents, former.agents), ended, restart };
  // With several workers, the process that started them writes one line for all.
  if (!deps.deps.workers) logReload(logger, report, config.file);
  return report;
}

/** Logs what a reload has changed. */
export function logReload(logger: Logger, report: ReloadReport, file: string | undefined): void {
  const { restart } = report;
  logger.info({ ...report, file }, 'configuration reloaded');
  if (restart.length > 0) logger.warn({ restart }, 'some changed settings take effect after a restart');
}

/** Ends the streams of callers that lost access, and those of things that were replaced. */
function endStreams(next: ConfigSnapshot, former: ConfigSnapshot, ongoing: OpenStreams): number {
  const replaced = former.parts.replacedBy(next.parts);
  return ongoing.review(
    (stream) =>
      next.access.review(stream) ??
      next.parts.review(stream) ??
      replaced
        .values()
        .map(({ refuses }) => refuses(stream))
        .find((reason) => reason),
  );
}

/** Paths of the settings that only a restart changes. */
const fixed = [
  'listen.host',
  'listen.port',
  'listen.publicUrl',
  'store',
  'stores',
  'notifications',
  'workers',
  'registration.allow',
  'durability',
  'fullText',
  'calls',
  'cards.signing',
  'preview',
  'tracing',
  'limits.headers',
  'limits.requestTimeout',
  'limits.slowReader',
  'limits.buffered',
] as const;

/**
 * Selects what can be applied to a running gateway; the other settings keep their values. Returns also the paths of changed
 * settings that take effect after a restart.
 *
 * @throws A2AError `internal` if applying only a part would be unsafe
 */
export function reloadable(wanted: Config, running: Config) {
  if (isLocalOnly(wanted.listen) !== isLocalOnly(running.listen)) {
    // The defaults for anonymous access and for limits depend on it.
    throw new A2AError('internal', 'switching between loopback-only and reachable by other machines takes a restart');
  }
  const restart: string[] = [];
  let config = withTls(wanted, running, restart);
  for (const path of fixed) {
    const [section = '', key] = path.split('.');
    const value = valueAt(running, section, key);
    if (canonicalText(value) === canonicalText(valueAt(wanted, section, key))) continue;
    restart.push(path);
    config = { ...config, [section]: key === undefined ? value : { ...sectionOf(config, section), [key]: value } };
  }
  return { config, restart };
}

/** Certificates and keys can be replaced at run time. Turning TLS or client certificates on or off needs a restart. */
function withTls(wanted: Config, running: Config, restart: string[]): Config {
  const tls = wanted.listen.tls;
  const now = running.listen.tls;
  const mtls = wanted.auth.mtls;
  const mtlsNow = running.auth.mtls;
  let { listen, auth } = wanted;
  if ((tls === undefined) !== (now === undefined)) {
    restart.push('listen.tls');
    listen = { ...listen, tls: now };
  } else if (tls && now && (tls.clientCa === undefined) !== (now.clientCa === undefined)) {
    restart.push('listen.tls.clientCa');
    listen = { ...listen, tls: { ...tls, clientCa: now.clientCa } };
  }
  if ((mtls?.required ?? false) !== (mtlsNow?.required ?? false)) {
    restart.push('auth.mtls.required');
    if (mtls) auth = { ...auth, mtls: { ...mtls, required: mtlsNow?.required ?? false } };
  }
  return { ...wanted, listen, auth };
}

const sectionOf = (config: Config, section: string): Readonly<Record<string, unknown>> =>
  config[section as keyof Config] as unknown as Readonly<Record<string, unknown>>;

const valueAt = (config: Config, section: string, key: string | undefined): unknown =>
  key === undefined ? config[section as keyof Config] : sectionOf(config, section)[key];
