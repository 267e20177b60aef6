import type { Authenticate, CallerFacts } from '../core/limits/admission.ts';
import { A2AError } from '../core/model/errors.ts';
import type { Principal } from '../core/model/principal.ts';
import type { Audit } from '../core/ports/audit.ts';
import type { FailureLimiter } from './failure-limiter.ts';
import { hashOf } from './hash.ts';
import { HookRequest, isChallenge, principalOfCaller } from './hook-caller.ts';
import { HookRunner, isAnswer } from './hook-runner.ts';
import type { Caller, Challenge, ConfiguredHooks } from './hooks.ts';

export interface HookAuthenticatorOptions extends ConfiguredHooks {
  readonly failures: FailureLimiter;
  readonly audit: Audit;
  /** The built-in ways, for callers that the hook says nothing about. */
  readonly otherwise: Authenticate;
  /** The caller of a credential that a built-in way has verified before, for networks with too many failures. */
  readonly known: (caller: CallerFacts) => Principal | undefined;
  /** Refuses a caller: counts and audits a wrong credential. */
  readonly refuse: (caller: CallerFacts, thrown: A2AError, challenge: string) => never;
  /** Refuses requests that a page of another origin may have sent. */
  readonly requireNoPage: (caller: CallerFacts) => void;
  /** For a refusal that brings none. */
  readonly challenge: string;
}

/** Accepted credentials that are remembered, so that they are accepted from networks with too many failures too. */
const maxAccepted = 10_000;

/** Authenticates callers by the hook, else by the built-in ways. */
export function createHookAuthenticator(options: HookAuthenticatorOptions): Authenticate {
  const { hooks, timeout, id, failures, audit, logger, otherwise, known, refuse, requireNoPage, challenge } = options;
  const runner = new HookRunner({ name: 'authenticate', timeout, logger });
  const accepted = new Set<string>();

  const failed = (caller: CallerFacts, thrown: unknown): never => {
    if (isAnswer(thrown)) return refuse(caller, thrown, thrown.challenge ?? challenge);
    const { error, reason } = runner.failed(thrown);
    audit({ event: 'authentication.failed', reason, address: caller.remoteAddress });
    throw error;
  };
  const decide = (caller: CallerFacts, answer: Caller | Challenge | undefined): Principal | Promise<Principal> => {
    if (answer === undefined) return otherwise(caller);
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
      return refuse(caller, new A2AError('unauthenticated', message), header);
    }
    // Browsers send cookies and certificates with the requests of any page.
    if (caller.certificate || caller.header('cookie') !== undefined) requireNoPage(caller);
    remember(accepted, caller);
    return principal;
  };
  return (caller) => {
    const wait = failures.wait(caller.remoteAddress);
    if (wait > 0 && !isAccepted(accepted, caller)) {
      const verified = known(caller);
      if (verified) return verified;
      throw new A2AError('tooManyRequests', 'Too many wrong credentials', { retryAfter: wait });
    }
    let answer: Caller | Challenge | undefined | Promise<Caller | Challenge | undefined>;
    try {
      answer = runner.ask((tools) => hooks.authenticate?.(new HookRequest(caller), tools));
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

/** Hash of what a caller shows in the usual places; undefined where it shows nothing there. */
function shown(caller: CallerFacts): string | undefined {
  const values = ['authorization', 'x-api-key', 'cookie'].map((name) => caller.header(name) ?? '');
  values.push(caller.certificate?.fingerprint ?? '');
  return values.every((value) => value === '') ? undefined : hashOf(values.join('\n'));
}

function remember(accepted: Set<string>, caller: CallerFacts): void {
  const hash = shown(caller);
  if (hash === undefined) return;
  // To the end: the one that was used least recently is the first.
  accepted.delete(hash);
  accepted.add(hash);
  const [oldest] = accepted.size > maxAccepted ? accepted : [];
  if (oldest !== undefined) accepted.delete(oldest);
}

function isAccepted(accepted: ReadonlySet<string>, caller: CallerFacts): boolean {
  const hash = accepted.size === 0 ? undefined : shown(caller);
  return hash !== undefined && accepted.has(hash);
}
