import { hash, randomUUID } from 'node:crypto';
import type { Authenticate, CallerFacts } from '../core/limits/admission.ts';
import { A2AError } from '../core/model/errors.ts';
import { consoleHeader, type Principal } from '../core/model/principal.ts';
import { type SealedTokens, sealedTokens } from '../net/credentials/sealed-tokens.ts';
import { type EndedSessions, EndedSessionWatch, sessionOver } from './ended-session-watch.ts';
import type { PendingSignIn } from './openid.ts';
import type { OpenStreams } from './stream-expiry.ts';

/** Milliseconds: how long a session lasts without being used, and how long at most. */
const times = { idle: 3_600_000, most: 12 * 3_600_000 } as const;

/** Milliseconds for which a session whose credential was refused is not checked again, so that this does not count as guessing. */
const refusedFor = 10_000;
const mostRefused = 1_000;
/** Characters of name and value that browsers keep of a cookie. */
const maxCookie = 4_096;

/** The header and the value by which a caller authenticated. */
export type ShownCredential = readonly [header: string, value: string];

/**
 * A session: a credential that its caller showed once, sealed in a cookie of the browser. It is worth what the credential is
 * worth at each request, for some hours at most.
 */
export interface Session {
  readonly id: string;
  readonly credential: ShownCredential;
  /** Ends of the session: after disuse, and at the latest, in milliseconds since the epoch. */
  readonly idle: number;
  readonly end: number;
  /** Whether the browser reached the gateway over TLS. */
  readonly secure: boolean;
}

/** A sign-in at a provider that has begun in a browser. */
export type Pending = PendingSignIn & Pick<Session, 'secure'>;

const pendingSuffix = '-sign-in';

export interface SessionsOptions {
  /** Of the store, so that each replica can open the sessions of the others, also after a restart. */
  readonly secret: string;
  readonly ended: EndedSessions;
  /** Streams of sessions that have ended are ended too. */
  readonly ongoing: OpenStreams;
  /** The gateway's public URL, where it is known. */
  readonly publicUrl: () => string | undefined;
  /** Milliseconds since the epoch. */
  readonly now?: () => number;
}

/** The sessions of the console, and their cookies. */
export class Sessions {
  readonly times = times;
  readonly #ended: EndedSessionWatch;
  readonly #publicUrl: () => string | undefined;
  readonly #now: () => number;
  readonly #tokens: SealedTokens<Session>;
  /** Cookies do not know ports: gateways on one host have different names for theirs, and do not see each other's. */
  readonly #name: string;
  readonly #pendingTokens: SealedTokens<Pending>;
  readonly #refused = new Map<string, number>();

  constructor({ secret, ended, ongoing, publicUrl, now = Date.now }: SessionsOptions) {
    this.#ended = new EndedSessionWatch(ended, ongoing);
    this.#publicUrl = publicUrl;
    this.#now = now;
    this.#tokens = sealedTokens<Session>(secret, 'console session');
    this.#name = `a2a-gateway-${hash('sha256', `cookie ${secret}`, 'hex').slice(0, 12)}`;
    this.#pendingTokens = sealedTokens<Pending>(secret, 'console sign-in');
  }

  #isOverTls(caller: CallerFacts): boolean {
    return caller.encrypted || this.#publicUrl()?.startsWith('https:') === true;
  }

  /** The cookies of this gateway. Over TLS only one that the gateway itself has set, and no other host of the domain. */
  #tokensOf(caller: CallerFacts, suffix = ''): string[] {
    const own = this.#name + suffix;
    const names = this.#isOverTls(caller) ? [`__Host-${own}`] : [`__Host-${own}`, own];
    const pairs = (caller.header('cookie') ?? '').split(';').map((pair) => pair.trim().split('=', 2));
    return names.flatMap((one) => pairs.flatMap(([known, value = '']) => (known === one ? [value] : [])));
  }

  /** The session of a request's cookie. Undefined: there is none, it has run out, or another gateway's secret sealed it. */
  find(caller: CallerFacts): Session | undefined {
    for (const token of this.#tokensOf(caller)) {
      const session = this.#tokens.open(token);
      if (session && Math.min(session.idle, session.end) > this.#now()) return session;
    }
    return undefined;
  }

  /** Only one that must come with the answer of a provider is sent when another site leads here. */
  #cookieOf({ secure }: Pick<Session, 'secure'>, value: string, seconds: number, suffix = ''): string {
    const attributes = `Path=/; HttpOnly; SameSite=${suffix === '' ? 'Strict' : 'Lax'}; Max-Age=${seconds}`;
    return `${secure ? '__Host-' : ''}${this.#name}${suffix}=${value}; ${attributes}${secure ? '; Secure' : ''}`;
  }

  /**
   * Refuses what the console's script has not sent from a page of this gateway.
   *
   * @throws A2AError `permissionDenied`
   */
  requireConsole(caller: CallerFacts): void {
    if (caller.header(consoleHeader) !== undefined && isOwnPage(caller, this.#publicUrl())) return;
    throw new A2AError('permissionDenied', 'Only pages of this gateway may use the session of its console');
  }

  /** Whether the browser reaches the gateway over TLS: it names the page's origin when it signs in. */
  isSecure(caller: CallerFacts): boolean {
    return this.#isOverTls(caller) || caller.header('origin')?.startsWith('https:') === true;
  }

  /** Begins a session. `until`: when the credential expires. */
  create(credential: ShownCredential, secure: boolean, until = Number.POSITIVE_INFINITY): Session {
    const end = Math.min(until, this.#now() + times.most);
    return { id: randomUUID(), credential, idle: this.#now() + times.idle, end, secure };
  }

  /** The session as if it had just begun, within the time that it has at most. */
  renew(session: Session): Session {
    return { ...session, idle: this.#now() + times.idle };
  }

  /** Ends a session: here at once, at other replicas within about a second. */
  async end({ id, end }: Session): Promise<void> {
    await this.#ended.add(id, end);
  }

  /**
   * The value of `Set-Cookie`.
   *
   * @throws A2AError `invalidRequest` for a credential that is too long for a cookie
   */
  cookie(session: Session): string {
    const cookie = this.#cookieOf(
      session,
      this.#tokens.seal(session),
      Math.ceil((Math.min(session.idle, session.end) - this.#now()) / 1_000),
    );
    if (cookie.indexOf(';') <= maxCookie) return cookie;
    throw new A2AError('invalidRequest', 'The credential is too long for a session of the console');
  }

  /** Removes the cookies of this gateway. */
  noCookies(): string[] {
    return [true, false].map((secure) => this.#cookieOf({ secure }, '', 0));
  }

  /** The value of `Set-Cookie` for a browser whose user is at a provider. */
  pendingCookie(pending: Pending): string {
    return this.#cookieOf(
      pending,
      this.#pendingTokens.seal(pending),
      Math.ceil((pending.until - this.#now()) / 1_000),
      pendingSuffix,
    );
  }

  noPendingCookie({ secure }: Pick<Pending, 'secure'>): string {
    return this.#cookieOf({ secure }, '', 0, pendingSuffix);
  }

  /** Returns the sign-in that began in this browser. Undefined: none, or it took too long. */
  findPending(caller: CallerFacts): Pending | undefined {
    return this.#tokensOf(caller, pendingSuffix)
      .map((token) => this.#pendingTokens.open(token))
      .find((pending) => pending !== undefined && pending.until > this.#now());
  }

  /**
   * Authenticates a request of the console: by its session, or as `known` does where there is none.
   *
   * Rejects as `known`, with `permissionDenied` for another page, and with `unauthenticated` when the session has ended.
   */
  async authenticate(caller: CallerFacts, known: Authenticate, apiKeyHeader: string): Promise<Principal> {
    const session = this.find(caller);
    if (!session) return known(caller);
    this.requireConsole(caller);
    const { id, credential, end } = session;
    await this.#ended.refresh();
    if (this.#ended.has(id) || (this.#refused.get(id) ?? 0) > this.#now()) throw sessionOver();
    let principal: Principal;
    try {
      principal = await known(callerShowing(caller, credential, apiKeyHeader));
    } catch (thrown) {
      if (A2AError.from(thrown).kind !== 'unauthenticated') throw thrown;
      if (this.#refused.size >= mostRefused) this.#refused.clear();
      this.#refused.set(id, this.#now() + refusedFor);
      throw sessionOver();
    }
    // A key that is no longer known makes its caller anonymous.
    if (principal.anonymous) throw sessionOver();
    return { ...principal, session: id, until: Math.min(principal.until ?? end, end) };
  }

  /** Stops reading. */
  close(): void {
    this.#ended.close();
  }
}

/**
 * Whether a request comes from a page of the gateway. Browsers say so themselves over TLS and on loopback; elsewhere a page of
 * another origin names it, or cannot send the header of the console.
 */
function isOwnPage(caller: CallerFacts, publicUrl: string | undefined): boolean {
  const site = caller.header('sec-fetch-site');
  if (site !== undefined) return site === 'same-origin';
  const origin = caller.header('origin');
  if (origin === undefined) return true;
  const host = URL.parse(origin)?.host;
  return host !== undefined && (host === caller.host?.toLowerCase() || host === URL.parse(publicUrl ?? '')?.host);
}

/**
 * A caller as if it had shown this credential, and no other: a request may have some for an agent, written under Try.
 *
 * @param apiKeyHeader in lower case
 */
export function callerShowing(
  caller: CallerFacts,
  [header, value]: ShownCredential,
  apiKeyHeader: string,
): CallerFacts {
  const hidden = ['authorization', 'x-api-key', 'cookie', consoleHeader, apiKeyHeader];
  const { host, remoteAddress, httpVersion, hasBody, encrypted, certificate, path = '/', binding, agent } = caller;
  return {
    header: (name) => (name === header ? value : hidden.includes(name) ? undefined : caller.header(name)),
    headerNames: () => [...caller.headerNames().filter((name) => !hidden.includes(name)), header],
    // Each by its name: what a caller may have besides must not show another credential.
    host,
    remoteAddress,
    httpVersion,
    hasBody,
    encrypted,
    certificate,
    path,
    binding,
    agent,
  };
}
