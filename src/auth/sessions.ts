import { hash, randomUUID } from 'node:crypto';
import type { Authenticate, CallerFacts } from '../core/limits/admission.ts';
import { A2AError } from '../core/model/errors.ts';
import { consoleHeader, type Principal } from '../core/model/principal.ts';
import { type SealedTokens, sealedTokens } from '../net/credentials/sealed-tokens.ts';
import { type EndedSessions, EndedSessionWatch, sessionOver } from './ended-session-watch.ts';
import type { PendingSignIn } from './openid.ts';
import type { OpenStreams } from './stream-expiry.ts';

/** Milliseconds that a session lasts without being used (`idle`), and at most (`most`). */
const times = { idle: 3_600_000, most: 12 * 3_600_000 } as const;

/**
 * Milliseconds for which a session is not checked again after its credential was refused, so that its requests do not
 * count as guessing.
 */
const refusedFor = 10_000;
const mostRefused = 1_000;
/** Longest name and value of a cookie that browsers keep, in characters. */
const maxCookie = 4_096;

/** The header, and its value, with which a caller authenticated. */
export type ShownCredential = readonly [header: string, value: string];

/**
 * A session: a credential that the caller sent once, sealed in a cookie of the browser. Each request has the rights
 * that the credential has at that time. A session lasts a few hours at most.
 */
export interface Session {
  readonly id: string;
  readonly credential: ShownCredential;
  /**
   * Times at which the session ends, in milliseconds since the epoch: `idle` if it is not used until then, `end` in any
   * case.
   */
  readonly idle: number;
  readonly end: number;
  /** Whether the browser reached the gateway over TLS. */
  readonly secure: boolean;
}

/** A sign-in at a provider, begun in a browser. */
export type Pending = PendingSignIn & Pick<Session, 'secure'>;

const pendingSuffix = '-sign-in';

export interface SessionsOptions {
  /** The store's secret, so that each replica can open the sessions of the others, even after a restart. */
  readonly secret: string;
  readonly ended: EndedSessions;
  /** The open streams, among which those of ended sessions are ended. */
  readonly ongoing: OpenStreams;
  /** Returns the gateway's public URL, if it is known. */
  readonly publicUrl: () => string | undefined;
  /** Returns the current time, in milliseconds since the epoch. */
  readonly now?: () => number;
}

/** The sessions of the console, and their cookies. */
export class Sessions {
  readonly times = times;
  readonly #ended: EndedSessionWatch;
  readonly #publicUrl: () => string | undefined;
  readonly #now: () => number;
  readonly #tokens: SealedTokens<Session>;
  /**
   * Name of the cookie. Cookies are not separated by port, so each gateway on a host uses a different name and ignores
   * the cookies of the others.
   */
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

  /**
   * Returns the values of this gateway's cookies. Over TLS, only the cookie that the gateway itself has set is read,
   * and none that another host of the domain may have set.
   */
  #tokensOf(caller: CallerFacts, suffix = ''): string[] {
    const own = this.#name + suffix;
    const names = this.#isOverTls(caller) ? [`__Host-${own}`] : [`__Host-${own}`, own];
    const pairs = (caller.header('cookie') ?? '').split(';').map((pair) => pair.trim().split('=', 2));
    return names.flatMap((one) => pairs.flatMap(([known, value = '']) => (known === one ? [value] : [])));
  }

  /**
   * Returns the session in a request's cookie. Undefined if there is none, it has expired, or it was sealed with
   * another gateway's secret.
   */
  find(caller: CallerFacts): Session | undefined {
    for (const token of this.#tokensOf(caller)) {
      const session = this.#tokens.open(token);
      if (session && Math.min(session.idle, session.end) > this.#now()) return session;
    }
    return undefined;
  }

  /**
   * Creates the value of `Set-Cookie`. Only the cookie of a sign-in is sent with navigations from another site, because
   * it must arrive with the provider's redirect.
   */
  #cookieOf({ secure }: Pick<Session, 'secure'>, value: string, seconds: number, suffix = ''): string {
    const attributes = `Path=/; HttpOnly; SameSite=${suffix === '' ? 'Strict' : 'Lax'}; Max-Age=${seconds}`;
    return `${secure ? '__Host-' : ''}${this.#name}${suffix}=${value}; ${attributes}${secure ? '; Secure' : ''}`;
  }

  /**
   * Refuses requests that were not sent by the console's script from a page of this gateway.
   *
   * @throws A2AError `permissionDenied`
   */
  requireConsole(caller: CallerFacts): void {
    if (caller.header(consoleHeader) !== undefined && isOwnPage(caller, this.#publicUrl())) return;
    throw new A2AError('permissionDenied', 'Only pages of this gateway may use the session of its console');
  }

  /**
   * Whether the browser reaches the gateway over TLS, also through a proxy: when it signs in, the browser sends the
   * page's origin.
   */
  isSecure(caller: CallerFacts): boolean {
    return this.#isOverTls(caller) || caller.header('origin')?.startsWith('https:') === true;
  }

  /** Creates a session. `until` is the time at which the credential expires, in milliseconds since the epoch. */
  create(credential: ShownCredential, secure: boolean, until = Number.POSITIVE_INFINITY): Session {
    const end = Math.min(until, this.#now() + times.most);
    return { id: randomUUID(), credential, idle: this.#now() + times.idle, end, secure };
  }

  /** Renews the idle time of a session. Its end stays as it is. */
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

  /** Returns the values of `Set-Cookie` that remove the cookies of this gateway. */
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

  /** Returns the sign-in that began in this browser. Undefined if there is none, or it has expired. */
  findPending(caller: CallerFacts): Pending | undefined {
    return this.#tokensOf(caller, pendingSuffix)
      .map((token) => this.#pendingTokens.open(token))
      .find((pending) => pending !== undefined && pending.until > this.#now());
  }

  /**
   * Authenticates a request of the console: by its session, or with `known` if there is none.
   *
   * Rejects with the errors of `known`, with `permissionDenied` for requests from another page, and with
   * `unauthenticated` if the session has ended.
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

  /** Stops reading the list of ended sessions. */
  close(): void {
    this.#ended.close();
  }
}

/**
 * Whether a request comes from a page of the gateway. Over TLS and on loopback, browsers send `Sec-Fetch-Site`.
 * Elsewhere, a page of another origin sends its `Origin`, or cannot send the header of the console.
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
 * Returns a caller that sends this credential and no other. A request of the console may also contain credentials for
 * an agent, entered on the page Try.
 *
 * @param apiKeyHeader name of the header for API keys, in lower case
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
    // Listed one by one, because further members of a caller must not carry another credential.
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
