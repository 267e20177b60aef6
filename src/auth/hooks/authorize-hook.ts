import { type Call, ownerOf } from '../../core/model/call.ts';
import { calledSkill } from '../../core/model/called-skill.ts';
import { A2AError } from '../../core/model/errors.ts';
import { isObject, type JsonObject } from '../../core/model/json.ts';
import type { Principal } from '../../core/model/principal.ts';
import type { AgentDirectory } from '../../core/ports/agent-directory.ts';
import type { Audit } from '../../core/ports/audit.ts';
import { HookFailure, HookRunner, isAnswer } from './hook-runner.ts';
import type { AuthorizationRequest, ConfiguredHooks, Decision } from './hooks.ts';

/** Asks about one call. Throws or rejects with A2AError `permissionDenied`, or `unavailable` when the hook fails. */
export type AuthorizeHook = (call: Call, principal: Principal) => Promise<void> | undefined;

export interface AuthorizeHookOptions extends ConfiguredHooks {
  readonly audit: Audit;
  readonly agents: Pick<AgentDirectory, 'get'>;
}

/** Makes the question of each call for the hook, and its answer an entry of the audit log. Undefined without a hook. */
export function createAuthorizeHook({
  hooks,
  timeout,
  logger,
  audit,
  agents,
}: AuthorizeHookOptions): AuthorizeHook | undefined {
  if (!hooks.authorize) return undefined;
  const runner = new HookRunner({ name: 'authorize', timeout, logger });
  const ask = (call: Call, principal: Principal, skill: string | undefined): Promise<void> | undefined => {
    const { operation, request, context } = call;
    const { agent, requestId } = context;
    const facts = {
      principal: principal.id,
      agent,
      operation,
      ...(skill !== undefined && { skill }),
      request: requestId,
    };
    const failed = (thrown: unknown): never => {
      const answer = isAnswer(thrown) ? { error: thrown, reason: 'The authorize hook refused' } : runner.failed(thrown);
      audit({ event: 'authorization.denied', reason: answer.reason, ...facts });
      throw answer.error;
    };
    const judge = (answer: unknown): undefined => {
      const { allowed, reason } = decisionOf(answer);
      if (!allowed) throw new Denied(reason);
      audit({ event: 'authorization.allowed', ...(reason !== undefined && { reason }), ...facts });
    };
    const refused = (thrown: unknown): never => {
      if (!(thrown instanceof Denied)) return failed(thrown);
      audit({ event: 'authorization.denied', reason: thrown.reason, ...facts });
      throw new A2AError('permissionDenied', `The caller may not do this: ${operation} of the agent ${agent}`);
    };
    const question: AuthorizationRequest = {
      principal,
      operation,
      agent,
      skill,
      tenant: ownerOf(call).tenant,
      request: request as JsonObject,
    };
    try {
      const of = principal.limitedAs ?? principal.id;
      const answer = runner.ask<unknown>({ of, accepted: () => of }, (tools) => hooks.authorize?.(question, tools));
      if (answer instanceof Promise) return answer.then(judge).catch(refused);
      return judge(answer);
    } catch (thrown) {
      return refused(thrown);
    }
  };
  return (call, principal) => {
    const skill = calledSkill(call, agents.get(call.context.agent));
    return skill instanceof Promise ? skill.then((found) => ask(call, principal, found)) : ask(call, principal, skill);
  };
}

/** The hook said no. */
class Denied {
  readonly reason: string;

  constructor(reason = 'The authorize hook denied the call') {
    this.reason = reason;
  }
}

/** Characters of a reason in the audit log. */
const maxReason = 500;

/** @throws HookFailure for anything that is no decision */
function decisionOf(answer: unknown): Decision {
  if (typeof answer === 'boolean') return { allowed: answer };
  if (isObject(answer) && typeof answer.allowed === 'boolean') {
    const { allowed, reason } = answer;
    if (reason === undefined) return { allowed };
    if (typeof reason === 'string') return { allowed, reason: reason.slice(0, maxReason) };
  }
  throw new HookFailure('it returned neither true, false nor { allowed, reason }');
}
