import type { Authenticate, CallerFacts } from '../core/limits/admission.ts';
import { A2AError } from '../core/model/errors.ts';
import { type Credential, consoleHeader, type Principal } from '../core/model/principal.ts';
import type { Audit } from '../core/ports/audit.ts';
import type { AdminKey } from './admin-key.ts';
import { createAnonymous, originSet, pageDoubt, requirePreflighted } from './anonymous.ts';
import { type FailureLimiter, tooManyFailures } from './failure-limiter.ts';
import { hashOf } from './hash.ts';
import { AcceptedCredentials, HookAuthenticator } from './hooks/hook-authenticator.ts';
import type { ConfiguredHooks } from './hooks/hooks.ts';
import { jwtHolders } from './jwt.ts';
import {
  certificateHolders,
  keyHolders,
  principalById,
  principalIds,
  principalOf,
  type VerifiedCredential,
} from './principals.ts';
import { challengeOf } from './schemes.ts';
import type { Sessions } from './sessions.ts';
import type { AuthSettings } from './settings.ts';
import type { TokenAuthority } from './tokens.ts';

/**
 * Returns the current principal of a caller that was authenticated earlier. Undefined if its credential is no longer
 * valid.
 */
export type Revalidate = (principal: Principal) => Principal | undefined;

export interface AuthenticatorOptions {
  readonly settings: AuthSettings;
  /** Trusted origins of web pages besides the gateway's own. */
  readonly origins: readonly string[];
  /** The gateway's own admin key. Absent if a configured credential has the scope `admin`. */
  readonly adminKey?: AdminKey | undefined;
  /** Verifies the gateway's own tokens. Absent if it issues none. */
  readonly own?: TokenAuthority | undefined;
  /** Verifies tokens from an identity provider. Absent if none is configured. */
  readonly jwt?: ((token: string) => Promise<VerifiedCredential>) | undefined;
  /** Opens the sessions of the console, at its first request. Absent if the console is not served. */
  readonly sessions?: (() => Promise<Pick<Sessions, 'authenticate'>>) | undefined;
  readonly failures: FailureLimiter;
  readonly audit: Audit;
  /** The program's own hooks. Absent if there are none. */
  readonly hooks?: ConfiguredHooks | undefined;
  /** Finds a principal of the program's own hooks by its id. Absent if principals cannot be found by their ids. */
  readonly principalById?: ((id: string) => Principal | undefined) | undefined;
  /** The authenticator that this one replaces, whose verified credentials are carried over. */
  readonly former?: Authenticator | undefined;
}

export interface Authenticator extends Authenticate {
  readonly revalidate: Revalidate;
  /** Authenticates by the credentials in the request, never by a session. */
  readonly known: Authenticate;
  readonly anonymous: AuthSettings['anonymous'];
  readonly verified: ReadonlyMap<string, CredentialCache>;
  /** Credentials that were accepted. Filled only if a hook authenticates callers. */
  readonly accepted: AcceptedCredentials;
}

/** A kind of credential in a header. */
interface CredentialMethod {
  readonly header: string;
  /** Reads the credential from the header's value. Undefined if it contains none of this kind. */
  read(value: string): string | undefined;
  /** Throws or rejects with A2AError `unauthenticated`, whose cause is for the audit log only. */
  verify(credential: string, hash: string): VerifiedCredential | Promise<VerifiedCredential>;
  readonly verified: CredentialCache;
  readonly challenge: string;
}

/** Longest credential that is hashed, in characters. */
const maxLength = 16 * 1024;

/** Maximum number of cached credentials. Beyond it, the credential that was verified first is removed. */
const maxCached = 10_000;

class CredentialCache extends Map<string, VerifiedCredential> {
  find(hash: string): VerifiedCredential | undefined {
    const verified = this.get(hash);
    if (verified === undefined || verified.until > Date.now()) return verified;
    this.delete(hash);
    return undefined;
  }

  override set(hash: string, verified: VerifiedCredential): this {
    super.set(hash, verified);
    const [oldest] = this.size > maxCached ? this.keys() : [];
    if (oldest !== undefined) this.delete(oldest);
    return this;
  }

  /** Copies the credentials that are still valid. */
  inherit(former: CredentialCache, revalidate: Revalidate): void {
    for (const [hash, verified] of former) {
      const principal = revalidate(verified.principal);
      if (principal) this.set(hash, { ...verified, principal });
    }
  }
}

/**
 * Creates the authenticator. It tries the methods that are configured in this order: the gateway's admin key, the
 * program's own hook, an API key, a bearer token, the certificate of the connection, and the rules for anonymous
 * callers. A caller with a wrong credential is refused, not treated as anonymous. Verified credentials are cached by
 * hash: they then cost no more than an API key, and are accepted even from networks with too many failures.
 *
 * It is synchronous except for new tokens, hooks and sessions. It throws or rejects with A2AError `unauthenticated`,
 * with the challenge; `tooManyRequests` after too many failures; `unavailable` if an identity provider does not answer.
 */
export function createAuthenticator(options: AuthenticatorOptions): Authenticator {
  const { settings, failures, audit, former, adminKey, hooks, sessions } = options;
  const challenge = challengeOf(settings, false);
  const methods = methodsOf(options);
  const revalidate = createRevalidation(options, former?.anonymous ?? settings.anonymous);
  for (const { header, verified } of methods) {
    const before = former?.verified.get(header);
    if (before) verified.inherit(before, revalidate);
  }
  const { authenticate: otherwise, refuse, requireNoPage } = new CredentialCheck(options, methods, challenge);
  const { apiKeyHeader } = settings;
  const before = former?.accepted;
  const accepted = before?.apiKeyHeader === apiKeyHeader ? before : new AcceptedCredentials(apiKeyHeader);
  const shared = { failures, accepted, audit, otherwise, refuse, requireNoPage, challenge };
  const others = hooks?.hooks.authenticate ? new HookAuthenticator({ ...hooks, ...shared }).authenticate : otherwise;
  // The key belongs to the gateway: a program's own hook need not know it.
  const known: Authenticate = adminKey ? (caller) => adminKey.holderOf(caller) ?? others(caller) : others;
  const bySession = async (caller: CallerFacts, open: NonNullable<typeof sessions>): Promise<Principal> =>
    (await open()).authenticate(caller, known, apiKeyHeader.toLowerCase());
  const authenticate: Authenticate = (caller) =>
    sessions && caller.header(consoleHeader) !== undefined ? bySession(caller, sessions) : known(caller);
  return Object.assign(authenticate, {
    known,
    revalidate,
    anonymous: settings.anonymous,
    accepted,
    verified: new Map(methods.map(({ header, verified }) => [header, verified])),
  });
}

/** Authenticates by the configured kinds of credentials, else by the rules for anonymous callers. */
class CredentialCheck {
  readonly #methods: readonly CredentialMethod[];
  readonly #challenge: string;
  readonly #failures: FailureLimiter;
  readonly #audit: Audit;
  readonly #certified: ReturnType<typeof certificateHolders> | undefined;
  readonly #anonymous: Authenticate;
  readonly #trusted: ReadonlySet<string>;

  constructor(options: AuthenticatorOptions, methods: readonly CredentialMethod[], challenge: string) {
    const { settings, origins, failures, audit } = options;
    this.#methods = methods;
    this.#challenge = challenge;
    this.#failures = failures;
    this.#audit = audit;
    this.#certified = settings.mtls && certificateHolders(settings.mtls);
    this.#anonymous = createAnonymous({ access: settings.anonymous, origins, challenge });
    this.#trusted = originSet(origins);
  }

  readonly authenticate = (caller: CallerFacts): Principal | Promise<Principal> => {
    for (const method of this.#methods) {
      const value = caller.header(method.header);
      const credential = value === undefined ? undefined : method.read(value);
      if (credential !== undefined) return this.#verify(method, credential, caller);
    }
    const certificate = this.#certified && caller.certificate;
    if (!certificate) return this.#anonymous(caller);
    const principal = certificate.expires > Date.now() ? this.#certified(certificate) : undefined;
    const challenge = this.#challenge;
    if (!principal) return this.refuse(caller, invalid('The certificate is not one of a known caller'), challenge);
    this.requireNoPage(caller);
    return { ...principal, until: certificate.expires, credential: { kind: 'certificate', certificate } };
  };

  /** Refuses a caller: counts and audits a wrong credential. */
  readonly refuse = ({ remoteAddress: address }: CallerFacts, thrown: unknown, challenge: string): never => {
    const error = A2AError.from(thrown);
    if (error.kind !== 'unauthenticated') throw error;
    const reason = typeof error.cause === 'string' ? `${error.message}: ${error.cause}` : error.message;
    this.#audit({ event: 'authentication.failed', reason, address });
    if (this.#failures.add(address))
      this.#audit({ event: 'authentication.blocked', reason: 'Too many wrong credentials', address });
    throw new A2AError('unauthenticated', error.message, { challenge });
  };

  /**
   * Refuses requests that a page of another origin may have sent: browsers send certificates with the requests of any
   * page.
   */
  readonly requireNoPage = (caller: CallerFacts): void => {
    if (pageDoubt(caller, this.#trusted) !== undefined) {
      throw new A2AError('permissionDenied', 'Pages of other origins are not served; configure listen.cors');
    }
    requirePreflighted(caller);
  };

  #verify(method: CredentialMethod, credential: string, caller: CallerFacts): Principal | Promise<Principal> {
    const hash = credential.length > maxLength ? undefined : hashOf(credential);
    const known = hash === undefined ? undefined : method.verified.find(hash);
    if (known) return this.#requireBinding(known, method, caller);
    const wait = this.#failures.wait(caller.remoteAddress);
    if (wait > 0) throw tooManyFailures(wait);
    const remember = (verified: VerifiedCredential): Principal => {
      if (hash !== undefined) method.verified.set(hash, verified);
      return this.#requireBinding(verified, method, caller);
    };
    try {
      if (hash === undefined) throw invalid('The credential is too long');
      const verified = method.verify(credential, hash);
      if (!(verified instanceof Promise)) return remember(verified);
      return verified.then(remember, (thrown) => this.refuse(caller, thrown, method.challenge));
    } catch (thrown) {
      return this.refuse(caller, thrown, method.challenge);
    }
  }

  /** Refuses a token that is bound to a certificate, unless the connection has that certificate. */
  #requireBinding(
    { principal, boundTo }: VerifiedCredential,
    method: CredentialMethod,
    caller: CallerFacts,
  ): Principal {
    if (boundTo === undefined) return principal;
    const { certificate } = caller;
    const thumbprint = certificate && Buffer.from(certificate.fingerprint, 'hex').toString('base64url');
    if (boundTo === thumbprint) return principal;
    const cause = 'bound to a certificate that the connection does not have';
    return this.refuse(caller, invalid('The access token is not valid', cause), method.challenge);
  }
}

const invalid = (message: string, cause?: string): A2AError => new A2AError('unauthenticated', message, { cause });

/** The configured methods, in the order in which they are tried. */
function methodsOf({ settings, own, jwt }: AuthenticatorOptions): readonly CredentialMethod[] {
  const keyHeaders = settings.apiKeys.length > 0 ? [settings.apiKeyHeader.toLowerCase(), xApiKey] : [];
  const methods = [...new Set(keyHeaders)].map((header) => keysIn(header, settings));
  if (!own && !jwt) return methods;
  return [
    ...methods,
    {
      header: 'authorization',
      // Other schemes yield undefined.
      read: (value) => (/^bearer(?: |$)/i.test(value) ? value.slice('bearer '.length).trim() : undefined),
      verify(token) {
        if (own?.looksOwn(token)) return own.verify(token);
        if (jwt) return jwt(token);
        throw invalid('The access token is not valid', 'not issued by this gateway');
      },
      verified: new CredentialCache(),
      challenge: challengeOf(settings, true),
    },
  ];
}

/** A header that can be forwarded to agents. A key of the gateway in it is not forwarded. */
const xApiKey = 'x-api-key';

function keysIn(header: string, settings: AuthSettings): CredentialMethod {
  const holders = keyHolders(settings.apiKeys, header === xApiKey);
  return {
    header,
    read: (value) => value,
    verify(_, hash) {
      const principal = holders.get(hash);
      if (!principal) throw invalid('The API key is not valid');
      return { principal, until: Number.POSITIVE_INFINITY };
    },
    verified: new CredentialCache(),
    challenge: challengeOf(settings, false),
  };
}

type Holder<K extends Credential['kind']> = (
  credential: Extract<Credential, { kind: K }>,
  principal: Principal,
) => Principal | undefined;

/**
 * Creates the check of callers that were authenticated under earlier settings. Anonymous callers are accepted if the
 * rule for them is unchanged or wider, because their addresses are no longer known.
 *
 * @param former the earlier rule for anonymous callers
 */
function createRevalidation(
  { settings, adminKey, own, hooks, principalById: programPrincipal }: AuthenticatorOptions,
  former: AuthSettings['anonymous'],
): Revalidate {
  const keys = { forwarded: keyHolders(settings.apiKeys, true), kept: keyHolders(settings.apiKeys, false) };
  const certified = settings.mtls && certificateHolders(settings.mtls);
  const jwt = settings.jwt && jwtHolders(settings.jwt);
  const holders: { readonly [K in Credential['kind']]: Holder<K> } = {
    apiKey: ({ hash }, { ownCredential }) => (ownCredential ? keys.forwarded : keys.kept).get(hash),
    admin: ({ hash }, principal) => (hash === adminKey?.hash ? principal : undefined),
    token: (credential) => own?.holderOf(credential),
    jwt: (credential, { id }) => jwt?.(id, credential),
    certificate: (credential) => {
      const holder = certified?.(credential.certificate);
      return holder && { ...holder, credential };
    },
    hook: ({ hook }, principal) => (hook === hooks?.id ? principal : undefined),
  };
  const open = settings.anonymous === 'anyone' || settings.anonymous === former;
  return (principal) => {
    const { credential, until, anonymous, id } = principal;
    if (principal.byId) {
      if (adminKey && id === principalIds.admin) return principalOf(id, {});
      return principalById(settings, id) ?? programPrincipal?.(id);
    }
    if (anonymous) return open && settings.anonymous !== 'none' ? principal : undefined;
    if (!credential) return principal;
    const holder = (holders[credential.kind] as Holder<typeof credential.kind>)(credential as never, principal);
    // A different id would mean a different caller, with other tasks.
    if (holder?.id !== id) return undefined;
    return until === undefined ? holder : { ...holder, until };
  };
}
