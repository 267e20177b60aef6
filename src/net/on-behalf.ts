import { hash, randomUUID } from 'node:crypto';
import type { StateSpace } from '../core/model/agent.ts';
import { A2AError, type ErrorKind } from '../core/model/errors.ts';
import { isObject, type JsonObject, parsedJson } from '../core/model/json.ts';
import type { ShownCredentials } from '../core/model/principal.ts';
import { unlessAborted } from '../core/model/timing.ts';
import { markUnsent, markUntried, transient } from './network-errors.ts';
import type { OnBehalfSettings, SettingsOf } from './outbound-settings.ts';
import { type SealedTokens, sealedTokens } from './sealed-tokens.ts';
import { readSigningKey } from './signing-key.ts';
import {
  canceled,
  createTokenSource,
  failure,
  readToken,
  requestToken,
  type TokenSourceOptions,
} from './token-source.ts';

/** The caller that a request is sent for. */
export interface OutboundCaller extends ShownCredentials {
  /** Its id in this gateway. */
  readonly principal?: string;
  /** What is kept for the request's task, at every replica. Absent: there is no task. */
  readonly kept?: Pick<StateSpace, 'get' | 'set'>;
}

export interface OnBehalfOptions extends TokenSourceOptions {
  /** Name of the agent that the tokens are for. */
  readonly agent: string;
  /** Reads the store's secret, which what is kept for tasks is sealed with. */
  readonly secret: () => Promise<string>;
}

/** A token for one caller. */
interface Grant {
  /** Identifies what the token was got for: a hash of the caller's token, or of its id. */
  readonly key: string;
  /** The caller's id. */
  readonly principal: string;
  readonly token: string;
  /** Milliseconds since the epoch: when it is replaced, and when it is no longer valid. */
  readonly renewAt: number;
  readonly expires: number;
  readonly refresh?: string | undefined;
}

type GrantOf = Pick<Grant, 'key' | 'principal' | 'refresh'>;

/** Whom a token is asked for. */
interface Subject {
  readonly key: string;
  /** The fields that say so. */
  readonly fields: () => Promise<Record<string, string>>;
  /** The claims of the token that is exchanged, if it is a JWT. */
  readonly claims?: () => JsonObject | undefined;
}

/** Callers whose tokens are remembered. */
const maxGrants = 10_000;
/** Milliseconds before its expiry that a token is replaced, unless a quarter of its life is shorter. */
const margin = 60_000;
/** Milliseconds that a token is used of which nothing says how long it is valid. */
const unknownLife = 300_000;
/** Milliseconds that clocks may differ. */
const clockTolerance = 300_000;
/** Characters of the longest token, which has to fit into a header, and of a kept grant. */
const [maxToken, maxKept] = [16 * 1024, 64 * 1024];
/** The key of what is kept for a task. */
const keptAs = 'on-behalf';

const urn = 'urn:ietf:params:oauth:token-type:';
const accessTokenTypes: ReadonlySet<unknown> = new Set([undefined, null, `${urn}access_token`, `${urn}jwt`]);

/** What an issuer's errors say of the caller, and not of the gateway. */
const callersFaults: Readonly<Record<string, ErrorKind>> = {
  invalid_grant: 'unauthenticated',
  invalid_request: 'unauthenticated',
  invalid_token: 'unauthenticated',
  interaction_required: 'unauthenticated',
  consent_required: 'unauthenticated',
  login_required: 'unauthenticated',
  access_denied: 'permissionDenied',
};

/** Tokens for one agent, each for one caller. */
export type OnBehalf = ReturnType<typeof createOnBehalf>;

/**
 * Gets tokens for callers from an issuer (RFC 8693, RFC 7523), and uses each until shortly before it expires: for calls with the
 * same token of the same caller alone. Concurrent calls share one request. The token of a task is kept with the task, sealed, so
 * that the task goes on without its caller, also at another replica: until it expires, or as long as it can be refreshed.
 */
export function createOnBehalf(settings: OnBehalfSettings, options: OnBehalfOptions) {
  const { agent, http, clock = Date.now, timeout = 10_000 } = options;
  const place = `the token issuer of the agent ${agent}`;
  const url = new URL(settings.tokenUrl);
  /** The least recently used first. */
  const grants = new Map<string, Grant>();
  const running = new Map<string, Promise<Grant>>();
  /** Grants by the headers that were made of them, and the latest that was kept for a task. */
  const sentGrants = new WeakMap<object, Grant>();
  const keptGrants = new WeakMap<object, Grant>();
  const subjects = settings.type === 'exchange' ? exchangeSubjects(settings, options) : bearerSubjects(settings, agent);
  let seal: Promise<SealedTokens<Grant>> | undefined;

  const sealed = (): Promise<SealedTokens<Grant>> => {
    seal ??= options.secret().then((secret) => sealedTokens<Grant>(secret, 'tokens of callers', maxKept));
    return seal.catch((thrown: unknown) => {
      seal = undefined;
      throw thrown;
    });
  };

  /** The grant of the caller's task. */
  const readKept = async ({ kept, principal = '' }: OutboundCaller): Promise<Grant | undefined> => {
    const text = await kept?.get<string>(keptAs);
    const grant = typeof text === 'string' ? (await sealed()).open(text) : undefined;
    return grant?.principal === principal ? grant : undefined;
  };

  const keep = async ({ kept }: OutboundCaller, grant: Grant): Promise<void> => {
    if (!kept || subjects.withoutCaller || keptGrants.get(kept) === grant) return;
    keptGrants.set(kept, grant);
    try {
      await kept.set(keptAs, (await sealed()).seal(grant));
    } catch (err) {
      keptGrants.delete(kept);
      options.logger?.warn(
        { agent, err },
        'the token of a task was not kept; the task ends where it has to do without its caller',
      );
    }
  };

  const remember = (grant: Grant): Grant => {
    grants.delete(grant.key);
    grants.set(grant.key, grant);
    for (const [key, { expires }] of grants) {
      if (grants.size <= maxGrants && clock() < expires) break;
      if (key !== grant.key) grants.delete(key);
      else break;
    }
    return grant;
  };

  const refusal = (code: unknown, reason: string): A2AError | undefined => {
    const kind = typeof code === 'string' && Object.hasOwn(callersFaults, code) ? callersFaults[code] : undefined;
    if (!kind) return undefined;
    subjects.refused?.();
    return new A2AError(kind, `The token issuer of the agent ${agent} refused ${subjects.names} (${reason})`);
  };

  /** Asks the issuer, and checks its answer. @param claims of a token of the same caller */
  const request = async (form: Record<string, string>, of: GrantOf, claims: JsonObject | undefined): Promise<Grant> => {
    const began = clock();
    const answer = await requestToken({ http, timeout, url, place, form, refusal });
    const { token, isBearer, lifetime } = readToken(place, answer);
    const issued = claimsOf(token);
    const fault = answerFault(answer, token, isBearer) ?? (issued && claimFault(issued, settings, claims));
    if (fault !== undefined) throw failure('invalidAgentResponse', place, fault);
    const { exp, iat } = { ...issued };
    const life = Number.isFinite(lifetime) ? lifetime : lifeIn(exp, iat, began);
    if (life <= 0 || (typeof exp === 'number' && exp * 1_000 + clockTolerance < began)) {
      const reason = 'its token has expired already; if it has not, the clocks of issuer and gateway differ';
      throw failure('invalidAgentResponse', place, reason);
    }
    const { refresh_token: refresh = of.refresh } = answer;
    const expires = began + life;
    return remember({
      ...{ key: of.key, principal: of.principal, token, expires, renewAt: expires - Math.min(margin, life / 4) },
      ...(typeof refresh === 'string' && { refresh }),
    });
  };

  const ask = (fields: Record<string, string>, of: GrantOf, claims: JsonObject | undefined): Promise<Grant> =>
    request({ ...fields, ...clientFields(settings) }, of, claims).catch((thrown: unknown) => {
      throw ofIssuer(A2AError.from(thrown), url.origin);
    });

  const expired = (): A2AError =>
    markUntried(
      new A2AError(
        'unauthenticated',
        `The token for calling the agent ${agent} on behalf of the caller has expired or was refused, and cannot be renewed without the caller; send again, with a token`,
      ),
    );

  /** A new grant in place of one that is about to expire, or was refused. */
  const renewed = async (of: GrantOf, known: Grant | undefined, subject: Subject | undefined): Promise<Grant> => {
    if (known?.refresh !== undefined) {
      const fields = { grant_type: 'refresh_token', refresh_token: known.refresh };
      try {
        return await ask(fields, { ...of, refresh: known.refresh }, claimsOf(known.token));
      } catch (thrown) {
        if (!subject) throw thrown;
      }
    }
    if (!subject) throw expired();
    return ask({ ...requestFields(settings), ...(await subject.fields()) }, of, subject.claims?.());
  };

  /** The caller's grant. Rejects where there is none. */
  const grantOf = async (caller: OutboundCaller, signal: AbortSignal): Promise<Grant> => {
    const { principal = '' } = caller;
    const own = subjects.ofCaller(caller);
    const kept = own && (subjects.withoutCaller || grants.has(own.key)) ? undefined : await readKept(caller);
    const subject = own ?? (!kept || kept.key === subjects.instead?.key ? subjects.instead : undefined);
    const key = subject?.key ?? kept?.key;
    if (key === undefined) throw markUntried(new A2AError('unauthenticated', subjects.missing));
    const [held, former] = [grants.get(key), kept?.key === key ? kept : undefined];
    const isNewer = held && former && held.token !== former.token && former.renewAt > held.renewAt;
    const known = isNewer ? former : (held ?? former);
    if (known && clock() < known.renewAt) return remember(known);
    let renewing = running.get(key);
    if (!renewing) {
      renewing = renewed({ key, principal }, known, subject)
        .catch((thrown: unknown) => {
          if (known && clock() < known.expires) return known;
          throw thrown;
        })
        .finally(() => running.delete(key));
      running.set(key, renewing);
    }
    return unlessAborted(renewing, signal).catch((thrown: unknown) => {
      throw thrown === signal.reason ? canceled(signal) : thrown;
    });
  };

  return {
    /** Rejects with an A2AError where there is no token for this caller. */
    async headers(caller: OutboundCaller, signal: AbortSignal): Promise<Record<string, string>> {
      if (signal.aborted) throw canceled(signal);
      const grant = await grantOf(caller, signal);
      await keep(caller, grant);
      const headers = { authorization: `Bearer ${grant.token}` };
      sentGrants.set(headers, grant);
      return headers;
    },
    /** Gives up a token that the agent refused. */
    rejected(sent: object): boolean {
      const grant = sentGrants.get(sent);
      if (!grant) return false;
      const { token = grant.token } = grants.get(grant.key) ?? {};
      if (token === grant.token) grants.set(grant.key, { ...grant, renewAt: 0, expires: 0 });
      return true;
    },
  };
}

/** A failure to reach the issuer, which says nothing of the agent. */
function ofIssuer(error: A2AError, origin: string): A2AError {
  if (!transient(error)) return markUntried(error);
  const { retryAfter } = error;
  const message = error.message.replace(`cannot reach ${origin}: `, '');
  return markUnsent(new A2AError('unavailable', message, retryAfter === undefined ? {} : { retryAfter }));
}

const clientFields = ({ clientId, clientSecret }: OnBehalfSettings): Record<string, string> => ({
  ...(clientId !== undefined && { client_id: clientId }),
  ...(clientSecret && { client_secret: clientSecret.reveal() }),
});

const requestFields = ({ audience, resource, scopes, parameters }: OnBehalfSettings): Record<string, string> => ({
  ...parameters,
  ...(audience !== undefined && { audience }),
  ...(resource !== undefined && { resource }),
  ...(scopes.length > 0 && { scope: scopes.join(' ') }),
});

/** The claims of a JWT, unverified: the issuer's answer, or what is only compared with it. */
function claimsOf(token: string): JsonObject | undefined {
  const parts = token.split('.');
  const [head, claims] = parts.map((part) => parsedJson(Buffer.from(part, 'base64url').toString()));
  return parts.length === 3 && isObject(head) && typeof head.alg === 'string' && isObject(claims) ? claims : undefined;
}

/** Why an answer is not what was asked for. */
function answerFault(answer: JsonObject, token: string, isBearer: boolean): string | undefined {
  if (token.length > maxToken) return `its token is longer than ${maxToken} characters`;
  if (!accessTokenTypes.has(answer.issued_token_type)) return 'its answer is not an access token (issued_token_type)';
  return isBearer ? undefined : 'its answer is not a bearer token (token_type)';
}

/** Why a token is not the one that was asked for. */
function claimFault(
  issued: JsonObject,
  settings: OnBehalfSettings,
  claims: JsonObject | undefined,
): string | undefined {
  const wanted = [settings.audience, settings.resource].filter((one) => one !== undefined);
  const named = [issued.aud ?? []].flat();
  if (wanted.length > 0 && named.length > 0 && !named.some((one) => wanted.includes(one as string))) {
    return 'its token is for another audience (aud)';
  }
  const { subjectClaim: name } = settings;
  if (name === '' || !claims || claims.iss !== issued.iss) return undefined;
  const [before, after] = [claims[name], issued[name]];
  return before === undefined || after === undefined || before === after
    ? undefined
    : `its token is for another caller (${name})`;
}

/** Milliseconds that a JWT says it is valid: by the issuer's clock alone where that is possible. */
function lifeIn(exp: unknown, iat: unknown, now: number): number {
  if (typeof exp !== 'number') return unknownLife;
  return exp * 1_000 - (typeof iat === 'number' ? iat * 1_000 : now);
}

/** A caller's token in `Authorization`. */
const tokenIn = ({ authorization = '' }: ShownCredentials): string | undefined =>
  /^bearer +(\S+)$/i.exec(authorization)?.[1];

const keyOf = (...parts: readonly string[]): string => hash('sha256', JSON.stringify(parts), 'base64url');

/** Where subjects come from. */
interface Subjects {
  ofCaller(caller: OutboundCaller): Subject | undefined;
  /** For callers without a token. Absent: they are refused. */
  readonly instead?: Subject | undefined;
  /** Called when the issuer refuses: the actor's token may be the reason. */
  readonly refused?: () => unknown;
  /** Whether a caller's id suffices: then nothing is kept. */
  readonly withoutCaller: boolean;
  /** What an issuer refuses. */
  readonly names: string;
  /** What a caller reads that has none. */
  readonly missing: string;
}

const missing = (agent: string, type: string, what: string, instead: string): string =>
  `The agent ${agent} is called with a token for its caller (auth.type ${type}), and this caller has ${what}; send a bearer token of its issuer, or ${instead}`;

function exchangeSubjects(settings: SettingsOf<'exchange'>, options: OnBehalfOptions): Subjects {
  const { actor, subject, subjectTokenType } = settings;
  const own = actor?.type === 'oauth2' ? createTokenSource(actor, options) : undefined;
  let latest: string | undefined;
  const actorToken = async (): Promise<string | undefined> => {
    latest = own
      ? await own.get(new AbortController().signal)
      : actor?.type === 'bearer'
        ? actor.token.reveal()
        : undefined;
    return latest;
  };
  const grant = { grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange' };
  return {
    ofCaller(caller) {
      const token = tokenIn(caller);
      if (token === undefined) return undefined;
      return {
        key: keyOf('token', caller.principal ?? '', token),
        claims: () => claimsOf(token),
        async fields() {
          const acting = await actorToken();
          const type = { subject_token_type: urn + subjectTokenType };
          const actorFields = acting !== undefined && { actor_token: acting, actor_token_type: `${urn}access_token` };
          return { ...grant, subject_token: token, ...type, ...actorFields };
        },
      };
    },
    instead:
      subject === 'callerOrActor'
        ? {
            key: keyOf('actor'),
            fields: async () => {
              const token = (await actorToken()) ?? '';
              return { ...grant, subject_token: token, subject_token_type: `${urn}access_token` };
            },
          }
        : undefined,
    refused: () => latest !== undefined && own?.reject(latest),
    withoutCaller: false,
    names: "the caller's token",
    missing: missing(options.agent, 'exchange', 'none', 'set auth.subject of the agent to callerOrActor'),
  };
}

/** Seconds that an assertion of the gateway's own is valid. */
const assertionLife = 60;

function bearerSubjects(settings: SettingsOf<'jwtBearer'>, agent: string): Subjects {
  const { privateKey, subject, clientId = '', tokenUrl } = settings;
  const grant = { grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer' };
  if (privateKey === undefined) {
    return {
      ofCaller(caller) {
        const token = tokenIn(caller);
        if (token?.split('.').length !== 3) return undefined;
        const key = keyOf('token', caller.principal ?? '', token);
        return { key, claims: () => claimsOf(token), fields: async () => ({ ...grant, assertion: token }) };
      },
      withoutCaller: false,
      names: "the caller's token",
      missing: missing(agent, 'jwtBearer', 'no JWT', 'set auth.privateKey of the agent'),
    };
  }
  const { keyId, issuer = clientId, assertionAudience = tokenUrl } = settings;
  const sign = async (sub: string): Promise<string> => {
    const [{ key, algorithm }, { SignJWT }] = await Promise.all([readSigningKey(privateKey), import('jose')]);
    return new SignJWT({})
      .setProtectedHeader({ alg: algorithm, typ: 'JWT', ...(keyId !== undefined && { kid: keyId }) })
      .setIssuer(issuer)
      .setSubject(sub)
      .setAudience(assertionAudience)
      .setJti(randomUUID())
      .setIssuedAt()
      .setExpirationTime(`${assertionLife}s`)
      .sign(key);
  };
  return {
    ofCaller({ principal = '' }) {
      // Of a token that the gateway has verified: it signs for no other one.
      const sub = subject === 'principal' ? principal : /^jwt:[^#]*#(.+)$/s.exec(principal)?.[1];
      if (!sub) return undefined;
      return { key: keyOf('principal', principal), fields: async () => ({ ...grant, assertion: await sign(sub) }) };
    },
    withoutCaller: true,
    names: 'the JWT about the caller',
    missing: missing(agent, 'jwtBearer', 'no verified one', 'set auth.subject of the agent to principal'),
  };
}
