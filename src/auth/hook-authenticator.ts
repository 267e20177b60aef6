import type { Authenticate, CallerFacts } from '../core/limits/admission.ts';
import { networkOf } from '../core/limits/network.ts';
import { A2AError } from '../core/model/errors.ts';
import type { Principal } from '../core/model/principal.ts';
import type { Audit } from '../core/ports/audit.ts';
import { type FailureLimiter, tooManyFailures } from './failure-limiter.ts';
import { hashOf } from './hash.ts';
import { hookRequest, isChallenge, principalOfCaller } from './hook-caller.ts';
import { HookRunner, isAnswer } from './hook-runner.ts';
import type { Caller, Challenge, ConfiguredHooks } from './hooks.ts';

export interface HookAuthenticatorOptions extends ConfiguredHooks {
  readonly failures: FailureLimiter;
  readonly audit: Audit;
  /** The built-in ways, for callers that the hook says nothing about. */
  readonly otherwise: Authenticate;
  /** Credentials that were accepted before. */
  readonly accepted: AcceptedCredentials;
  /** Refuses a caller: counts and audits a wrong credential. */
  readonly refuse: (caller: CallerFacts, thrown: A2AError, challenge: string) => never;
  /** Refuses requests that a page of another origin may have sent. */
  readonly requireNoPage: (caller: CallerFacts) => void;
  /** For a refusal that brings none. */
  readonly challenge: string;
}

/**
 * Authenticates callers by the hook, else by the built-in ways. Nobody is accepted without the hook's answer to this very
 * request. While a network has too many failures, the hook is asked only about credentials that were accepted from there
 * before.
 */
export function createHookAuthenticator(options: HookAuthenticatorOptions): Authenticate {
  const { hooks, timeout, id, failures, accepted, audit, logger, otherwise, refuse, requireNoPage, challenge } =
    options;
  const runner = new HookRunner({ name: 'authenticate', timeout, logger });

  const refused = (caller: CallerFacts, error: A2AError, header: string): never => {
    accepted.delete(caller);
    return refuse(caller, error, header);
  };
  const failed = (caller: CallerFacts, thrown: unknown): never => {
    if (isAnswer(thrown)) return refused(caller, thrown, thrown.challenge ?? challenge);
    const { error, reason } = runner.failed(thrown);
    audit({ event: 'authentication.failed', reason, address: caller.remoteAddress });
    throw error;
  };
  const accept =
    (caller: CallerFacts) =>
    (principal: Principal): Principal => {
      if (!principal.anonymous) accepted.add(caller, principal.id);
      return principal;
    };
  const decide = (caller: CallerFacts, answer: Caller | Challenge | undefined): Principal | Promise<Principal> => {
    if (answer === undefined) {
      const found = otherwise(caller);
      return found instanceof Promise ? found.then(accept(caller)) : accept(caller)(found);
    }
    let principal: Principal | undefined;
    let challenged: Challenge | undefined;
    try {
      if (isChallenge(answer)) challenged = answer;
      else principal = principalOfCaller(answer, id);
    } catch (thrown) {
      return failed(caller, thrown);
    }
    if (!principal) {
      const { message = 'The credentials are not valid', challenge: header = challenge } = challenged ?? {};
      return refused(caller, new A2AError('unauthenticated', message), header);
    }
    // Browsers send cookies and certificates with the requests of any page.
    if (caller.certificate || caller.header('cookie') !== undefined) requireNoPage(caller);
    return accept(caller)(principal);
  };
  return (caller) => {
    const wait = failures.wait(caller.remoteAddress);
    if (wait > 0 && accepted.find(caller) === undefined) throw tooManyFailures(wait);
    let answer: Caller | Challenge | undefined | Promise<Caller | Challenge | undefined>;
    try {
      const asker = { of: networkOf(caller.remoteAddress), accepted: () => accepted.find(caller) };
      answer = runner.ask(asker, (tools) => hooks.authenticate?.(hookRequest(caller), tools));
    } catch (thrown) {
      return failed(caller, thrown);
    }
    if (!(answer instanceof Promise)) return decide(caller, answer);
    return answer.then(
      (given) => decide(caller, given),
      (thrown) => failed(caller, thrown),
    );
  };
}

/** Credentials that are remembered. Beyond that, the one that was used least recently is forgotten. */
const maxAccepted = 10_000;

/**
 * Credentials that were accepted, each with the network from which it was. They exempt from limits that others of the
 * network have reached, and never from the hook's decision. A refusal ends it, so that nobody guesses a second factor
 * without limit. What an anonymous caller shows is no credential.
 */
export class AcceptedCredentials {
  /** Where the gateway's own credentials and those of usual hooks are. */
  readonly #headers: readonly string[];
  readonly apiKeyHeader: string;
  /** Ids of the principals, by hash. */
  readonly #principals = new Map<string, string>();

  /** @param apiKeyHeader the configured one */
  constructor(apiKeyHeader: string) {
    this.apiKeyHeader = apiKeyHeader;
    this.#headers = [...new Set(['authorization', 'x-api-key', 'cookie', apiKeyHeader.toLowerCase()])];
  }

  /**
   * The principal as which the caller was accepted before with what it shows now: all that one principal shows, such as the
   * same key with different cookies, is one share of the limits.
   */
  find(caller: CallerFacts): string | undefined {
    const hash = this.#principals.size === 0 ? undefined : this.#hashOf(caller);
    return hash === undefined ? undefined : this.#principals.get(hash);
  }

  add(caller: CallerFacts, principal: string): void {
    const hash = this.#hashOf(caller);
    if (hash === undefined) return;
    // To the end.
    this.#principals.delete(hash);
    this.#principals.set(hash, principal);
    const [oldest] = this.#principals.size > maxAccepted ? this.#principals.keys() : [];
    if (oldest !== undefined) this.#principals.delete(oldest);
  }

  delete(caller: CallerFacts): void {
    const hash = this.#principals.size === 0 ? undefined : this.#hashOf(caller);
    if (hash !== undefined) this.#principals.delete(hash);
  }

  /** Undefined where the caller shows nothing in the usual places. */
  #hashOf(caller: CallerFacts): string | undefined {
    const shown = this.#headers.map((name) => caller.header(name) ?? '');
    shown.push(caller.certificate?.fingerprint ?? '');
    if (shown.every((value) => value === '')) return undefined;
    return hashOf(JSON.stringify([networkOf(caller.remoteAddress), ...shown]));
  }
}
