import type { Message } from '../../core/model/a2a.ts';
import { type AgentDescription, type ToolsParams, toolsExtension } from '../../core/model/agent.ts';
import { type Call, ownerOf } from '../../core/model/call.ts';
import { A2AError } from '../../core/model/errors.ts';
import { isObject, type JsonObject } from '../../core/model/json.ts';
import type { Principal } from '../../core/model/principal.ts';
import type { Audit } from '../../core/ports/audit.ts';
import { HookFailure, HookRunner, isAnswer } from './hook-runner.ts';
import type { AuthorizationRequest, ConfiguredHooks, Decision } from './hooks.ts';

/** Asks about one call. Throws or rejects with A2AError `permissionDenied`, or `unavailable` when the hook fails. */
export type AuthorizeHook = (call: Call, principal: Principal) => Promise<void> | undefined;

export interface AuthorizeHookOptions extends ConfiguredHooks {
  readonly audit: Audit;
  readonly cardOf: (agent: string) => AgentDescription | undefined;
}

/** Makes the question of each call for the hook, and its answer an entry of the audit log. Undefined without a hook. */
export function createAuthorizeHook({
  hooks,
  timeout,
  logger,
  audit,
  cardOf,
}: AuthorizeHookOptions): AuthorizeHook | undefined {
  if (!hooks.authorize) return undefined;
  const runner = new HookRunner({ name: 'authorize', timeout, logger });
  return (call, principal) => {
    const { operation, request, context } = call;
    const { agent, requestId } = context;
    const skill = skillOf(request, cardOf(agent));
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
      ...{ principal, operation, agent, skill },
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

/**
 * The id of the skill that a request's message names: the tool in its first data part, as agents that call tools find it,
 * whatever else the message claims; else the `skillId` in its metadata.
 */
export function skillOf(request: object, card: AgentDescription | undefined): string | undefined {
  const { message } = request as { readonly message?: Message };
  if (!message) return undefined;
  const { params } = card?.capabilities.extensions?.find(({ uri }) => uri === toolsExtension) ?? {};
  const tool = toolIn(message, (params as ToolsParams | undefined)?.tools ?? []);
  if (tool !== undefined) return tool;
  const skill = isObject(message.metadata) ? message.metadata.skillId : undefined;
  return typeof skill === 'string' ? skill : undefined;
}

/** Tools are found in any spelling, with the server's id before the name or beside it. */
function toolIn({ parts }: Message, tools: ToolsParams['tools']): string | undefined {
  const data = parts.find((part) => part.data !== undefined)?.data;
  if (!isObject(data) || typeof data.tool_name !== 'string') return undefined;
  const { target_mcp_server_id: server, tool_name: name } = data;
  const known = tools.filter((tool) => typeof server !== 'string' || tool.server === server);
  const exact = known.find((tool) => tool.name === name || tool.skill === name);
  const similar = exact ?? known.find((tool) => [tool.name, tool.skill].some((each) => spelt(each) === spelt(name)));
  return similar?.skill ?? (typeof server === 'string' ? `${server}.${name}` : name);
}

const spelt = (name: string): string => name.toLowerCase().replaceAll(/[_.\s-]/g, '');
