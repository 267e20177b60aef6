import { hash, randomUUID } from 'node:crypto';
import type { Authenticate, CallerFacts } from '../core/limits/admission.ts';
import { A2AError } from '../core/model/errors.ts';
import { consoleHeader, type Principal } from '../core/model/principal.ts';
import { sealedTokens } from '../net/credentials/sealed-tokens.ts';
import type { PendingSignIn } from './openid.ts';
import type { OpenStreams } from './stream-expiry.ts';

/** Milliseconds: how long a session lasts without being used, and how long at most. */
const times = { idle: 3_600_000, most: 12 * 3_600_000 } as const;

/** Milliseconds after which a replica reads again which sessions have ended. */
const pollInterval = 1_000;
/** Milliseconds without a request of a session after which a replica looks whether any stream needs the reading. */
const quiet = 60_000;
/** Milliseconds for which a session whose credential was refused is not checked again, so that it is no guessing. */
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
  /** When it ends without being used, and when at the latest: milliseconds since the epoch. */
  readonly idle: number;
  readonly end: number;
  /** Whether the browser reached the gateway over TLS. */
  readonly secure: boolean;
}

/** A sign-in at a provider that has begun in a browser. */
export type Pending = PendingSignIn & Pick<Session, 'secure'>;

const pendingSuffix = '-sign-in';

/** The sessions that have ended early, at all replicas. */
export interface EndedSessions {
  /** Ids of those that would not have ended by themselves. */
  list(): Promise<readonly string[]>;
  /** Durable when it resolves. @param end when it would have ended: milliseconds since the epoch */
  add(id: string, end: number): Promise<void>;
}

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

export type Sessions = ReturnType<typeof createSessions>;

export function createSessions({ secret, ended, ongoing, publicUrl, now = Date.now }: SessionsOptions) {
  const tokens = sealedTokens<Session>(secret, 'console session');
  // Cookies do not know ports: gateways on one host have different names for theirs, and do not see each other's.
  const name = `a2a-gateway-${hash('sha256', `cookie ${secret}`, 'hex').slice(0, 12)}`;
  const pendingTokens = sealedTokens<Pending>(secret, 'console sign-in');
  const endedHere = new Set<string>();
  const refused = new Map<string, number>();
  let listed: ReadonlySet<string> = new Set();
  let readAt = Number.NEGATIVE_INFINITY;
  let reading: Promise<void> | undefined;
  let usedAt = 0;
  let timer: NodeJS.Timeout | undefined;

  const hasEnded = (id: string): boolean => listed.has(id) || endedHere.has(id);

  const review = (): number =>
    ongoing.review(({ principal: { session } }) => (session !== undefined && hasEnded(session) ? over() : undefined));

  /** Reads the list. While the store does not answer, the last list counts: sign-outs take effect later. */
  const read = (): Promise<void> => {
    reading ??= ended
      .list()
      .then((ids) => {
        const isNew = ids.some((id) => !listed.has(id));
        listed = new Set(ids);
        for (const id of ids) endedHere.delete(id);
        if (isNew) review();
      })
      .catch(() => undefined)
      .finally(() => {
        readAt = performance.now();
        reading = undefined;
      });
    return reading;
  };

  const hasStream = (): boolean => {
    let found = false;
    ongoing.review(({ principal }) => {
      found ||= principal.session !== undefined;
      return undefined;
    });
    return found;
  };

  const tick = (): void => {
    if (performance.now() - usedAt > quiet && !hasStream()) {
      clearInterval(timer);
      timer = undefined;
    } else void read();
  };

  const isOverTls = (caller: CallerFacts): boolean => caller.encrypted || publicUrl()?.startsWith('https:') === true;

  /** The cookies of this gateway. Over TLS only one that the gateway itself has set, and no other host of the domain. */
  function tokensOf(caller: CallerFacts, suffix = ''): string[] {
    const own = name + suffix;
    const names = isOverTls(caller) ? [`__Host-${own}`] : [`__Host-${own}`, own];
    const pairs = (caller.header('cookie') ?? '').split(';').map((pair) => pair.trim().split('=', 2));
    return names.flatMap((one) => pairs.flatMap(([known, value = '']) => (known === one ? [value] : [])));
  }

  /** The session of a request's cookie. Undefined: there is none, it has run out, or another gateway's secret sealed it. */
  function find(caller: CallerFacts): Session | undefined {
    for (const token of tokensOf(caller)) {
      const session = tokens.open(token);
      if (session && Math.min(session.idle, session.end) > now()) return session;
    }
    return undefined;
  }

  /** Only one that must come with the answer of a provider is sent when another site leads here. */
  function cookieOf({ secure }: Pick<Session, 'secure'>, value: string, seconds: number, suffix = ''): string {
    const attributes = `Path=/; HttpOnly; SameSite=${suffix === '' ? 'Strict' : 'Lax'}; Max-Age=${seconds}`;
    return `${secure ? '__Host-' : ''}${name}${suffix}=${value}; ${attributes}${secure ? '; Secure' : ''}`;
  }

  return {
    times,
    find,
    /**
     * Refuses what the console's script has not sent from a page of this gateway.
     *
     * @throws A2AError `permissionDenied`
     */
    requireConsole(caller: CallerFacts): void {
      if (caller.header(consoleHeader) !== undefined && isOwnPage(caller, publicUrl())) return;
      throw new A2AError('permissionDenied', 'Only pages of this gateway may use the session of its console');
    },
    /** Whether the browser reaches the gateway over TLS: it names the page's origin when it signs in. */
    isSecure: (caller: CallerFacts): boolean =>
      isOverTls(caller) || caller.header('origin')?.startsWith('https:') === true,
    /** Begins a session. `until`: when the credential expires. */
    create(credential: ShownCredential, secure: boolean, until = Number.POSITIVE_INFINITY): Session {
      const end = Math.min(until, now() + times.most);
      return { id: randomUUID(), credential, idle: now() + times.idle, end, secure };
    },
    /** The session as if it had just begun, within the time that it has at most. */
    renew: (session: Session): Session => ({ ...session, idle: now() + times.idle }),
    /** Ends a session: here at once, at other replicas within about a second. */
    async end({ id, end }: Session): Promise<void> {
      endedHere.add(id);
      review();
      await ended.add(id, end);
    },
    /**
     * The value of `Set-Cookie`.
     *
     * @throws A2AError `invalidRequest` for a credential that is too long for a cookie
     */
    cookie(session: Session): string {
      const cookie = cookieOf(
        session,
        tokens.seal(session),
        Math.ceil((Math.min(session.idle, session.end) - now()) / 1_000),
      );
      if (cookie.indexOf(';') <= maxCookie) return cookie;
      throw new A2AError('invalidRequest', 'The credential is too long for a session of the console');
    },
    /** Removes the cookies of this gateway. */
    noCookies: (): string[] => [true, false].map((secure) => cookieOf({ secure }, '', 0)),
    /** The value of `Set-Cookie` for a browser whose user is at a provider. */
    pendingCookie: (pending: Pending): string =>
      cookieOf(pending, pendingTokens.seal(pending), Math.ceil((pending.until - now()) / 1_000), pendingSuffix),
    noPendingCookie: ({ secure }: Pick<Pending, 'secure'>): string => cookieOf({ secure }, '', 0, pendingSuffix),
    /** What began in this browser. Undefined: nothing, or it took too long. */
    findPending: (caller: CallerFacts): Pending | undefined =>
      tokensOf(caller, pendingSuffix)
        .map((token) => pendingTokens.open(token))
        .find((pending) => pending !== undefined && pending.until > now()),
    /**
     * Authenticates a request of the console: by its session, or as `known` does where there is none.
     *
     * Rejects as `known`, with `permissionDenied` for another page, and with `unauthenticated` when the session has ended.
     */
    async authenticate(caller: CallerFacts, known: Authenticate, apiKeyHeader: string): Promise<Principal> {
      const session = find(caller);
      if (!session) return known(caller);
      this.requireConsole(caller);
      const { id, credential, end } = session;
      usedAt = performance.now();
      timer ??= setInterval(tick, pollInterval).unref();
      if (usedAt - readAt > pollInterval) await read();
      if (hasEnded(id) || (refused.get(id) ?? 0) > now()) throw over();
      let principal: Principal;
      try {
        principal = await known(callerShowing(caller, credential, apiKeyHeader));
      } catch (thrown) {
        if (A2AError.from(thrown).kind !== 'unauthenticated') throw thrown;
        if (refused.size >= mostRefused) refused.clear();
        refused.set(id, now() + refusedFor);
        throw over();
      }
      // A key that is no longer known makes its caller anonymous.
      if (principal.anonymous) throw over();
      return { ...principal, session: id, until: Math.min(principal.until ?? end, end) };
    },
    /** Stops reading. */
    close: () => clearInterval(timer),
  };
}

const over = (): A2AError => new A2AError('unauthenticated', 'The session has ended: sign in again');

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
