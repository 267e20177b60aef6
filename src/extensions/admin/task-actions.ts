import { api, type Part, type Struct } from '../../core/model/a2a.ts';
import type { Agent } from '../../core/model/agent.ts';
import { type Call, type CallContext, type Invoke, ownDialect } from '../../core/model/call.ts';
import { A2AError } from '../../core/model/errors.ts';
import { newId } from '../../core/model/ids.ts';
import type { TaskOverview } from '../../core/ports/admin-store.ts';
import { traceOf } from '../../core/telemetry/trace-context.ts';
import { parseAs } from '../../wire/validate.ts';
import { fault } from './requests.ts';
import type { AdminHandlers, AuditedFacts } from './service.ts';
import { detailsOf, keepsItsTasks, type TaskHandlersDeps } from './tasks.ts';

export interface TaskActionsDeps extends Pick<TaskHandlersDeps, 'store' | 'agents' | 'limits' | 'traces'> {
  /** The core service, which refuses what the task's owner may not do either. */
  readonly invoke: Invoke;
  /** Removes the gateway's own metadata, which callers cannot set. */
  readonly strip: (part: Part) => Part;
  /** The id that all anonymous callers share. */
  readonly anonymous: string;
}

/** The type of a part. */
export const partType = 'lf.a2a.v1.Part';

/** What acts on a task of any caller, on behalf of the caller. */
function onTasks({ store, agents, anonymous }: TaskActionsDeps) {
  /** The task, and its agent. Throws an A2AError where nothing can be done with it. */
  async function taskOf(key: string, facts: AuditedFacts): Promise<{ task: TaskOverview; agent: Agent }> {
    const task = await store.overviewOf(key);
    if (!task) throw A2AError.taskNotFound(key);
    facts.agent = task.agent;
    facts.owner = task.principal;
    const agent = agents.get(task.agent);
    if (!agent) {
      const message = `The agent ${task.agent} is no longer configured; its tasks can only be read`;
      throw new A2AError('unsupportedOperation', message);
    }
    if (agent.invoke) throw keepsItsTasks(task.agent);
    return { task, agent };
  }

  /** The context of a call of the task's owner. */
  const onBehalf = (task: TaskOverview, agent: Agent, context: CallContext): CallContext => ({
    requestId: context.requestId,
    agent: task.agent,
    tenant: task.tenant,
    principal: { id: task.principal, anonymous: task.principal === anonymous, byId: true },
    // The dialect in which the owner used the task last stays as it is.
    dialect: ownDialect,
    semantics: {},
    // The owner has declared them before.
    extensions: (agent.card.capabilities.extensions ?? []).flatMap(({ uri, required }) => (required && uri) || []),
    signal: context.signal,
    hops: context.hops,
    notes: { extensions: new Set(), losses: new Set() },
    ...traceOf(context),
    ...(context.deadline !== undefined && { deadline: context.deadline }),
  });

  return { taskOf, onBehalf };
}

/** Sends a message to a task of any caller. */
export function taskSender(deps: TaskActionsDeps) {
  const { invoke, strip } = deps;
  const { taskOf, onBehalf } = onTasks(deps);
  return async (
    { key, parts }: { readonly key: string; readonly parts: readonly object[] },
    context: CallContext,
    facts: AuditedFacts,
    { metadata, generation }: { readonly metadata?: Struct; readonly generation?: string } = {},
  ): Promise<void> => {
    if (parts.length === 0) throw fault('parts', 'must have at least one part');
    const content = parts.map((part, i) => strip(parseAs(api, partType, part, `parts[${i}]`)));
    const { task, agent } = await taskOf(key, facts);
    const ids = { taskId: task.id, contextId: task.contextId };
    const message = { messageId: newId(), role: 'ROLE_USER', parts: content, ...ids, ...(metadata && { metadata }) };
    const condition = generation !== undefined && { ifGenerationMatch: generation };
    const request = { message, configuration: { returnImmediately: true, ...condition } };
    await invoke({ operation: 'SendMessage', request, context: onBehalf(task, agent, context) } as Call);
  };
}

/** The operations that act on a task of any caller, on behalf of the caller. */
export function taskActions(deps: TaskActionsDeps): AdminHandlers<'StopTask' | 'AnswerTask'> {
  const { invoke } = deps;
  const { taskOf, onBehalf } = onTasks(deps);
  const send = taskSender(deps);
  return {
    async StopTask({ key }, context, facts) {
      const { task, agent } = await taskOf(key, facts);
      const request = { id: task.id };
      await invoke({ operation: 'CancelTask', request, context: onBehalf(task, agent, context) } as Call);
      return { value: await detailsOf(deps, key, context) };
    },

    async AnswerTask(request, context, facts) {
      await send(request, context, facts);
      return { value: await detailsOf(deps, request.key, context) };
    },
  };
}
