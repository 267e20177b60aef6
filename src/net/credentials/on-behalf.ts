import { A2AError, type ErrorKind } from '../../core/model/errors.ts';
import { type JsonObject, own } from '../../core/model/json.ts';
import { longestTimer, once, unlessAborted } from '../../core/model/timing.ts';
import type { HttpClient } from '../http-client.ts';
import { isNetworkFailure, markUnsent, markUntried, neverTried } from '../network-errors.ts';
import {
  claimsOf,
  type OutboundCaller,
  type Subject,
  type Subjects,
  subjectsOf,
  tokenTypes,
} from './on-behalf-subjects.ts';
import type { OnBehalfSettings } from './outbound-settings.ts';
import { type SealedTokens, sealedTokens } from './sealed-tokens.ts';
import { canceled, failure, readToken, requestToken, type TokenSourceOptions } from './token-source.ts';

export interface OnBehalfOptions extends TokenSourceOptions {
  /** Name of the agent for which the tokens are requested. */
  readonly agent: string;
  /** Reads the store's secret, with which tokens that are stored with tasks are sealed. */
  readonly secret: () => Promise<string>;
}

/** A token for one caller. */
interface Grant {
  /** Identifies the subject of the token: a hash of the caller's token, or of its id. */
  readonly key: string;
  /** The caller's id. */
  readonly principal: string;
  readonly token: string;
  /** Time after which the token is replaced, in milliseconds since the epoch. */
  readonly renewAt: number;
  /** Time at which the token expires, in milliseconds since the epoch. */
  readonly expires: number;
  readonly refresh?: string | undefined;
  /** The previous token, which a late response may still contain. */
  readonly former?: string | undefined;
}

type GrantOf = Pick<Grant, 'key' | 'principal' | 'refresh' | 'former'>;

/** Maximum number of grants in memory. */
const maxGrants = 10_000;
/** Milliseconds before its expiry at which a token is replaced, or a quarter of its lifetime if that is shorter. */
const margin = 60_000;
/** Milliseconds after which the replacement of a token that is still valid is tried again. */
const pause = 10_000;
/** Milliseconds for which a token with an unknown lifetime is used. */
const unknownLife = 300_000;
/** Milliseconds by which clocks may differ. */
const clockTolerance = 300_000;
/** Longest token, in characters: it must fit into a header. */
const maxToken = 16 * 1024;
/** Longest sealed grant that is stored with a task, in characters. */
const maxKept = 64 * 1024;
/** Key of the grant in the state of a task. */
const keptAs = 'on-behalf';

const accessTokenTypes: ReadonlySet<unknown> = new Set([
  undefined,
  null,
  `${tokenTypes}access_token`,
  `${tokenTypes}jwt`,
]);

/** Errors of an issuer that concern the caller, and not the gateway, with the errors for the caller. */
const callersFaults: Readonly<Record<string, ErrorKind>> = {
  invalid_grant: 'unauthenticated',
  invalid_request: 'unauthenticated',
  invalid_token: 'unauthenticated',
  interaction_required: 'unauthenticated',
  consent_required: 'unauthenticated',
  login_required: 'unauthenticated',
  access_denied: 'permissionDenied',
};

/**
 * Requests tokens for callers from an issuer (RFC 8693, RFC 7523), and uses each token until shortly before it expires,
 * but only for calls in which the same caller sent the same token. Concurrent calls share one request. The token of a
 * task is sealed and stored with the task, so that the task can continue without its caller, also at another replica,
 * until the token expires or can no longer be refreshed.
 */
export class OnBehalf {
  readonly #settings: OnBehalfSettings;
  readonly #options: OnBehalfOptions;
  readonly #agent: string;
  readonly #http: HttpClient;
  readonly #clock: () => number;
  readonly #timeout: number;
  readonly #place: string;
  readonly #url: URL;
  /** Grants by key, the least recently used first. */
  readonly #grants = new Map<string, Grant>();
  readonly #running = new Map<string, Promise<Grant>>();
  /** Grants by the headers that were created from them. */
  readonly #sentGrants = new WeakMap<object, Grant>();
  /** The latest grant that was stored with a task, by the state of the task. */
  readonly #keptGrants = new WeakMap<object, Grant>();
  readonly #subjects: Subjects;
  readonly #sealed: () => Promise<SealedTokens<Grant>>;

  constructor(settings: OnBehalfSettings, options: OnBehalfOptions) {
    this.#settings = settings;
    this.#options = options;
    this.#agent = options.agent;
    this.#http = options.http;
    this.#clock = options.clock ?? Date.now;
    this.#timeout = options.timeout ?? 10_000;
    this.#place = `the token issuer of the agent ${this.#agent}`;
    this.#url = new URL(settings.tokenUrl);
    this.#subjects = subjectsOf(settings, this.#agent, options);
    this.#sealed = once(async () => sealedTokens<Grant>(await options.secret(), 'tokens of callers', maxKept));
  }

  /** Reads the grant that is stored with the caller's task. */
  async #readKept({ kept, principal = '' }: OutboundCaller): Promise<Grant | undefined> {
    const text = await kept?.get<string>(keptAs);
    const grant = typeof text === 'string' ? (await this.#sealed()).open(text) : undefined;
    return grant?.principal === principal ? grant : undefined;
  }

  async #keep({ kept }: OutboundCaller, grant: Grant): Promise<void> {
    if (!kept || this.#subjects.withoutCaller || this.#keptGrants.get(kept) === grant) return;
    this.#keptGrants.set(kept, grant);
    try {
      await kept.set(keptAs, (await this.#sealed()).seal({ ...grant, former: undefined }));
    } catch (err) {
      this.#keptGrants.delete(kept);
      this.#options.logger?.warn(
        { agent: this.#agent, err },
        'cannot store the token of a task; the task will fail when it must continue without its caller',
      );
    }
  }

  #remember(grant: Grant): Grant {
    this.#grants.delete(grant.key);
    this.#grants.set(grant.key, grant);
    for (const [key, { expires }] of this.#grants) {
      if (this.#grants.size <= maxGrants && this.#clock() < expires) break;
      if (key !== grant.key) this.#grants.delete(key);
      else break;
    }
    return grant;
  }

  readonly #refusal = (code: unknown, reason: string): A2AError | undefined => {
    const kind = typeof code === 'string' ? own(callersFaults, code) : undefined;
    if (!kind) return undefined;
    this.#subjects.refused?.();
    return new A2AError(
      kind,
      `The token issuer of the agent ${this.#agent} refused ${this.#subjects.names} (${reason})`,
    );
  };

  /**
   * Requests a token from the issuer, and checks its response.
   *
   * @param claims the claims of a token of the same caller
   * @param deadline the deadline of all requests for the token
   */
  async #request(
    form: Record<string, string>,
    of: GrantOf,
    claims: JsonObject | undefined,
    deadline: Deadline,
  ): Promise<Grant> {
    const began = this.#clock();
    const answer = await requestToken({
      http: this.#http,
      timeout: deadline.left(),
      url: this.#url,
      place: this.#place,
      form,
      refusal: this.#refusal,
    });
    const { token, isBearer, lifetime } = readToken(this.#place, answer);
    const issued = claimsOf(token);
    const fault = answerFault(answer, token, isBearer) ?? (issued && claimFault(issued, this.#settings, claims));
    if (fault !== undefined) throw failure('invalidAgentResponse', this.#place, fault);
    const { exp, iat } = { ...issued };
    const life = Math.min(Number.isFinite(lifetime) ? lifetime : lifeIn(exp, iat, began), longestTimer);
    if (life <= 0 || (typeof exp === 'number' && exp * 1_000 + clockTolerance < began)) {
      const reason = 'its token has already expired; if it has not, the clocks of issuer and gateway differ';
      throw failure('invalidAgentResponse', this.#place, reason);
    }
    const { refresh_token: refresh = of.refresh } = answer;
    const expires = began + life;
    return this.#remember({
      key: of.key,
      principal: of.principal,
      former: of.former,
      token,
      expires,
      renewAt: expires - Math.min(margin, life / 4),
      ...(typeof refresh === 'string' && { refresh }),
    });
  }

  #ask(
    fields: Record<string, string>,
    of: GrantOf,
    claims: JsonObject | undefined,
    deadline: Deadline,
  ): Promise<Grant> {
    return this.#request({ ...fields, ...clientFields(this.#settings) }, of, claims, deadline).catch(ofIssuer);
  }

  #expired(): A2AError {
    return markUntried(
      new A2AError(
        'unauthenticated',
        `The token for calling the agent ${this.#agent} on behalf of the caller has expired or was refused, and cannot be renewed without the caller; send again, with a token`,
      ),
    );
  }

  /** Requests a new grant to replace one that is about to expire, or was refused. */
  async #renewed(of: GrantOf, known: Grant | undefined, subject: Subject | undefined): Promise<Grant> {
    const deadline = new Deadline(this.#timeout, () =>
      failure('upstreamTimeout', this.#place, `it did not answer within ${this.#timeout} ms`),
    );
    if (known?.refresh !== undefined) {
      const fields = { grant_type: 'refresh_token', refresh_token: known.refresh };
      try {
        return await this.#ask(fields, { ...of, refresh: known.refresh }, claimsOf(known.token), deadline);
      } catch (thrown) {
        if (!subject || deadline.isOver) throw thrown;
      }
    }
    if (!subject) throw this.#expired();
    const fields = await deadline.within(() => subject.fields()).catch(ofIssuer);
    return this.#ask({ ...requestFields(this.#settings), ...fields }, of, subject.claims?.(), deadline);
  }

  /** Returns the caller's grant. Rejects if there is none. */
  async #grantOf(caller: OutboundCaller, signal: AbortSignal): Promise<Grant> {
    const { principal = '' } = caller;
    const own = this.#subjects.ofCaller(caller);
    const kept =
      own && (this.#subjects.withoutCaller || this.#grants.has(own.key)) ? undefined : await this.#readKept(caller);
    const subject = own ?? (!kept || kept.key === this.#subjects.instead?.key ? this.#subjects.instead : undefined);
    const key = subject?.key ?? kept?.key;
    if (key === undefined) throw markUntried(new A2AError('unauthenticated', this.#subjects.missing));
    const held = this.#grants.get(key);
    const former = kept?.key === key ? kept : undefined;
    const isNewer = held && former && held.token !== former.token && former.renewAt > held.renewAt;
    const known = isNewer ? former : (held ?? former);
    if (known && this.#clock() < known.renewAt) return this.#remember(known);
    let renewing = this.#running.get(key);
    if (!renewing) {
      renewing = this.#renewed({ key, principal, former: known?.token }, known, subject)
        .catch((thrown: unknown) => {
          // The agent may have refused the token meanwhile.
          const latest = this.#grants.get(key) ?? known;
          if (!latest || this.#clock() >= latest.expires) throw thrown;
          return this.#remember({ ...latest, renewAt: Math.min(latest.expires, this.#clock() + pause) });
        })
        .finally(() => this.#running.delete(key));
      this.#running.set(key, renewing);
    }
    return unlessAborted(renewing, signal).catch((thrown: unknown) => {
      throw thrown === signal.reason ? canceled(signal) : thrown;
    });
  }

  /** Returns the headers for a call. Rejects with an A2AError if there is no token for the caller. */
  async headers(caller: OutboundCaller, signal: AbortSignal): Promise<Record<string, string>> {
    if (signal.aborted) throw canceled(signal);
    const grant = await this.#grantOf(caller, signal);
    await this.#keep(caller, grant);
    const headers = { authorization: `Bearer ${grant.token}` };
    this.#sentGrants.set(headers, grant);
    return headers;
  }

  /** Returns the tokens that were sent to the agent for a caller. */
  sentFor(caller: OutboundCaller): string[] {
    const key = this.#subjects.ofCaller(caller)?.key ?? this.#subjects.instead?.key;
    const of = [key !== undefined && this.#grants.get(key), caller.kept && this.#keptGrants.get(caller.kept)];
    return of.flatMap((grant) => (grant ? [grant.token, grant.former ?? ''] : []));
  }

  /** Discards a token that the agent refused. Returns whether the headers contained one. */
  rejected(sent: object): boolean {
    const grant = this.#sentGrants.get(sent);
    if (!grant) return false;
    const { token = grant.token } = this.#grants.get(grant.key) ?? {};
    if (token === grant.token) this.#grants.set(grant.key, { ...grant, renewAt: 0, expires: 0 });
    return true;
  }
}

/** The deadline for a token, across all requests that it takes. */
class Deadline {
  readonly #end: number;
  readonly #late: () => A2AError;

  constructor(ms: number, late: () => A2AError) {
    this.#end = performance.now() + ms;
    this.#late = late;
  }

  get isOver(): boolean {
    return performance.now() >= this.#end;
  }

  /** Returns the remaining milliseconds. Throws if the deadline has passed. */
  left(): number {
    if (this.isOver) throw markUntried(this.#late());
    return Math.ceil(this.#end - performance.now());
  }

  async within<T>(run: () => Promise<T>): Promise<T> {
    const { promise: over, reject } = Promise.withResolvers<never>();
    const timer = setTimeout(() => reject(markUntried(this.#late())), this.left());
    return Promise.race([run(), over]).finally(() => clearTimeout(timer));
  }
}

/** Converts an error of the issuer. A failure to reach the issuer says nothing about the agent. */
function ofIssuer(thrown: unknown): never {
  const error = A2AError.from(thrown);
  if (!isNetworkFailure(error)) throw markUntried(error);
  const { retryAfter } = error;
  const message = error.message.replace(/cannot reach \S+: /, '');
  const away = new A2AError('unavailable', message, retryAfter === undefined ? {} : { retryAfter });
  throw neverTried(error) ? markUntried(away) : markUnsent(away);
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

/** Returns the reason why a response is not an access token. Undefined if it is one. */
function answerFault(answer: JsonObject, token: string, isBearer: boolean): string | undefined {
  if (token.length > maxToken) return `its token is longer than ${maxToken} characters`;
  if (!accessTokenTypes.has(answer.issued_token_type)) return 'its answer is not an access token (issued_token_type)';
  return isBearer ? undefined : 'its answer is not a bearer token (token_type)';
}

/** Returns the reason why a token is not the requested one. Undefined if it is. */
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
  const before = claims[name];
  const after = issued[name];
  return before === undefined || after === undefined || before === after
    ? undefined
    : `its token is for another caller (${name})`;
}

/** Returns the lifetime of a JWT in milliseconds, measured by the issuer's clock alone if possible. */
function lifeIn(exp: unknown, iat: unknown, now: number): number {
  if (typeof exp !== 'number') return unknownLife;
  return exp * 1_000 - (typeof iat === 'number' ? iat * 1_000 : now);
}
