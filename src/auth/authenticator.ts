import type { Authenticate, CallerFacts } from '../core/limits/admission.ts';
import { A2AError } from '../core/model/errors.ts';
import type { ClientCertificate, Principal } from '../core/model/principal.ts';
import type { Audit } from '../core/ports/audit.ts';
import { createAnonymous, originSet, pageDoubt, requireAskedFirst } from './anonymous.ts';
import { CredentialCache } from './credential-cache.ts';
import type { FailureLimiter } from './failure-limiter.ts';
import { hashOf } from './hash.ts';
import type { VerifiedCredential } from './principals.ts';
import { certificateHolders, keyHolders } from './principals.ts';
import { createRevalidation, type Revalidate } from './revalidation.ts';
import { challengeOf } from './schemes.ts';
import type { AuthSettings } from './settings.ts';
import type { TokenAuthority } from './tokens.ts';

export interface AuthenticatorOptions {
  readonly settings: AuthSettings;
  /** Origins of web pages that are trusted besides the gateway's own. */
  readonly origins: readonly string[];
  /** Verifies the gateway's own tokens, where it issues any. */
  readonly own?: TokenAuthority | undefined;
  /** Verifies those of an identity provider, where one is configured. */
  readonly jwt?: ((token: string) => Promise<VerifiedCredential>) | undefined;
  readonly failures: FailureLimiter;
  readonly audit: Audit;
  /** The one that this takes the place of, with what it has verified. */
  readonly former?: Authenticator | undefined;
}

/** Decides who callers are, and who those are by now that others let in. */
export interface Authenticator extends Authenticate {
  readonly revalidate: Revalidate;
  readonly anonymous: AuthSettings['anonymous'];
  /** What was verified, by where it is shown. */
  readonly recent: ReadonlyMap<string, CredentialCache>;
}

/** A way to show who one is with something that others must not know. */
interface CredentialMethod {
  /** Where it is shown. */
  readonly place: string;
  /** What the caller showed; undefined when it showed nothing of this kind. */
  read(caller: CallerFacts): string | undefined;
  /** @throws A2AError `unauthenticated`; its cause says why, and is not for the caller */
  judge(shown: string, hash: string): VerifiedCredential | Promise<VerifiedCredential>;
  /** What was verified before. */
  readonly recent: CredentialCache;
  readonly challenge: string;
}

/** Characters of a credential; nobody computes anything over longer ones. */
const longest = 16 * 1024;

/**
 * Decides who callers are by what they show: an API key, else a bearer token, else the certificate of the connection,
 * each only where it is configured; else the rules for callers without credentials. Whoever shows something wrong is
 * refused, and not taken for one who shows nothing. What was verified before is known by its hash, so that it costs no
 * more than an API key, and stays known where too many others have failed at the same address.
 *
 * Answers at once but for tokens of an identity provider that were not seen before. The authenticator rejects with
 * A2AError `unauthenticated`, which bears the challenge; `tooManyRequests` after too many failures; `unavailable` where
 * an identity provider is needed and does not answer.
 */
export function createAuthenticator(options: AuthenticatorOptions): Authenticator {
  const { settings, origins, failures, audit, former } = options;
  const challenge = challengeOf(settings, false);
  const methods = methodsOf(options);
  const certified = settings.mtls && certificateHolders(settings.mtls);
  const anonymous = createAnonymous({ access: settings.anonymous, origins, challenge });
  const trusted = originSet(origins);
  const revalidate = createRevalidation(settings, options.own, former?.anonymous ?? settings.anonymous);
  for (const { place, recent } of methods) recent.inherit(former?.recent.get(place), revalidate);

  const authenticate: Authenticate = (caller) => {
    for (const method of methods) {
      const shown = method.read(caller);
      if (shown !== undefined) return judge(method, shown, caller);
    }
    const certificate = certified && caller.certificate;
    if (!certificate) return anonymous(caller);
    const principal = certificate.expires > Date.now() ? certified(certificate) : undefined;
    if (!principal)
      return refuse(caller, new A2AError('unauthenticated', 'The certificate is not one of a known caller'), challenge);
    requireNoPage(caller);
    return { ...principal, until: certificate.expires, credential: { kind: 'certificate', certificate } };
  };
  return Object.assign(authenticate, {
    revalidate,
    anonymous: settings.anonymous,
    recent: new Map(methods.map(({ place, recent }) => [place, recent])),
  });

  function judge(method: CredentialMethod, shown: string, caller: CallerFacts): Principal | Promise<Principal> {
    const hash = shown.length > longest ? undefined : hashOf(shown);
    const known = hash === undefined ? undefined : method.recent.get(hash);
    if (known) return confirm(known, method, caller);
    const wait = failures.wait(caller.remoteAddress);
    if (wait > 0) throw new A2AError('tooManyRequests', 'Too many wrong credentials', { retryAfter: wait });
    try {
      if (hash === undefined) throw new A2AError('unauthenticated', 'The credential is too long');
      const judged = method.judge(shown, hash);
      return judged instanceof Promise
        ? judged.then(
            (verified) => remember(hash, verified, method, caller),
            (thrown) => refuse(caller, thrown, method.challenge),
          )
        : remember(hash, judged, method, caller);
    } catch (thrown) {
      return refuse(caller, thrown, method.challenge);
    }
  }

  function remember(
    hash: string,
    verified: VerifiedCredential,
    method: CredentialMethod,
    caller: CallerFacts,
  ): Principal {
    method.recent.set(hash, verified);
    return confirm(verified, method, caller);
  }

  /** A token that is bound to a certificate counts over a connection with that certificate only. */
  function confirm(
    { principal, boundTo }: VerifiedCredential,
    method: CredentialMethod,
    caller: CallerFacts,
  ): Principal {
    if (boundTo === undefined || boundTo === thumbprintOf(caller.certificate)) return principal;
    const cause = 'bound to a certificate that the connection does not have';
    return refuse(
      caller,
      new A2AError('unauthenticated', 'The access token is not valid', { cause }),
      method.challenge,
    );
  }

  function refuse(caller: CallerFacts, thrown: unknown, challenged: string): never {
    const error = A2AError.from(thrown);
    if (error.kind !== 'unauthenticated') throw error;
    const { remoteAddress: address } = caller;
    const reason = typeof error.cause === 'string' ? `${error.message}: ${error.cause}` : error.message;
    audit({ event: 'authentication.failed', reason, address });
    if (failures.add(address))
      audit({ event: 'authentication.blocked', reason: 'Too many wrong credentials', address });
    throw new A2AError('unauthenticated', error.message, { challenge: challenged });
  }

  /** Browsers show certificates unasked, whatever page makes them send a request. */
  function requireNoPage(caller: CallerFacts): void {
    if (pageDoubt(caller, trusted) !== undefined) {
      throw new A2AError('permissionDenied', 'Pages of other origins are not served; configure listen.cors');
    }
    requireAskedFirst(caller);
  }
}

/** The methods that are configured, in the order in which they are asked. */
function methodsOf({ settings, own, jwt }: AuthenticatorOptions): readonly CredentialMethod[] {
  const methods: CredentialMethod[] = [];
  if (settings.apiKeys.length > 0) {
    const header = settings.apiKeyHeader.toLowerCase();
    if (header !== xApiKey) methods.push(keysIn(header, settings));
    methods.push(keysIn(xApiKey, settings));
  }
  if (own || jwt) {
    methods.push({
      place: 'authorization',
      read: (caller) => bearerOf(caller.header('authorization')),
      judge(token) {
        if (own?.looksOwn(token)) return own.verify(token);
        if (jwt) return jwt(token);
        throw new A2AError('unauthenticated', 'The access token is not valid', { cause: 'not one of this gateway' });
      },
      recent: new CredentialCache(),
      challenge: challengeOf(settings, true),
    });
  }
  return methods;
}

/** The header that agents are forwarded keys of, which is why a key of the gateway in it is marked. */
const xApiKey = 'x-api-key';

/** API keys in one header. */
function keysIn(header: string, settings: AuthSettings): CredentialMethod {
  const holders = keyHolders(settings.apiKeys, header === xApiKey);
  return {
    place: header,
    read: (caller) => caller.header(header),
    judge(_, hash) {
      const principal = holders.get(hash);
      if (!principal) throw new A2AError('unauthenticated', 'The API key is not valid');
      return { principal, until: Number.POSITIVE_INFINITY };
    },
    recent: new CredentialCache(),
    challenge: challengeOf(settings, false),
  };
}

/** The token of `Authorization: Bearer …`; undefined for other schemes. */
function bearerOf(authorization: string | undefined): string | undefined {
  if (authorization === undefined || !/^bearer(?: |$)/i.test(authorization)) return undefined;
  return authorization.slice('bearer '.length).trim();
}

const thumbprintOf = (certificate: ClientCertificate | undefined): string | undefined =>
  certificate && Buffer.from(certificate.fingerprint, 'hex').toString('base64url');
