import { type ClientCertificate, holdsScope, type Principal } from '../core/model/principal.ts';
import type { AgentDirectory } from '../core/ports/agent-directory.ts';
import type { ApiKeyConfig, CertificateConfig, GrantConfig } from '../gen/settings.ts';
import { type AuthSettings, hasAuthenticateHook, type MtlsSettings } from './settings.ts';

/**
 * Creates ids of principals. They begin with the kind of credential, so that a token cannot claim the name of a key.
 */
export const principalIds = {
  key: (name: string): string => `key:${name}`,
  client: (id: string): string => `client:${id}`,
  certificate: (name: string): string => `cert:${name}`,
  /**
   * For certificates that are not configured by name. It includes the authority, because two authorities may issue the
   * same subject to different clients.
   */
  subject: (authority: string, subject: string): string => `subject:${authority}/${subject}`,
  token: (issuer: string, subject: string): string => `jwt:${issuer}#${subject}`,
  /** For callers that the program's own hook recognises. */
  own: (id: string): string => `own:${id}`,
  /** For the holder of the gateway's own admin key. */
  admin: 'admin-key',
  anonymous: 'anonymous',
} as const;

/** Prefix of the ids of certificates that are not configured by name. */
const subjects = 'subject:';

/**
 * Returns all grants of the configuration, with titles for messages. The grant for tokens from an identity provider has
 * no principal, because each subject is one.
 */
export function grantsOf({ apiKeys, tokenEndpoint, mtls, jwt }: AuthSettings) {
  const named = (kind: string, name: string, id: string, grant: GrantConfig) => ({
    title: `${kind} ${name}`,
    principal: { name, id },
    grant,
  });
  return [
    ...apiKeys.map((key) => named('API key', key.name, principalIds.key(key.name), key)),
    ...(tokenEndpoint?.clients ?? []).map((one) => named('client', one.id, principalIds.client(one.id), one)),
    ...(mtls?.clients ?? []).map((one) => named('certificate', one.name, principalIds.certificate(one.name), one)),
    ...(jwt ? [{ title: 'auth.jwt', principal: undefined, grant: jwt as GrantConfig }] : []),
  ];
}

/**
 * Returns the principal ids for a name in the configuration: the name of a key, a client or a certificate, or a
 * complete id. A final `*` matches any ending. Empty if no possible caller matches.
 */
export function principalIdsNamed(auth: AuthSettings, name: string): string[] {
  const { jwt, mtls } = auth;
  const { token, own, anonymous } = principalIds;
  const named = grantsOf(auth).flatMap(({ principal }) => principal ?? []);
  if (auth.anonymous !== 'none') named.push({ name: anonymous, id: anonymous });
  const prefix = name.endsWith('*') ? name.slice(0, -1) : undefined;
  const matches = (one: string): boolean => (prefix === undefined ? one === name : one.startsWith(prefix));
  const ids = named.filter((one) => matches(one.name) || matches(one.id)).map(({ id }) => id);
  // Prefixes of the ids of callers that are not configured one by one.
  const open = [
    ...(jwt ? [token(jwt.issuer, '')] : []),
    ...(mtls?.others === 'accept' ? [subjects] : []),
    ...(hasAuthenticateHook(auth) ? [own('')] : []),
  ];
  const possible = open.some(
    (one) => (name.startsWith(one) && name !== one) || (prefix !== undefined && one.startsWith(prefix)),
  );
  return [...new Set(possible ? [...ids, name] : ids)];
}

/** Returns the message about a name in the configuration that matches no principal id. */
export const noCaller = (name: string): string =>
  `no caller is called "${name}"; expected the name of a configured API key, token client or client certificate, or a principal's id such as jwt:ISSUER#SUBJECT`;

/** Whether a name in the configuration matches a principal. */
export const isNamed = (auth: AuthSettings, name: string, id: string): boolean =>
  principalIdsNamed(auth, name).some((one) => (one.endsWith('*') ? id.startsWith(one.slice(0, -1)) : id === one));

/**
 * Returns the principals that the configuration names one by one, with their scopes. Scopes are undefined if none are
 * configured.
 */
export function configuredPrincipals(auth: AuthSettings) {
  const named = grantsOf(auth).flatMap(({ principal, grant }) => (principal ? [{ id: principal.id, grant }] : []));
  // Two keys of one caller may have different scopes.
  return [...Map.groupBy(named, ({ id }) => id)].map(([principal, entries]) => {
    const scopes = entries.map(({ grant }) => grant.scopes);
    const all = scopes.includes(undefined) ? undefined : [...new Set(scopes.flatMap((list) => list ?? []))];
    return { principal, scopes: all };
  });
}

/**
 * Returns the principal with an id, and with the rights that the configuration currently grants to it. If several
 * credentials have this id, the principal gets the rights that they all have. Undefined if the configuration does not
 * know the id.
 */
export function principalById(auth: AuthSettings, id: string): Principal | undefined {
  const { jwt, mtls, anonymous } = auth;
  if (id === principalIds.anonymous) return anonymous === 'none' ? undefined : { id, anonymous: true };
  const grants = grantsOf(auth).flatMap(({ principal, grant }) => (principal?.id === id ? [grant] : []));
  if (grants.length > 0) return principalOf(id, Object.fromEntries(limits.map((name) => [name, inAll(grants, name)])));
  if (jwt && id.startsWith(principalIds.token(jwt.issuer, ''))) return principalOf(id, jwt);
  if (mtls?.others === 'accept' && id.startsWith(subjects)) return principalOf(id, {});
  return undefined;
}

const limits = ['agents', 'scopes', 'tenants'] as const;

function inAll(grants: readonly GrantConfig[], name: (typeof limits)[number]): readonly string[] | undefined {
  const lists = grants.flatMap((grant) => (grant[name] ? [grant[name]] : []));
  return lists[0]?.filter((one) => lists.every((list) => list.includes(one)));
}

/** The scopes of callers without configured scopes, as a token endpoint lists them. */
export const impliedScopes: readonly string[] = ['tasks', 'knowledge'];

/**
 * Returns the scopes of a token, limited to the configured scopes. Undefined means all scopes that need not be granted
 * explicitly.
 */
export function narrowed(
  configured: readonly string[] | undefined,
  claimed: readonly string[] | undefined,
): readonly string[] | undefined {
  if (configured === undefined || claimed === undefined) return configured ?? claimed;
  const bound = new Set(configured);
  const wanted = new Set(claimed);
  const within = claimed.filter((scope) => holdsScope(bound, scope));
  return [...new Set([...within, ...configured.filter((scope) => holdsScope(wanted, scope))])];
}

/**
 * Creates a principal. `ownCredential` names the credential that is not forwarded to agents, because it was issued for
 * the gateway.
 */
export const principalOf = (
  id: string,
  { agents, scopes, tenants }: GrantConfig,
  ownCredential?: Principal['ownCredential'],
): Principal => ({
  id,
  anonymous: false,
  ...(agents && { agents: new Set(agents) }),
  ...(scopes && { scopes: new Set(scopes) }),
  ...(tenants && { tenants: new Set(tenants) }),
  ...(ownCredential && { ownCredential }),
});

/**
 * Returns the principals of API keys, by hash. The time of a look-up reveals nothing about keys, because callers cannot
 * choose the hash.
 *
 * @param forwarded whether the keys arrive in a header that can be forwarded to agents
 */
export const keyHolders = (keys: readonly ApiKeyConfig[], forwarded: boolean): ReadonlyMap<string, Principal> =>
  new Map(
    keys.map(({ name, hash, ...grant }) => {
      const principal = principalOf(principalIds.key(name), grant, forwarded ? 'apiKey' : undefined);
      return [hash, { ...principal, credential: { kind: 'apiKey', hash } }];
    }),
  );

/**
 * Creates a function that finds the principal of a certificate signed by the listener's authorities. Undefined for a
 * certificate that is not accepted.
 */
export function certificateHolders({
  clients,
  others,
}: MtlsSettings): (certificate: ClientCertificate) => Principal | undefined {
  const known = clients.map((client) => ({
    client,
    principal: principalOf(principalIds.certificate(client.name), client),
  }));
  return (certificate) => {
    const found = known.find(({ client }) => matches(client, certificate));
    if (found) return found.principal;
    const { authority, subject } = certificate;
    if (others !== 'accept' || authority === undefined) return undefined;
    // A subject is unique among an authority's certificates, and stays so when they or the authority's own certificate
    // are renewed.
    return principalOf(principalIds.subject(authority, subject), {});
  };
}

const matches = (
  { authority, commonName, altName, fingerprint }: CertificateConfig,
  certificate: ClientCertificate,
): boolean =>
  (commonName ?? altName ?? fingerprint) !== undefined &&
  (authority === undefined || certificate.authority === authority) &&
  (commonName === undefined || certificate.commonName === commonName) &&
  (altName === undefined || certificate.altNames.includes(altName)) &&
  (fingerprint === undefined || certificate.fingerprint === fingerprint);

export interface VerifiedCredential {
  readonly principal: Principal;
  /** Time until which the result may be cached, in milliseconds since the epoch. */
  readonly until: number;
  /** SHA-256 of the client certificate that the connection must have, in base64url (RFC 8705 section 3.1). */
  readonly boundTo?: string;
}

/** The base URL of resources, at which clients reach the gateway. */
interface ResourceBase {
  /** URL of the gateway's root, without a trailing slash. */
  readonly url: string;
  /** The agent at this root, if it has a host of its own. Absent if all agents are below the root. */
  readonly agent?: string | undefined;
}

/**
 * Returns the agents of a resource indicator (RFC 8707 section 2), which is the URL of the gateway, of an agent, or of
 * one of their MCP endpoints: one agent, or `all`. Undefined for a resource of another server.
 */
export function agentsOfResource(
  resource: string,
  { url, agent: atRoot }: ResourceBase,
  agents: Pick<AgentDirectory, 'get'>,
): readonly string[] | 'all' | undefined {
  if (!resource.startsWith(url)) return undefined;
  const path = resource
    .slice(url.length)
    .replace(/\/$/, '')
    .replace(/\/mcp$/, '');
  const [before, agent = atRoot, ...more] = path.split('/');
  if (before !== '' || more.length > 0) return undefined;
  if (agent === undefined) return 'all';
  return agents.get(agent) ? [agent] : undefined;
}

/** Returns the agents that both lists allow. Undefined means all agents. */
export const inBoth = (
  configured: readonly string[] | undefined,
  named: readonly string[] | undefined,
): readonly string[] | undefined =>
  named === undefined ? configured : named.filter((agent) => configured === undefined || configured.includes(agent));
