import { type Call, ownerOf } from '../../core/model/call.ts';
import { calledSkill } from '../../core/model/called-skill.ts';
import { A2AError } from '../../core/model/errors.ts';
import { isObject, type JsonObject } from '../../core/model/json.ts';
import type { Principal } from '../../core/model/principal.ts';
import type { AgentDirectory } from '../../core/ports/agent-directory.ts';
import type { Audit } from '../../core/ports/audit.ts';
import { HookFailure, HookRunner, isAnswer } from './hook-runner.ts';
import type { AuthorizationRequest, ConfiguredHooks, Decision } from './hooks.ts';

/**
 * Asks the hook about one call. Throws or rejects with A2AError `permissionDenied`, or `unavailable` if the hook fails.
 */
export type AuthorizeHook = (call: Call, principal: Principal) => Promise<void> | undefined;

export interface AuthorizeHookOptions extends ConfiguredHooks {
  readonly audit: Audit;
  readonly agents: Pick<AgentDirectory, 'get'>;
}

/**
 * Creates the function that asks the hook about each call and writes its decision to the audit log. Undefined without a
 * hook.
 */
export function createAuthorizeHook(options: AuthorizeHookOptions): AuthorizeHook | undefined {
  const { hooks, timeout, logger, audit, agents } = options;
  if (!hooks.authorize) return undefined;
  const runner = new HookRunner({ name: 'authorize', timeout, logger });
  const ask = (call: Call, principal: Principal, skill: string | undefined): Promise<void> | undefined => {
    const decision = new CallDecision({ call, principal, skill, runner, audit });
    try {
      const of = principal.limitedAs ?? principal.id;
      const question = questionOf(call, principal, skill);
      const answer = runner.ask<unknown>({ of, accepted: () => of }, (tools) => hooks.authorize?.(question, tools));
      if (!(answer instanceof Promise)) return decision.judge(answer);
      return answer.then((given) => decision.judge(given)).catch((thrown: unknown) => decision.refuse(thrown));
    } catch (thrown) {
      return decision.refuse(thrown);
    }
  };
  return (call, principal) => {
    const skill = calledSkill(call, agents.get(call.context.agent));
    return skill instanceof Promise ? skill.then((found) => ask(call, principal, found)) : ask(call, principal, skill);
  };
}

function questionOf(call: Call, principal: Principal, skill: string | undefined): AuthorizationRequest {
  const { operation, request, context } = call;
  return {
    principal,
    operation,
    agent: context.agent,
    skill,
    tenant: ownerOf(call).tenant,
    request: request as JsonObject,
  };
}

interface AskedCall {
  readonly call: Call;
  readonly principal: Principal;
  readonly skill: string | undefined;
  readonly runner: HookRunner;
  readonly audit: Audit;
}

/** The decision about one call, which is written to the audit log. */
class CallDecision {
  readonly #asked: AskedCall;

  constructor(asked: AskedCall) {
    this.#asked = asked;
  }

  /** Accepts the hook's answer if it allows the call. Throws Denied, or HookFailure if the answer is not a decision. */
  judge(answer: unknown): undefined {
    const { allowed, reason } = decisionOf(answer);
    if (!allowed) throw new Denied(reason);
    this.#asked.audit({ event: 'authorization.allowed', ...(reason !== undefined && { reason }), ...this.#facts() });
  }

  /** Refuses the call. Throws the A2AError for the caller. */
  refuse(thrown: unknown): never {
    if (!(thrown instanceof Denied)) return this.#fail(thrown);
    this.#asked.audit({ event: 'authorization.denied', reason: thrown.reason, ...this.#facts() });
    const { operation, context } = this.#asked.call;
    throw new A2AError('permissionDenied', `The caller may not do this: ${operation} of the agent ${context.agent}`);
  }

  #fail(thrown: unknown): never {
    const { runner, audit } = this.#asked;
    const answer = isAnswer(thrown) ? { error: thrown, reason: 'The authorize hook refused' } : runner.failed(thrown);
    audit({ event: 'authorization.denied', reason: answer.reason, ...this.#facts() });
    throw answer.error;
  }

  #facts() {
    const { call, principal, skill } = this.#asked;
    const { operation, context } = call;
    return {
      principal: principal.id,
      agent: context.agent,
      operation,
      ...(skill !== undefined && { skill }),
      request: context.requestId,
    };
  }
}

/** Thrown if the hook denied the call. */
class Denied {
  readonly reason: string;

  constructor(reason = 'The authorize hook denied the call') {
    this.reason = reason;
  }
}

/** Longest reason in the audit log, in characters. */
const maxReason = 500;

/** Reads the hook's answer. Throws HookFailure if it is not a decision. */
function decisionOf(answer: unknown): Decision {
  if (typeof answer === 'boolean') return { allowed: answer };
  if (isObject(answer) && typeof answer.allowed === 'boolean') {
    const { allowed, reason } = answer;
    if (reason === undefined) return { allowed };
    if (typeof reason === 'string') return { allowed, reason: reason.slice(0, maxReason) };
  }
  throw new HookFailure('it returned neither true, false nor { allowed, reason }');
}
