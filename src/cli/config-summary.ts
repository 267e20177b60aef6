import { relative } from 'node:path';
import { grantsOf, impliedScopes } from '../auth/principals.ts';
import { hasAuthenticateHook, hasCredentialMethods } from '../auth/settings.ts';
import {
  type AgentConfig,
  type Config,
  formatDuration,
  isLoopbackHost,
  listenerUrl,
  shownStore,
} from '../config/index.ts';
import { moduleWarnings, servicesOf } from '../config/module-sections.ts';
import { explicitScopes } from '../core/model/principal.ts';
import { shownUrl } from '../core/model/shown-url.ts';
import { findingsOf } from '../dialects/card-rules/findings.ts';
import { overriddenPaths, readOverride } from '../dialects/kernel/card-override.ts';
import type { GrantConfig } from '../gen/settings.ts';
import { isPerCaller, tokenEndpointsOf } from '../net/credentials/outbound-auth.ts';

/** Returns a store's URL without the password, and with a path relative to the working directory if that is shorter. */
export function shownStoreFromHere(store: string): string {
  if (store.startsWith('sqlite:')) {
    const path = store.slice('sqlite:'.length);
    const fromHere = relative('.', path);
    return `sqlite:${fromHere.length < path.length ? fromHere : path}`;
  }
  return shownStore(store);
}

export function shownAgent(agent: AgentConfig): string {
  return [shownKind(agent), ...Object.keys(servicesOf(agent)).map((name) => `with ${name}`)].join(', ');
}

function shownKind(agent: AgentConfig): string {
  if (agent.kind === 'module') return `module ${agent.path}`;
  if (agent.kind === 'mcp') return `mcp ${[...agent.servers.keys()].join(', ')}`;
  if (agent.kind !== 'upstream') return agent.kind;
  return `upstream ${[agent.url]
    .flat()
    .map((url) => shownUrl(new URL(url)))
    .join(', ')}`;
}

/** Returns the URLs that an agent calls, with the credentials for each. */
function calledBy(agent: AgentConfig) {
  if (agent.kind === 'upstream') return [agent.url].flat().map((url) => ({ url, auth: agent.auth }));
  return agent.kind === 'mcp' ? [...agent.servers.values()].filter((server) => server.type !== 'stdio') : [];
}

/** Yields non-loopback URLs to which credentials are sent unencrypted. */
function* unencryptedUrls({ agents }: Config): Generator<[agent: string, url: string]> {
  for (const [name, agent] of agents) {
    for (const { url, auth } of calledBy(agent)) {
      if (auth === undefined) continue;
      const issuers = auth.type === 'oauth2Discovery' ? [auth.issuer] : tokenEndpointsOf(auth);
      for (const each of [url, ...issuers]) {
        const { protocol, hostname } = new URL(each);
        if (protocol === 'http:' && !isLoopbackHost(hostname)) yield [name, shownUrl(new URL(each))];
      }
    }
  }
}

/** Settings that are valid and may still be a mistake. */
export function configWarnings(config: Config): string[] {
  const { defaultAgent, agents } = config;
  const passedOn = [...agents].flatMap(([name, agent]) =>
    agent.kind === 'upstream' && agent.keep === 'none' ? [name] : [],
  );
  const warnings = [...accessWarnings(config), ...moduleWarnings(config, passedOn)];
  if (defaultAgent === undefined) {
    const [first = ''] = agents.keys();
    warnings.push(
      `no agent is served at the root (/), so clients that know only the gateway's URL find none; ` +
        `set defaultAgent to one of ${[...agents.keys()].join(', ')}, such as defaultAgent: ${first}`,
    );
  }
  for (const [name, url] of unencryptedUrls(config)) {
    warnings.push(`agent ${name}: credentials are sent unencrypted to ${url}`);
  }
  for (const [name, agent] of agents) warnings.push(...cardWarnings(name, agent));
  const verifiesTokens = config.auth.jwt !== undefined || hasAuthenticateHook(config.auth);
  for (const [name, agent] of agents) {
    if (agent.kind !== 'upstream') continue;
    const { auth } = agent;
    const sendsTokens = auth?.type === 'exchange' || (auth?.type === 'jwtBearer' && auth.subject === 'caller');
    if (sendsTokens && !verifiesTokens) {
      warnings.push(
        `agent ${name}: the gateway does not verify the tokens of its callers, and does not tell callers apart by them: ` +
          'what one began with its token, others can continue; set auth.jwt to the issuer of these tokens',
      );
    }
    const sharesActor = auth?.type === 'exchange' && auth.subject === 'callerOrActor';
    const isSeparated = agent.keep !== 'none' || (isPerCaller(auth) && !sharesActor);
    if (isSeparated || !hasManyCallers(config, name)) continue;
    warnings.push(
      `agent ${name}: with keep: none its callers are not separated: a caller that knows or lists a task can read and cancel it; ` +
        'forward their credentials with auth: { type: forward }, or let a single caller call it',
    );
  }
  return warnings;
}

/** Returns warnings about the members that the configuration sets on an agent's card. */
function cardWarnings(name: string, agent: AgentConfig): string[] {
  if (agent.kind !== 'upstream' || !agent.card) return [];
  const { override } = readOverride(agent.card);
  const paths = overriddenPaths(override);
  return findingsOf('', override.members, 0).flatMap(({ severity, field = '', message }) =>
    severity !== 'note' && paths.some((path) => field.startsWith(path))
      ? [`agent ${name}: card.${field} ${message}`]
      : [],
  );
}

export const hostsOf = ({ hosts }: Config, agent: string): string[] =>
  [...hosts].filter(([, owner]) => owner === agent).map(([host]) => host);

export function servedLines(config: Config, port: number): string[] {
  const base = config.listen.publicUrl ?? listenerUrl(config.listen, port);
  const { hostname, port: publicPort, protocol } = new URL(base);
  const grpc = `${hostname}:${publicPort || (protocol === 'https:' ? 443 : 80)}`;
  const agents = [...config.agents].flatMap(([agent, settings]) => {
    const root = agent === config.defaultAgent;
    const hosts = hostsOf(config, agent).join(', ');
    const url = root ? base : `${base}/${agent}`;
    const rows = {
      // The JavaScript SDK resolves the card's path against this URL, and needs the slash.
      'base URL': `${url}/`,
      card: `${url}/.well-known/agent-card.json`,
      'JSON-RPC': `${url}/`,
      'HTTP+JSON': `${url}/message:send`,
      gRPC: root ? grpc : `${grpc} (tenant ${agent})`,
      Connect: `${base}/lf.a2a.v1.A2AService/SendMessage`,
      MCP: `${base}/${agent}/mcp`,
      ...Object.fromEntries(Object.entries(servicesOf(settings)).map(([name, path]) => [name, url + path])),
      ...(hosts !== '' && { hosts }),
    };
    return [
      `agent ${agent} (${shownAgent(settings)})${root ? ', also at the root' : ''}`,
      ...Object.entries(rows).map(([title, shown]) => `  ${title.padEnd(10)} ${shown}`),
      '',
    ];
  });
  const { publicUrl } = config.listen;
  const published = publicUrl === undefined ? [] : [`clients reach it at ${publicUrl}`];
  return [`a2a-gateway is listening on ${listenerUrl(config.listen, port)}`, ...published, '', ...agents];
}

/**
 * Returns the line with the console's URL, which includes the key that the gateway generated; browsers do not send the
 * part after the #. Without a console, the line contains only the key. Undefined if there is neither.
 */
export function consoleLine(config: Config, port: number, adminKey: string | undefined): string | undefined {
  if (!config.console) return adminKey && `Admin key: ${adminKey}`;
  const base = config.listen.publicUrl ?? listenerUrl(config.listen, port);
  return `Console: ${base}/console/${adminKey === undefined ? '' : `#key=${adminKey}`}`;
}

const anonymousWords = { local: 'callers on this machine', anyone: 'all callers', none: 'off' } as const;

/** Returns the methods of authentication, one per line: names only, no secrets and no hashes. */
export function accessLines({ auth }: Config): string[] {
  const { apiKeys, jwt, tokenEndpoint, mtls, hooks } = auth;
  const lines = [`anonymous   ${anonymousWords[auth.anonymous]}`];
  if (apiKeys.length > 0) {
    const header = auth.apiKeyHeader.toLowerCase() === 'x-api-key' ? '' : `, in ${auth.apiKeyHeader} or X-Api-Key`;
    lines.push(`api keys    ${apiKeys.map((key) => named(key.name, key)).join(', ')}${header}`);
  }
  if (jwt) lines.push(`tokens      ${named(`of ${shownUrl(jwt.issuer)} for ${jwt.audience.join(' or ')}`, jwt)}`);
  if (tokenEndpoint) {
    const clients = tokenEndpoint.clients.map((client) => named(client.id, client)).join(', ') || 'none';
    lines.push(`clients     ${clients}, at /oauth/token, for ${formatDuration(tokenEndpoint.lifetime)}`);
  }
  if (mtls) {
    const others = mtls.others === 'accept' ? ['any certificate of its CA'] : [];
    const names = [...mtls.clients.map((client) => named(client.name, client)), ...others].join(', ') || 'none';
    lines.push(`certificates ${names}${mtls.required ? ', on every connection' : ''}`);
  }
  if (hooks) {
    const within = `with ${formatDuration(hooks.timeout)} for an answer`;
    lines.push(`hooks       ${hooks.module ? hooks.module.path : 'in code'}, ${within}`);
  }
  if (hasCredentialMethods(auth))
    lines.push(`cards       ${auth.publicCards ? 'public' : 'for authenticated callers'}`);
  return lines;
}

function named(name: string, { agents, scopes, tenants }: GrantConfig): string {
  const bounds = [
    ...(agents ? [`agents ${agents.join(' ') || 'none'}`] : []),
    ...(scopes ? [`scopes ${scopes.join(' ') || 'none'}`] : []),
    ...(tenants ? [`tenants ${tenants.join(' ') || 'none'}`] : []),
  ];
  return bounds.length === 0 ? name : `${name} (${bounds.join('; ')})`;
}

/** Scopes that grant rights. */
const knownScopes: ReadonlySet<string> = new Set([
  ...impliedScopes.flatMap((scope) => [scope, `${scope}:read`]),
  ...explicitScopes,
]);

/** Settings that are valid and may still be a mistake. */
export function accessWarnings(config: Config): string[] {
  const { auth, listen, agents } = config;
  const warnings: string[] = [];
  if (auth.anonymous === 'none' && !hasCredentialMethods(auth)) {
    const why =
      listen.publicUrl === undefined ? 'auth.anonymous is false' : 'with a publicUrl no caller counts as local';
    warnings.push(`no caller can authenticate: ${why}, and no other authentication is configured`);
  }
  if (auth.anonymous === 'anyone')
    warnings.push('every caller is accepted without credentials: auth.anonymous is true');
  for (const { title, grant } of grantsOf(auth)) {
    const { agents: named = [], scopes = [] } = grant;
    for (const agent of named.filter((one) => !agents.has(one))) {
      warnings.push(`${title}: there is no agent "${agent}"`);
    }
    for (const scope of scopes.filter((one) => !knownScopes.has(one))) {
      warnings.push(`${title}: unknown scope "${scope}"; expected ${[...knownScopes].join(', ')}`);
    }
  }
  const jwks = auth.jwt && new URL(auth.jwt.jwksUrl);
  if (jwks?.protocol === 'http:' && !isLoopbackHost(jwks.hostname)) {
    warnings.push(`auth.jwt: keys fetched over http from ${jwks.host} can be forged; use https`);
  }
  const publicUrl = listen.publicUrl === undefined ? undefined : new URL(listen.publicUrl);
  if (publicUrl?.protocol === 'http:' && !isLoopbackHost(publicUrl.hostname)) {
    warnings.push(
      `listen.publicUrl is http: requests and answers are sent unencrypted to ${publicUrl.host}; use https`,
    );
  }
  if (hasCredentialMethods(auth) && !isLoopbackHost(listen.host) && listen.tls === undefined) {
    warnings.push(`credentials are sent unencrypted to ${listen.host}, unless a proxy in front of it terminates TLS`);
  }
  return warnings;
}

function hasManyCallers(config: Config, agent: string): boolean {
  const { anonymous, jwt, mtls } = config.auth;
  const accepts = (grant: GrantConfig | undefined): boolean =>
    grant !== undefined && grant.agents?.includes(agent) !== false;
  const callers = new Set<string>();
  for (const { title, grant } of grantsOf(config.auth)) if (accepts(grant)) callers.add(title);
  if (anonymous !== 'none') callers.add('anonymous');
  return callers.size > 1 || accepts(jwt) || mtls?.others === 'accept';
}
