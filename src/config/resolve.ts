import { homedir } from 'node:os';
import { isAbsolute, resolve } from 'node:path';
import type { AuthSettings } from '../auth/settings.ts';
import type { ConfigFile } from './schema.ts';
import { resolveKnowledge } from './sections/knowledge-schema.ts';
import { resolveLimits } from './sections/limits-schema.ts';
import { resolveLog } from './sections/log-schema.ts';
import { resolvePush } from './sections/push-schema.ts';
import { resolveAuth } from './sections/resolve-auth.ts';
import { resolveMcp } from './sections/resolve-mcp.ts';
import { resolveUpstream } from './sections/resolve-upstream.ts';
import { resolveShutdown } from './sections/shutdown-schema.ts';
import { resolveSigning } from './sections/signing-schema.ts';
import { resolveTracing } from './sections/tracing-schema.ts';
import {
  type AgentConfig,
  type Config,
  type ConfigOverrides,
  defaults,
  isLoopbackHost,
  type ListenConfig,
  reservedNames,
} from './types.ts';

/** Says that something is wrong at a path of the configuration. */
export type ReportProblem = (path: readonly string[], message: string) => void;

/** What a configuration is read against. */
export interface ResolveContext {
  /** Absolute path of the file; undefined when there is none. */
  readonly file: string | undefined;
  /** What relative paths of the file are relative to. */
  readonly folder: string;
  /** What relative paths of the flags are relative to. */
  readonly cwd: string;
  /** Variables that mean something by their names alone. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

const absolute = (folder: string, path: string): string =>
  path.startsWith('~/') ? resolve(homedir(), path.slice(2)) : isAbsolute(path) ? path : resolve(folder, path);

const absoluteStore = (folder: string, store: string): string =>
  store === 'memory'
    ? 'memory:'
    : store.startsWith('sqlite:')
      ? `sqlite:${absolute(folder, store.slice('sqlite:'.length))}`
      : store;

/** Undefined for what is kept for ever. */
const kept = (age: number = defaults.retention): number | undefined => (Number.isFinite(age) ? age : undefined);

/** Fills in defaults, resolves paths, and reports what is well-formed and makes no sense. */
export function resolveConfig(
  input: ConfigFile,
  overrides: ConfigOverrides,
  { file, folder, cwd, env }: ResolveContext,
  report: ReportProblem,
): Config {
  const listen = input.listen ?? {};
  const host = overrides.host ?? listen.host ?? defaults.host;
  const loopback = isLoopbackHost(host);

  if (!loopback && listen.publicUrl === undefined) {
    report(
      ['listen', 'publicUrl'],
      `needed when listening on ${host}: the URL that cards advertise, such as https://agents.example.com`,
    );
  }

  const { tls } = listen;
  const resolved: ListenConfig = {
    host,
    port: overrides.port ?? listen.port ?? defaults.port,
    publicUrl: listen.publicUrl,
    cors: listen.cors ?? [],
    tls: tls && {
      cert: absolute(folder, tls.cert),
      key: absolute(folder, tls.key),
      clientCa: tls.clientCa === undefined ? undefined : absolute(folder, tls.clientCa),
    },
  };
  const auth = resolveAuth(input.auth ?? {}, resolved, loopback, report);
  const agents = resolveAgents(input, { auth, folder, env, report });
  const { defaultAgent } = input;
  if (defaultAgent !== undefined && !agents.has(defaultAgent)) {
    report(['defaultAgent'], `no agent is called "${defaultAgent}"; expected one of ${[...agents.keys()].join(', ')}`);
  }
  return {
    file,
    listen: resolved,
    store:
      overrides.store === undefined
        ? absoluteStore(folder, input.store ?? defaults.store)
        : absoluteStore(cwd, overrides.store),
    durability: input.durability ?? defaults.durability,
    retention: { tasks: kept(input.retention?.tasks), changes: kept(input.retention?.changes) },
    auth,
    limits: resolveLimits(input.limits, loopback && listen.publicUrl === undefined),
    outbound: { allow: input.outbound?.allow ?? [] },
    push: resolvePush(input.push),
    shutdown: resolveShutdown(input.shutdown),
    log: resolveLog(input.log),
    tracing: resolveTracing(input.tracing, env),
    cards: { ...input.cards, signing: resolveSigning(input.cards, (path) => absolute(folder, path)) },
    defaultAgent: defaultAgent ?? (agents.size === 1 ? [...agents.keys()][0] : undefined),
    agents,
    hosts: resolveHosts(input, report),
  };
}

function resolveAgents(
  input: ConfigFile,
  { auth, folder, env, report }: Pick<ResolveContext, 'folder' | 'env'> & { auth: AuthSettings; report: ReportProblem },
): Map<string, AgentConfig> {
  if (input.agents === undefined) return new Map([[defaults.agent, { kind: 'reference' }]]);
  const agents = new Map<string, AgentConfig>();
  for (const [name, agent] of Object.entries(input.agents)) {
    if (!/^[a-z0-9][a-z0-9-]*$/.test(name)) {
      report(['agents', name], "an agent's name is made of a-z, 0-9 and -, and does not begin with -");
    } else if (reservedNames.has(name)) {
      report(['agents', name], `"${name}" is a reserved word; choose another name for this agent`);
    }
    const inAgent: ReportProblem = (path, message) => report(['agents', name, ...path], message);
    const locate = (path: string): string => absolute(folder, path);
    const resolved =
      agent.kind === 'mcp' ? resolveMcp(agent, { locate, env, report: inAgent }) : resolveAgent(agent, locate, inAgent);
    const inKnowledge: ReportProblem = (path, message) => inAgent(['knowledge', ...path], message);
    const knowledge = agent.knowledge && resolveKnowledge(agent.knowledge, auth, locate, inKnowledge);
    agents.set(name, { ...resolved, ...(knowledge && { knowledge }), ...(agent.cards && { cards: agent.cards }) });
  }
  if (agents.size === 0) report(['agents'], 'expected at least one agent');
  return agents;
}

function resolveAgent(
  agent: Exclude<NonNullable<ConfigFile['agents']>[string], { kind: 'mcp' }>,
  locate: (path: string) => string,
  report: ReportProblem,
): AgentConfig {
  if (agent.kind === 'upstream') return resolveUpstream(agent, locate, report);
  return agent.kind === 'module' ? { kind: 'module', path: locate(agent.path) } : { kind: agent.kind };
}

function resolveHosts(input: ConfigFile, report: ReportProblem): Map<string, string> {
  const owners = new Map<string, string>();
  for (const [name, agent] of Object.entries(input.agents ?? {})) {
    for (const [index, host] of (agent.hosts ?? []).entries()) {
      const owner = owners.get(host);
      if (owner === undefined) owners.set(host, name);
      else report(['agents', name, 'hosts', String(index)], `${host} is ${owner}'s already`);
    }
  }
  return owners;
}
