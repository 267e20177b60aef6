/** Who calls. Tasks belong to a principal: another's task is not found. */
export interface Principal {
  /** Stable and unique; all anonymous callers share one. */
  readonly id: string;
  readonly anonymous: boolean;
  /** Whether only its being on this machine lets it in: it sees what goes wrong in agents' own code. Default false. */
  readonly local?: boolean;
  /** Names of the agents that it may call. Absent: all. */
  readonly agents?: ReadonlySet<string>;
  /** What it may do, such as `tasks`. Absent: all that need not be given in so many words. */
  readonly scopes?: ReadonlySet<string>;
  /** What it showed was the gateway's own, and meant for nobody else: it is passed on to no agent. */
  readonly ownCredential?: keyof ShownCredentials;
  /** When what it showed ends: milliseconds since the epoch. Absent: it does not, or nobody knows. */
  readonly until?: number;
  /** What its limits are counted under, such as the network of an anonymous caller. Absent: its id. */
  readonly limitedAs?: string;
  /** What it showed, for it to be judged again. Absent: it showed nothing, or is part of the program. */
  readonly credential?: Credential;
}

/** What a caller showed of who it is, as it came. */
export interface ShownCredentials {
  /** The whole value of `Authorization`. */
  readonly authorization?: string;
  /** Of `X-API-Key`. */
  readonly apiKey?: string;
}

/** A client certificate that one of the listener's authorities has signed, of a connection that is open. */
export interface ClientCertificate {
  /** The subject's attributes, the most general first, such as `O=Example,CN=alice`. */
  readonly subject: string;
  /** Where the subject has exactly one. */
  readonly commonName: string | undefined;
  /** Alternative names without their kinds: of hosts, mailboxes, URIs, and IP addresses. */
  readonly altNames: readonly string[];
  /** SHA-256 of the certificate, in lower-case hexadecimal. */
  readonly fingerprint: string;
  /** Milliseconds since the epoch. */
  readonly expires: number;
}

/**
 * What a caller showed of who it is, as far as it takes to judge it again when others are let in than were then. Nothing
 * of it lets anybody in.
 */
export type Credential =
  | {
      readonly kind: 'apiKey';
      /** SHA-256 of the key. */
      readonly hash: string;
    }
  | {
      /** A token of the gateway's own. */
      readonly kind: 'token';
      /** Tells one secret of a client from another. */
      readonly client: string;
      /** What the token claims. */
      readonly scopes: readonly string[];
    }
  | {
      /** A token of an identity provider. */
      readonly kind: 'jwt';
      /** How it was verified. */
      readonly rules: string;
      /** What the token claims. Undefined: nothing, and so whatever is granted. */
      readonly scopes: readonly string[] | undefined;
    }
  | { readonly kind: 'certificate'; readonly certificate: ClientCertificate };

/** What nobody may do who was not given it in so many words: numbers about everybody's calls. */
const explicitScopes: ReadonlySet<string> = new Set(['metrics']);

/** Whether these scopes hold one: `tasks` holds `tasks:read` too. */
export function holdsScope(scopes: ReadonlySet<string>, wanted: string): boolean {
  if (scopes.has(wanted)) return true;
  const colon = wanted.indexOf(':');
  return colon > 0 && scopes.has(wanted.slice(0, colon));
}

/** Whether a principal has a scope. */
export const hasScope = ({ scopes }: Principal, wanted: string): boolean =>
  scopes === undefined ? !explicitScopes.has(wanted) : holdsScope(scopes, wanted);

/** Whether a principal may call an agent. */
export const mayCall = ({ agents }: Principal, agent: string): boolean => agents?.has(agent) ?? true;
