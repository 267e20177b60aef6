import type { AuthSettings, GrantSettings } from '../auth/settings.ts';
import { formatDuration, formatSize } from '../core/model/scalars.ts';
import type { OutboundAuthSettings } from '../net/outbound-settings.ts';
import type { KeyPlace } from '../net/public-keys.ts';
import { Secret } from '../net/secret.ts';
import type { ToolServerSettings } from '../net/tool-server-settings.ts';
import type {
  CommonAgentSettings,
  KnowledgeFileSettings,
  ModuleAgentSettings,
  ToolServerFileSettings,
  UpstreamAgentSettings,
} from './agent-settings.ts';
import type { AgentConfig } from './sections/agents.ts';
import type { ConsoleConfig } from './sections/console.ts';
import type { KnowledgeConfig } from './sections/knowledge.ts';
import type { LimitsConfig } from './sections/limits.ts';
import type { RetentionConfig } from './sections/store.ts';
import { withoutPassword } from './sections/store.ts';
import type { TracingConfig } from './sections/tracing.ts';
import type { AuthFileSettings, FileSettings, LimitsSettings, RetentionSettings } from './settings.ts';
import type { Config } from './types.ts';

/** Every key of a section must be written, so that a new setting is not forgotten here. */
type Complete<T> = { readonly [K in keyof T]-?: unknown };

/** What is shown in a secret's place. */
export const masked = '***';

/** Returns what is shown of a secret. */
export type ShowSecret = (secret: unknown) => unknown;

/**
 * The settings of an active configuration, in the form of the file and with all defaults. Each secret is masked, and so is
 * what only a module of the user or a program understands: settings of modules, and arguments and environment variables of
 * programs. Objects of the program that the gateway is part of are left out.
 *
 * @param show what is shown of a secret. Default: `masked`
 */
export function activeSettings(config: Config, show: ShowSecret = () => masked): Readonly<Record<string, unknown>> {
  const { listen, durability, cards, preview, defaultAgent, outbound, push, shutdown, log, pages } = config;
  const settings = {
    ...{ listen, store: withoutPassword(config.store), durability },
    retention: retentionSettings(config.retention),
    auth: authSettings(config.auth, show),
    limits: limitsSettings(config.limits),
    ...{ cards, preview, defaultAgent },
    agents: Object.fromEntries(
      [...config.agents].map(([name, agent]) => [name, agentSettings(agent, hostsOf(name, config), show)]),
    ),
    outbound,
    push: { maxAge: formatDuration(push.maxAge), timeout: formatDuration(push.timeout) },
    shutdown: { delay: formatDuration(shutdown.delay), drain: formatDuration(shutdown.drain) },
    ...{ log, pages },
    console: consoleSettings(config.console),
    tracing: tracingSettings(config.tracing, show),
  } satisfies Complete<FileSettings>;
  return present(settings) as Readonly<Record<string, unknown>>;
}

/** The same value without what is undefined. */
function present(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(present);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).filter(([, each]) => each !== undefined);
  return Object.fromEntries(entries.map(([key, each]) => [key, present(each)]));
}

const countOf = (count: number | undefined): number | 'unlimited' => count ?? 'unlimited';
const ageOf = (ms: number | undefined): string => (ms === undefined ? 'forever' : formatDuration(ms));
const durationOf = (ms: number | undefined): string | undefined => (ms === undefined ? undefined : formatDuration(ms));
const secretOf = (secret: Secret, show: ShowSecret): unknown => show(secret.reveal());

const secretsOf = (secrets: Iterable<readonly [string, Secret]>, show: ShowSecret): object =>
  Object.fromEntries([...secrets].map(([name, secret]) => [name, secretOf(secret, show)]));

/** A URL whose query may hold a key. */
function urlOf(text: string, show: ShowSecret): string {
  const mark = text.indexOf('?');
  return mark < 0 ? text : `${text.slice(0, mark + 1)}${show(text.slice(mark + 1))}`;
}

const keyPlaceOf = (place: KeyPlace, show: ShowSecret): string =>
  'file' in place ? place.file : urlOf(place.url, show);

const retentionSettings = ({ tasks, changes }: RetentionConfig) =>
  ({ tasks: ageOf(tasks), changes: ageOf(changes) }) satisfies Complete<RetentionSettings>;

const limitsSettings = ({ webhooks, ...limits }: LimitsConfig) =>
  ({
    body: formatSize(limits.body),
    headers: formatSize(limits.headers),
    answer: formatDuration(limits.answer),
    requestTimeout: formatDuration(limits.requestTimeout),
    slowReader: formatDuration(limits.slowReader),
    requestsPerMinute: countOf(limits.requestsPerMinute),
    streams: countOf(limits.streams),
    streamsPerTask: countOf(limits.streamsPerTask),
    page: formatSize(limits.page),
    buffered: formatSize(limits.buffered),
    state: formatSize(limits.state),
    task: formatSize(limits.task),
    connections: countOf(limits.connections),
    webhooks: {
      perTask: countOf(webhooks.perTask),
      perPrincipal: countOf(webhooks.perPrincipal),
      perMinute: countOf(webhooks.perMinute),
    },
  }) satisfies Complete<LimitsSettings>;

const grantOf = ({ agents, scopes, tenants }: GrantSettings) =>
  ({ agents, scopes, tenants }) satisfies Complete<GrantSettings>;

function authSettings(auth: AuthSettings, show: ShowSecret) {
  const { apiKeys, apiKeyHeader, jwt, tokenEndpoint, mtls, publicCards, failuresPerMinute, hooks } = auth;
  const { module } = hooks ?? {};
  const hashOf = ({ hash }: { readonly hash: string }) => show(`sha256:${hash}`);
  return {
    anonymous: auth.anonymous !== 'none',
    apiKeys: apiKeys.map((key) => ({ name: key.name, hash: hashOf(key), ...grantOf(key) })),
    apiKeyHeader,
    jwt: jwt && jwtSettings(jwt, show),
    tokenEndpoint: tokenEndpoint && {
      clients: tokenEndpoint.clients.map((one) => ({ id: one.id, hash: hashOf(one), ...grantOf(one) })),
      lifetime: formatDuration(tokenEndpoint.lifetime),
    },
    mtls,
    publicCards,
    failuresPerMinute: countOf(Number.isFinite(failuresPerMinute) ? failuresPerMinute : undefined),
    module: module?.path,
    config: module?.config === undefined ? undefined : show(module.config),
    env: module?.env && secretsOf(module.env, show),
    timeout: durationOf(hooks?.timeout),
  } satisfies Complete<AuthFileSettings>;
}

function jwtSettings(jwt: NonNullable<AuthSettings['jwt']>, show: ShowSecret) {
  const { issuer, audience, jwksUrl, algorithms, typ, clockTolerance, scopeClaims } = jwt;
  return {
    ...{ issuer, audience, jwksUrl: urlOf(jwksUrl, show), algorithms, typ, ...grantOf(jwt) },
    clockTolerance: formatDuration(clockTolerance),
    // Otherwise the default: several claims.
    scopeClaim: scopeClaims.length === 1 ? scopeClaims[0] : undefined,
  } satisfies Complete<NonNullable<AuthFileSettings['jwt']>>;
}

const consoleSettings = (settings: ConsoleConfig | undefined): unknown =>
  settings?.traces === undefined ? settings !== undefined : settings;

/** Undefined where the environment configures tracing. */
function tracingSettings(tracing: TracingConfig | undefined, show: ShowSecret) {
  if (!tracing?.inFile || tracing.endpoint === undefined) return undefined;
  const { endpoint, headers, ratio, serviceName } = tracing;
  return {
    endpoint: urlOf(endpoint, show),
    headers: secretsOf(headers, show),
    sampleRatio: ratio,
    serviceName,
  } satisfies Complete<NonNullable<FileSettings['tracing']>>;
}

const hostsOf = (agent: string, { hosts }: Config): string[] =>
  [...hosts].flatMap(([host, owner]) => (owner === agent ? [host] : []));

function agentSettings(agent: AgentConfig, hosts: readonly string[], show: ShowSecret) {
  const { kind, cards, knowledge } = agent;
  const common = {
    ...{ hosts, cards },
    knowledge: knowledge ? knowledgeSettings(knowledge, show) : false,
  } satisfies Complete<CommonAgentSettings>;
  return { kind, ...settingsOfKind(agent, show), ...common };
}

function settingsOfKind(agent: AgentConfig, show: ShowSecret): object {
  switch (agent.kind) {
    case 'module': {
      const { path, config, env } = agent;
      return {
        path,
        config: config === undefined ? undefined : show(config),
        env: env && secretsOf(env, show),
      } satisfies Complete<Omit<ModuleAgentSettings, 'kind' | keyof CommonAgentSettings>>;
    }
    case 'upstream': {
      const { url, dialect, transport, silence, keep, http2, strict, quirks, auth, trust } = agent;
      return {
        ...{ url: urlOf(url, show), dialect, transport, silence: formatDuration(silence) },
        ...{ keep, http2, strict, quirks, auth: outboundAuth(auth, show) },
        trust: trust && { jwks: keyPlaceOf(trust.jwks, show), required: trust.required },
      } satisfies Complete<Omit<UpstreamAgentSettings, 'kind' | keyof CommonAgentSettings>>;
    }
    case 'mcp': {
      const servers = [...agent.servers].map(([id, server]) => [id, toolServer(server, show)]);
      return { servers: Object.fromEntries(servers) };
    }
    default:
      return {};
  }
}

function toolServer(server: ToolServerSettings, show: ShowSecret): object {
  const { timeout, maxResult, allow, deny } = server;
  const common = { timeout: formatDuration(timeout), maxResult: formatSize(maxResult), allow, deny };
  if (server.type === 'stdio') {
    const { command, args, env, cwd } = server;
    const shown = { command, args: args.map(show), env: secretsOf(Object.entries(env), show), cwd };
    return { ...shown, ...common } satisfies Complete<Omit<ToolServerFileSettings, 'url' | 'style' | 'auth' | 'tools'>>;
  }
  const { url, auth } = server;
  const shown = {
    ...{ url: urlOf(url, show), style: server.type === 'http' ? 'mcp' : server.type },
    ...{ auth: outboundAuth(auth, show), tools: server.type === 'http' ? undefined : server.tools },
  };
  return { ...shown, ...common } satisfies Complete<Omit<ToolServerFileSettings, 'command' | 'args' | 'env' | 'cwd'>>;
}

function knowledgeSettings({ alignment, sparql, import: files }: KnowledgeConfig, show: ShowSecret) {
  const { shapes, rules, protected: guarded, minCertainty, requireProvenance, requireJustification } = alignment;
  return {
    ...{ shapes, rules, protected: guarded, minCertainty, requireProvenance, requireJustification },
    sparql: sparql && {
      query: urlOf(sparql.query, show),
      update: urlOf(sparql.update, show),
      auth: outboundAuth(sparql.auth, show),
      defaultGraph: sparql.defaultGraph,
      timeout: durationOf(sparql.timeout),
    },
    import: files,
  } satisfies Complete<KnowledgeFileSettings>;
}

/** Credentials: every secret in them is a Secret, but a URL may hold a key too. */
function outboundAuth(auth: OutboundAuthSettings | undefined, show: ShowSecret): object | undefined {
  if (!auth) return undefined;
  const entries = Object.entries(auth).map(([key, value]) => {
    if (value instanceof Secret) return [key, secretOf(value, show)];
    return [key, key === 'tokenUrl' ? urlOf(String(value), show) : value];
  });
  return Object.fromEntries(entries);
}
