import type { Authenticate, CallerFacts } from '../../core/limits/admission.ts';
import { networkOf } from '../../core/limits/network.ts';
import { A2AError } from '../../core/model/errors.ts';
import { isObject, type JsonObject } from '../../core/model/json.ts';
import type { Principal } from '../../core/model/principal.ts';
import type { Audit } from '../../core/ports/audit.ts';
import { type FailureLimiter, tooManyFailures } from '../failure-limiter.ts';
import { hashOf } from '../hash.ts';
import { principalIds, principalOf } from '../principals.ts';
import { HookFailure, HookRunner, isAnswer } from './hook-runner.ts';
import type { AuthRequest, Caller, Challenge, ConfiguredHooks } from './hooks.ts';

export interface HookAuthenticatorOptions extends ConfiguredHooks {
  readonly failures: FailureLimiter;
  readonly audit: Audit;
  /** The built-in methods, for callers about whom the hook returns nothing. */
  readonly otherwise: Authenticate;
  readonly accepted: AcceptedCredentials;
  /** Refuses a caller: counts and audits a wrong credential. */
  readonly refuse: (caller: CallerFacts, thrown: A2AError, challenge: string) => never;
  /** Refuses requests that a page of another origin may have sent. */
  readonly requireNoPage: (caller: CallerFacts) => void;
  /** Value of `WWW-Authenticate` for a refusal that names none. */
  readonly challenge: string;
}

/**
 * Authenticates callers with the hook, and with the built-in methods if the hook returns nothing. The hook is asked
 * about every request. While a network has too many failures, the hook is asked only about credentials that were
 * accepted from that network before.
 */
export class HookAuthenticator {
  readonly #options: HookAuthenticatorOptions;
  readonly #runner: HookRunner;

  constructor(options: HookAuthenticatorOptions) {
    this.#options = options;
    this.#runner = new HookRunner({ name: 'authenticate', timeout: options.timeout, logger: options.logger });
  }

  readonly authenticate = (caller: CallerFacts): Principal | Promise<Principal> => {
    const { failures, accepted, hooks } = this.#options;
    const wait = failures.wait(caller.remoteAddress);
    if (wait > 0 && accepted.find(caller) === undefined) throw tooManyFailures(wait);
    let answer: Caller | Challenge | undefined | Promise<Caller | Challenge | undefined>;
    try {
      const asker = { of: networkOf(caller.remoteAddress), accepted: () => accepted.find(caller) };
      answer = this.#runner.ask(asker, (tools) => hooks.authenticate?.(hookRequest(caller), tools));
    } catch (thrown) {
      return this.#fail(caller, thrown);
    }
    if (!(answer instanceof Promise)) return this.#decide(caller, answer);
    return answer.then(
      (given) => this.#decide(caller, given),
      (thrown) => this.#fail(caller, thrown),
    );
  };

  #decide(caller: CallerFacts, answer: Caller | Challenge | undefined): Principal | Promise<Principal> {
    const { otherwise, id, challenge, requireNoPage } = this.#options;
    if (answer === undefined) {
      const found = otherwise(caller);
      if (!(found instanceof Promise)) return this.#accept(caller, found);
      return found.then((principal) => this.#accept(caller, principal));
    }
    let principal: Principal | undefined;
    let challenged: Challenge | undefined;
    try {
      if (isChallenge(answer)) challenged = answer;
      else principal = principalOfCaller(answer, id);
    } catch (thrown) {
      return this.#fail(caller, thrown);
    }
    if (!principal) {
      const { message = 'The credentials are not valid', challenge: header = challenge } = challenged ?? {};
      return this.#refuse(caller, new A2AError('unauthenticated', message), header);
    }
    // Browsers send cookies and certificates with the requests of any page.
    if (caller.certificate || caller.header('cookie') !== undefined) requireNoPage(caller);
    return this.#accept(caller, principal);
  }

  #accept(caller: CallerFacts, principal: Principal): Principal {
    if (!principal.anonymous) this.#options.accepted.add(caller, principal.id);
    return principal;
  }

  #refuse(caller: CallerFacts, error: A2AError, header: string): never {
    this.#options.accepted.delete(caller);
    return this.#options.refuse(caller, error, header);
  }

  #fail(caller: CallerFacts, thrown: unknown): never {
    if (isAnswer(thrown)) return this.#refuse(caller, thrown, thrown.challenge ?? this.#options.challenge);
    const { error, reason } = this.#runner.failed(thrown);
    this.#options.audit({ event: 'authentication.failed', reason, address: caller.remoteAddress });
    throw error;
  }
}

/** Maximum number of credentials. Beyond it, the least recently used credential is removed. */
const maxAccepted = 10_000;

/**
 * Credentials that were accepted, each with the network from which it was sent. They are exempt from limits that other
 * callers of the network have reached, but never from the hook's decision. A refusal ends the exemption, so that a
 * second factor cannot be guessed without limit. Headers of an anonymous caller are not credentials.
 */
export class AcceptedCredentials {
  /** Names of the headers that contain the gateway's own credentials, or those that hooks usually read. */
  readonly #headers: readonly string[];
  readonly apiKeyHeader: string;
  /** Ids of the principals, by hash. */
  readonly #principals = new Map<string, string>();

  /** @param apiKeyHeader the configured header for API keys */
  constructor(apiKeyHeader: string) {
    this.apiKeyHeader = apiKeyHeader;
    this.#headers = [...new Set(['authorization', 'x-api-key', 'cookie', apiKeyHeader.toLowerCase()])];
  }

  /**
   * Returns the principal as which the caller was accepted before with the credentials of this request. All credentials
   * of one principal, such as one key with different cookies, have one share of the limits.
   */
  find(caller: CallerFacts): string | undefined {
    const hash = this.#principals.size === 0 ? undefined : this.#hashOf(caller);
    return hash === undefined ? undefined : this.#principals.get(hash);
  }

  add(caller: CallerFacts, principal: string): void {
    const hash = this.#hashOf(caller);
    if (hash === undefined) return;
    // Moves the credential to the end.
    this.#principals.delete(hash);
    this.#principals.set(hash, principal);
    const [oldest] = this.#principals.size > maxAccepted ? this.#principals.keys() : [];
    if (oldest !== undefined) this.#principals.delete(oldest);
  }

  delete(caller: CallerFacts): void {
    const hash = this.#principals.size === 0 ? undefined : this.#hashOf(caller);
    if (hash !== undefined) this.#principals.delete(hash);
  }

  /** Hashes the caller's credentials and network. Undefined if the usual places contain no credential. */
  #hashOf(caller: CallerFacts): string | undefined {
    const shown = this.#headers.map((name) => caller.header(name) ?? '');
    shown.push(caller.certificate?.fingerprint ?? '');
    if (shown.every((value) => value === '')) return undefined;
    return hashOf(JSON.stringify([networkOf(caller.remoteAddress), ...shown]));
  }
}

/** Longest id, in characters. Tasks are stored by ids. */
const maxId = 256;
/** Largest attributes of a caller, in bytes of JSON. */
const maxAttributes = 8_192;

function hookRequest(facts: CallerFacts): AuthRequest {
  let headers: Readonly<Record<string, string>> | undefined;
  const { host, remoteAddress, encrypted, binding, path = '/' } = facts;
  return {
    header: (name) => facts.header(name.toLowerCase()),
    get headers() {
      headers ??= Object.freeze(
        Object.fromEntries(
          facts.headerNames().flatMap((name) => {
            const value = facts.header(name);
            return value === undefined ? [] : [[name, value]];
          }),
        ),
      );
      return headers;
    },
    host,
    remoteAddress,
    encrypted,
    get certificate() {
      return facts.certificate;
    },
    binding,
    path,
    get agent() {
      const named = binding === 'grpc' || binding === 'connect' || binding === 'grpc-web';
      return facts.agent ?? (named ? facts.header('a2a-agent') : undefined);
    },
  };
}

/** Whether an answer of `authenticate` is a challenge. Throws HookFailure if a header cannot contain it. */
function isChallenge(answer: Caller | Challenge): answer is Challenge {
  if (!isObject(answer) || !('challenge' in answer)) return false;
  const { challenge, message } = answer as Readonly<Record<keyof Challenge, unknown>>;
  if (typeof challenge !== 'string' || !/^[\x21-\x7e][\x20-\x7e]{0,1023}$/.test(challenge)) {
    throw new HookFailure('its challenge is not a valid value of WWW-Authenticate');
  }
  if (message !== undefined && typeof message !== 'string')
    throw new HookFailure('the message of its challenge is not a string');
  return true;
}

const known: ReadonlySet<string> = new Set(['id', 'agents', 'scopes', 'tenants', 'attributes', 'expires']);

/**
 * Creates the principal of a caller that a hook has recognised.
 *
 * @param hook the id of the hooks
 * @throws HookFailure for anything that is not a caller: a misspelt `scopes` would grant all
 * @throws A2AError `unauthenticated` for an expired caller
 */
function principalOfCaller(answer: unknown, hook: string): Principal {
  if (!isObject(answer)) {
    const what = answer === null ? 'null' : typeof answer;
    throw new HookFailure(`it returned ${what}, neither a caller with an id, a challenge, nor undefined`);
  }
  const unknown = Object.keys(answer).find((key) => !known.has(key));
  if (unknown !== undefined) {
    const keys = [...known].join(', ');
    throw new HookFailure(`it returned a caller with the unknown key ${JSON.stringify(unknown)}; known are ${keys}`);
  }
  const { id, attributes, expires } = answer;
  // Stores replace every lone surrogate with one character, so that several callers would share their tasks.
  const isId = typeof id === 'string' && id !== '' && id.length <= maxId && id.isWellFormed() && !/\p{Cc}/u.test(id);
  if (!isId) {
    throw new HookFailure(
      `it returned a caller whose id is not a well-formed string of 1 to ${maxId} characters without control characters`,
    );
  }
  const until = expires === undefined ? undefined : expires instanceof Date ? expires.getTime() : expires;
  if (until !== undefined && (typeof until !== 'number' || Number.isNaN(until))) {
    throw new HookFailure('it returned a caller whose expires is neither a date nor milliseconds since the epoch');
  }
  if (until !== undefined && until <= Date.now()) throw new A2AError('unauthenticated', 'The credential has expired');
  const grant = { agents: names(answer, 'agents'), scopes: names(answer, 'scopes'), tenants: names(answer, 'tenants') };
  return {
    ...principalOf(principalIds.own(id), grant),
    ...(attributes !== undefined && { attributes: jsonOf(attributes) }),
    ...(until !== undefined && Number.isFinite(until) && { until }),
    credential: { kind: 'hook', hook },
  };
}

function names(answer: JsonObject, key: string): readonly string[] | undefined {
  const value = answer[key];
  if (value === undefined) return undefined;
  if (Array.isArray(value) && value.every((each) => typeof each === 'string')) return value;
  throw new HookFailure(`it returned a caller whose ${key} is not a list of strings`);
}

/** Copies the attributes, so that neither the hook nor an agent can change them for others. */
function jsonOf(attributes: unknown): JsonObject {
  let text: string | undefined;
  try {
    text = isObject(attributes) ? JSON.stringify(attributes) : undefined;
  } catch {
    text = undefined;
  }
  if (text === undefined || !text.startsWith('{'))
    throw new HookFailure('it returned attributes that are not a JSON object');
  if (Buffer.byteLength(text) > maxAttributes) {
    throw new HookFailure(`it returned attributes of more than ${maxAttributes} bytes of JSON`);
  }
  return JSON.parse(text);
}
