import type { ClientCertificate, Principal } from '../core/model/principal.ts';
import { holdsScope } from '../core/model/principal.ts';
import type { ApiKeySettings, AuthSettings, CertificateSettings, GrantSettings, MtlsSettings } from './settings.ts';

/** Ids of principals say how a caller shows who it is, so that no token can claim the name of a key. */
export const principalIds = {
  key: (name: string): string => `key:${name}`,
  client: (id: string): string => `client:${id}`,
  certificate: (name: string): string => `cert:${name}`,
  /** A certificate that is configured under no name. */
  subject: (subject: string): string => `subject:${subject}`,
  token: (issuer: string, subject: string): string => `jwt:${issuer}#${subject}`,
  anonymous: 'anonymous',
} as const;

/**
 * The ids of principals that a name in the configuration stands for: the name of a key, a client or a certificate, or a
 * whole id. A name that ends with `*` stands for all that begin so. Empty where it stands for no caller that could come.
 */
export function principalIdsNamed(auth: AuthSettings, name: string): string[] {
  const { apiKeys, jwt, tokenEndpoint, mtls } = auth;
  const { key, client, certificate, subject, token, anonymous } = principalIds;
  const named: readonly (readonly [name: string, id: string])[] = [
    ...apiKeys.map((one) => [one.name, key(one.name)] as const),
    ...(tokenEndpoint?.clients ?? []).map((one) => [one.id, client(one.id)] as const),
    ...(mtls?.clients ?? []).map((one) => [one.name, certificate(one.name)] as const),
    ...(auth.anonymous === 'nobody' ? [] : [[anonymous, anonymous] as const]),
  ];
  const [exact, begins] = name.endsWith('*') ? [undefined, name.slice(0, -1)] : [name, undefined];
  const fits = (one: string): boolean => one === exact || (begins !== undefined && one.startsWith(begins));
  const ids = named.filter((pair) => pair.some(fits)).map(([, id]) => id);
  // Those of which only the beginning is configured.
  const open = [...(jwt ? [token(jwt.issuer, '')] : []), ...(mtls?.others === 'accept' ? [subject('')] : [])];
  const within = open.some(
    (one) => (name.startsWith(one) && name !== one) || (begins !== undefined && one.startsWith(begins)),
  );
  return [...new Set(within ? [...ids, name] : ids)];
}

/** The scopes of somebody for whom none are configured, as a token endpoint writes them. */
export const impliedScopes: readonly string[] = ['tasks', 'knowledge'];

/**
 * What is left of scopes that a token claims, within those that are configured. Undefined stands for every one that need
 * not be given in so many words.
 */
export function narrowed(
  configured: readonly string[] | undefined,
  claimed: readonly string[] | undefined,
): readonly string[] | undefined {
  if (configured === undefined || claimed === undefined) return configured ?? claimed;
  const [bound, wanted] = [new Set(configured), new Set(claimed)];
  const within = claimed.filter((scope) => holdsScope(bound, scope));
  return [...new Set([...within, ...configured.filter((scope) => holdsScope(wanted, scope))])];
}

/** Which of the credentials that agents may be forwarded is the gateway's own, and meant for nobody else. */
export type OwnCredential = NonNullable<Principal['ownCredential']>;

/** A caller who has shown who it is. */
export function principalOf(id: string, { agents, scopes }: GrantSettings, ownCredential?: OwnCredential): Principal {
  return {
    id,
    anonymous: false,
    ...(agents && { agents: new Set(agents) }),
    ...(scopes && { scopes: new Set(scopes) }),
    ...(ownCredential && { ownCredential }),
  };
}

/**
 * The callers of API keys, by hash. A look-up by the hash of what was shown takes no time that says anything of a key:
 * whoever measured it would have to find keys whose hashes begin alike.
 *
 * @param forwarded whether agents could be forwarded what such a key comes in
 */
export const keyHolders = (keys: readonly ApiKeySettings[], forwarded: boolean): ReadonlyMap<string, Principal> =>
  new Map(
    keys.map(({ name, hash, ...grant }) => {
      const principal = principalOf(principalIds.key(name), grant, forwarded ? 'apiKey' : undefined);
      return [hash, { ...principal, credential: { kind: 'apiKey', hash } }];
    }),
  );

/** Says whose a certificate is, which the listener's authorities have signed; undefined: nobody's that is let in. */
export function certificateHolders({
  clients,
  others,
}: MtlsSettings): (shown: ClientCertificate) => Principal | undefined {
  const known = clients.map((client) => ({
    client,
    principal: principalOf(principalIds.certificate(client.name), client),
  }));
  return (shown) => {
    const found = known.find(({ client }) => fits(client, shown));
    if (found) return found.principal;
    // A subject is unique among an authority's certificates, also across their renewals.
    return others === 'accept'
      ? principalOf(principalIds.subject(shown.subject), { agents: undefined, scopes: undefined })
      : undefined;
  };
}

function fits({ commonName, altName, fingerprint }: CertificateSettings, shown: ClientCertificate): boolean {
  if (commonName === undefined && altName === undefined && fingerprint === undefined) return false;
  return (
    (commonName === undefined || shown.commonName === commonName) &&
    (altName === undefined || shown.altNames.includes(altName)) &&
    (fingerprint === undefined || shown.fingerprint === fingerprint)
  );
}

/** What a credential turned out to be. */
export interface VerifiedCredential {
  readonly principal: Principal;
  /** Until when this need not be found out again: milliseconds since the epoch. */
  readonly until: number;
  /** The one client certificate with which it counts: its SHA-256 in base64url (RFC 8705 section 3.1). */
  readonly boundTo?: string;
}
