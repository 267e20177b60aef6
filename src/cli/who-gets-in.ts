import { type GrantSettings, hasCredentialMethods } from '../auth/settings.ts';
import { type Config, formatDuration, isLoopbackHost } from '../config/index.ts';

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
