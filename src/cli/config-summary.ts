import { relative } from 'node:path';
import { type GrantSettings, hasCredentialMethods } from '../auth/settings.ts';
import {
  type AgentConfig,
  type Config,
  formatDuration,
  isLoopbackHost,
  type UpstreamConfig,
  withoutPassword,
} from '../config/index.ts';

/** A store as it may be shown: without a password, and with a path that is short to read from here. */
export function shownStore(store: string): string {
  if (store.startsWith('sqlite:')) {
    const path = store.slice('sqlite:'.length);
    const near = relative('.', path);
    return `sqlite:${near.length < path.length ? near : path}`;
  }
  return withoutPassword(store);
}

/** An agent's URL as it may be shown: a query may hold a key. */
const shownUrl = (text: string): string => {
  const { origin, pathname, search } = new URL(text);
  return `${origin}${pathname}${search === '' ? '' : '?…'}`;
};

/** What an agent is, in a few words. */
export function shownAgent(agent: AgentConfig): string {
  return agent.knowledge ? `${shownKind(agent)}, with knowledge` : shownKind(agent);
}

function shownKind(agent: AgentConfig): string {
  if (agent.kind === 'module') return `module ${agent.path}`;
  if (agent.kind === 'mcp') return `mcp ${[...agent.servers.keys()].join(', ')}`;
  return agent.kind === 'upstream' ? `upstream ${shownUrl(agent.url)}` : agent.kind;
}

/** Where an agent calls others, and what it shows them. */
function placesOf(agent: AgentConfig): readonly Pick<UpstreamConfig, 'url' | 'auth'>[] {
  if (agent.kind === 'upstream') return [agent];
  return agent.kind === 'mcp' ? [...agent.servers.values()].filter((server) => server.type !== 'stdio') : [];
}

/** URLs that credentials travel to without encryption, over a network. */
function* plainUrls({ agents }: Config): Generator<[agent: string, url: string]> {
  for (const [name, agent] of agents) {
    for (const { url, auth } of placesOf(agent)) {
      if (auth === undefined) continue;
      for (const each of [url, ...(auth.type === 'oauth2' ? [auth.tokenUrl] : [])]) {
        const { protocol, hostname } = new URL(each);
        if (protocol === 'http:' && !isLoopbackHost(hostname)) yield [name, shownUrl(each)];
      }
    }
  }
}

/** What is allowed and may still surprise. */
export function configWarnings(config: Config): string[] {
  const { defaultAgent, agents } = config;
  const warnings = accessWarnings(config);
  if (defaultAgent === undefined) {
    const [first = ''] = agents.keys();
    warnings.push(
      `no agent answers at the root (/), and clients that are given the gateway's URL alone find none; to change that, ` +
        `set defaultAgent to one of ${[...agents.keys()].join(', ')}, such as defaultAgent: ${first}`,
    );
  }
  for (const [name, url] of plainUrls(config)) {
    warnings.push(`agent ${name}: its credentials travel unencrypted to ${url}`);
  }
  return warnings;
}

/** The hosts at whose root an agent answers. */
export const hostsOf = ({ hosts }: Config, agent: string): string[] =>
  [...hosts].filter(([, owner]) => owner === agent).map(([host]) => host);

/** Where an agent is served, for people. */
export interface ServedAgent {
  readonly name: string;
  /** Its kind, and where it is. */
  readonly what: string;
  /** Whether it answers at the root as well. */
  readonly root: boolean;
  readonly rows: readonly (readonly [title: string, url: string])[];
}

/** The URLs that a gateway of this configuration serves on this port. */
export function servedUrls(config: Config, port: number): { base: string; agents: ServedAgent[] } {
  const { host, publicUrl, tls } = config.listen;
  const name = host.includes(':') ? `[${host.replace(/^\[|\]$/g, '')}]` : host;
  const base = publicUrl ?? `${tls === undefined ? 'http' : 'https'}://${name}:${port}`;
  const { hostname, port: publicPort, protocol } = new URL(base);
  const grpc = `${hostname}:${publicPort || (protocol === 'https:' ? 443 : 80)}`;
  const agents = [...config.agents].map(([agent, settings]): ServedAgent => {
    const root = agent === config.defaultAgent;
    const hosts = hostsOf(config, agent);
    const url = root ? base : `${base}/${agent}`;
    return {
      name: agent,
      what: shownAgent(settings),
      root,
      rows: [
        // With a slash at its end: the SDK for JavaScript resolves the card's path against it.
        ['base URL', `${url}/`],
        ['card', `${url}/.well-known/agent-card.json`],
        ['JSON-RPC', `${url}/`],
        ['HTTP+JSON', `${url}/message:send`],
        ['gRPC', root ? grpc : `${grpc} (tenant ${agent})`],
        ['Connect', `${base}/lf.a2a.v1.A2AService/SendMessage`],
        ['MCP', `${base}/${agent}/mcp`],
        ...(settings.knowledge ? [['knowledge', `${url}/knowledge:query`] as const] : []),
        ...(hosts.length === 0 ? [] : [['hosts', hosts.join(', ')] as const]),
      ],
    };
  });
  return { base, agents };
}

const anonymousWords = { local: 'this machine', anyone: 'anyone who reaches it', nobody: 'nobody' } as const;

/** Who gets in, a line for each way. Names, and nothing that is a secret or a hash of one. */
export function accessLines({ auth }: Config): string[] {
  const { apiKeys, jwt, tokenEndpoint, mtls } = auth;
  const lines = [`anonymous   ${anonymousWords[auth.anonymous]}`];
  if (apiKeys.length > 0) {
    const header = auth.apiKeyHeader.toLowerCase() === 'x-api-key' ? '' : `, in ${auth.apiKeyHeader} or X-Api-Key`;
    lines.push(`api keys    ${apiKeys.map((key) => named(key.name, key)).join(', ')}${header}`);
  }
  if (jwt) lines.push(`tokens      ${named(`of ${jwt.issuer} for ${jwt.audience.join(' or ')}`, jwt)}`);
  if (tokenEndpoint) {
    const clients = tokenEndpoint.clients.map((client) => named(client.id, client)).join(', ') || 'nobody';
    lines.push(`clients     ${clients}, at /oauth/token, for ${formatDuration(tokenEndpoint.lifetime)}`);
  }
  if (mtls) {
    const others = mtls.others === 'accept' ? ['any of its authorities'] : [];
    const names = [...mtls.clients.map((client) => named(client.name, client)), ...others].join(', ') || 'nobody';
    lines.push(`certificates ${names}${mtls.required ? ', on every connection' : ''}`);
  }
  if (hasCredentialMethods(auth)) lines.push(`cards       for ${auth.publicCards ? 'everybody' : 'those who get in'}`);
  return lines;
}

function named(name: string, { agents, scopes }: GrantSettings): string {
  const bounds = [
    ...(agents ? [`agents ${agents.join(' ') || 'none'}`] : []),
    ...(scopes ? [`scopes ${scopes.join(' ') || 'none'}`] : []),
  ];
  return bounds.length === 0 ? name : `${name} (${bounds.join('; ')})`;
}

/** Scopes that open something. */
const knownScopes: ReadonlySet<string> = new Set(['tasks', 'tasks:read', 'knowledge', 'knowledge:read', 'metrics']);

/** What is allowed, and may still surprise. */
export function accessWarnings(config: Config): string[] {
  const { auth, listen, agents } = config;
  const warnings: string[] = [];
  if (auth.anonymous === 'nobody' && !hasCredentialMethods(auth)) {
    const why =
      listen.publicUrl === undefined ? 'auth.anonymous is false' : 'with a publicUrl nobody is taken for a local user';
    warnings.push(`nobody can call this gateway: ${why}, and no other way in is configured`);
  }
  if (auth.anonymous === 'anyone') warnings.push('anyone who reaches this gateway can call it: auth.anonymous is true');
  for (const [name, { agents: named = [], scopes = [] }] of grantsOf(config)) {
    for (const agent of named.filter((one) => !agents.has(one))) {
      warnings.push(`${name}: no agent is called "${agent}"`);
    }
    for (const scope of scopes.filter((one) => !knownScopes.has(one))) {
      warnings.push(`${name}: the scope "${scope}" opens nothing; there are ${[...knownScopes].join(', ')}`);
    }
  }
  const jwks = auth.jwt && new URL(auth.jwt.jwksUrl);
  if (jwks?.protocol === 'http:' && !isLoopbackHost(jwks.hostname)) {
    warnings.push(`auth.jwt: keys that come unencrypted from ${jwks.host} could be anybody's`);
  }
  const publicUrl = listen.publicUrl === undefined ? undefined : new URL(listen.publicUrl);
  if (publicUrl?.protocol === 'http:' && !isLoopbackHost(publicUrl.hostname)) {
    warnings.push(`listen.publicUrl is http: all that clients send and get travels unencrypted to ${publicUrl.host}`);
  }
  if (hasCredentialMethods(auth) && !isLoopbackHost(listen.host) && listen.tls === undefined) {
    warnings.push(`credentials travel unencrypted to ${listen.host}, unless a proxy in front of it speaks TLS`);
  }
  return warnings;
}

/** Everything that is given to somebody, with the words for whom. */
function* grantsOf({ auth }: Config): Generator<[name: string, grant: GrantSettings]> {
  for (const key of auth.apiKeys) yield [`API key ${key.name}`, key];
  for (const client of auth.tokenEndpoint?.clients ?? []) yield [`client ${client.id}`, client];
  for (const client of auth.mtls?.clients ?? []) yield [`certificate ${client.name}`, client];
  if (auth.jwt) yield ['auth.jwt', auth.jwt];
}
