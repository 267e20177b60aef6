import type { JsonObject } from './json.ts';

/** The caller. Tasks belong to a principal: the task of another principal is not found. */
export interface Principal {
  /** Stable and unique; all anonymous callers share one. */
  readonly id: string;
  readonly anonymous: boolean;
  /**
   * Whether it sees exceptions of agents' code: it is admitted because it is on this machine, or has the admin key.
   * Default false.
   */
  readonly local?: boolean;
  /** Names of the permitted agents. Absent: all. */
  readonly agents?: ReadonlySet<string>;
  /** Granted scopes, such as `tasks`. Absent: all except those that must be granted explicitly. */
  readonly scopes?: ReadonlySet<string>;
  /** Tenants that it may name. Absent: any. */
  readonly tenants?: ReadonlySet<string>;
  /** Attributes that the program's own authentication has returned. */
  readonly attributes?: JsonObject;
  /** The credential that was issued for the gateway: it is not passed on to agents. */
  readonly ownCredential?: keyof ShownCredentials;
  /** Time when its credential expires: milliseconds since the epoch. Absent: never, or unknown. */
  readonly until?: number;
  /** Id of the console session that it calls with. Absent: it sends its credential with each call. */
  readonly session?: string;
  /** The key of its limits, such as the network of an anonymous caller. Absent: its id. */
  readonly limitedAs?: string;
  /** Its credential, to be verified again after a reload. Absent: it has none, or is part of the program. */
  readonly credential?: Credential;
  /** Only its id is known, as after a restart: its permissions are looked up before it calls anything. */
  readonly byId?: true;
}

/** The caller's credentials as received. */
export interface ShownCredentials {
  /** The whole value of `Authorization`. */
  readonly authorization?: string;
  readonly apiKey?: string;
}

/** The client certificate of an open connection, signed by one of the listener's authorities. */
export interface ClientCertificate {
  /** The subject's attributes, the most general first, such as `O=Example,CN=alice`. */
  readonly subject: string;
  /** Common name of a subject that has exactly one. */
  readonly commonName: string | undefined;
  /** Alternative names with their kinds: `DNS:a.example`, `email:a@b.example`, `URI:spiffe://a/b`, `IP:192.0.2.1`. */
  readonly altNames: readonly string[];
  /**
   * Authority at the end of its chain: SHA-256 of the public key, in lower-case hexadecimal. Undefined if the chain is
   * not known.
   */
  readonly authority: string | undefined;
  /** SHA-256 of the certificate, in lower-case hexadecimal. */
  readonly fingerprint: string;
  /** Expiry: milliseconds since the epoch. */
  readonly expires: number;
}

export interface TokenAudience {
  /** Names of the only agents that the token is valid for. Absent: all of them. */
  readonly agents?: readonly string[];
}

/** The part of a caller's credential that is verified again after a reload. It is not sufficient to authenticate. */
export type Credential =
  // `hash`: SHA-256 of the key.
  | { readonly kind: 'apiKey'; readonly hash: string }
  // The gateway's own admin key. `hash`: as above.
  | { readonly kind: 'admin'; readonly hash: string }
  // A token that the gateway issued. `client` identifies the client and its secret; `scopes` are the token's claim.
  | ({ readonly kind: 'token'; readonly client: string; readonly scopes: readonly string[] } & TokenAudience)
  // A token from an identity provider, verified by `rules`. A token without a scope claim gets the granted scopes.
  | ({ readonly kind: 'jwt'; readonly rules: string; readonly scopes: readonly string[] | undefined } & TokenAudience)
  | { readonly kind: 'certificate'; readonly certificate: ClientCertificate }
  // A caller recognised by the program's own hook. `hook`: its id.
  | { readonly kind: 'hook'; readonly hook: string };

/**
 * Header of the requests of the console's script. Without it no session is read: pages of other origins cannot send it,
 * since CORS does not allow it.
 */
export const consoleHeader = 'a2a-gateway-console';

/** Scopes that must be granted explicitly: they permit operations on all callers' data. */
export const explicitScopes: ReadonlySet<string> = new Set(['admin', 'admin:read', 'agents', 'metrics', 'questions']);

/** Whether a set of scopes includes one: `tasks` includes `tasks:read`. */
export function holdsScope(scopes: ReadonlySet<string>, wanted: string): boolean {
  if (scopes.has(wanted)) return true;
  const colon = wanted.indexOf(':');
  return colon > 0 && scopes.has(wanted.slice(0, colon));
}

export const hasScope = ({ scopes }: Principal, wanted: string): boolean =>
  scopes === undefined ? !explicitScopes.has(wanted) : holdsScope(scopes, wanted);

export const mayCall = ({ agents }: Principal, agent: string): boolean => agents?.has(agent) ?? true;

/** Returns the tenant of a principal's call: the named one, else the only one that the principal has. */
export function tenantOf({ tenants }: Principal, named: string): string {
  if (named !== '' || tenants?.size !== 1) return named;
  const [only = ''] = tenants;
  return only;
}
