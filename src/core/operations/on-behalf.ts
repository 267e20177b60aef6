import type { Message, Part, SendMessageResponse, Struct } from '../model/a2a.ts';
import type { Agent } from '../model/agent.ts';
import {
  type Call,
  type CallContext,
  type Invoke,
  isStream,
  ownDialect,
  type Reply,
  type Requester,
} from '../model/call.ts';
import { A2AError } from '../model/errors.ts';
import { newId } from '../model/ids.ts';
import type { Principal } from '../model/principal.ts';
import { type AnswerFacts, type AskingTask, answerKey } from '../model/question.ts';
import type { AgentDirectory } from '../ports/agent-directory.ts';
import type { TaskStore } from '../ports/task-store.ts';
import { readAnswerer, readQuestion } from '../tasks/open-question.ts';
import { traceOf } from '../telemetry/trace-context.ts';

export interface OnBehalfDeps {
  readonly store: Pick<TaskStore, 'events' | 'latestTurn'>;
  readonly agents: Pick<AgentDirectory, 'get'>;
  /** The core service, which refuses calls that the task's owner may not make. */
  readonly invoke: Invoke;
  /** The id that all anonymous callers share. */
  readonly anonymous: string;
}

/** Reason for which the gateway acts for a task's owner: a call of another caller, or an occasion of its own. */
export type Cause = Pick<CallContext, 'requestId' | 'signal' | 'hops' | 'traceparent' | 'tracestate'> &
  Pick<CallContext, 'deadline'> &
  Requester;

export interface AnswerOnBehalf {
  readonly parts: readonly Part[];
  readonly facts: AnswerFacts;
  /** Generation of the question. Default: the open one. */
  readonly generation?: string | undefined;
}

/** The error for a task of an agent that keeps its tasks itself: the gateway has nothing to read or change. */
export const keepsItsTasks = (agent: string): A2AError =>
  new A2AError('unsupportedOperation', `The gateway keeps no tasks of the agent ${agent} (keep: none); ask the agent`);

/** The error for an answer to a question that is not open. It names the caller who answered first. */
export async function answeredAlready(
  store: OnBehalfDeps['store'],
  task: { readonly key: string; readonly seq: number },
  cause: Cause,
): Promise<A2AError> {
  const answerer = await readAnswerer(store, task, cause);
  // No message has arrived since the one that opened the task.
  if (!answerer && (await store.latestTurn(task.key)) <= 1) {
    return new A2AError('unsupportedOperation', 'The task asks nothing');
  }
  const by = answerer?.by ?? 'the caller who owns the task';
  return new A2AError('taskGenerationMismatch', `The question was answered already, by ${by}`, { metadata: { by } });
}

/** The owner of a task, with the rights that it has now. */
export const ownerOfTask = ({ principal: id }: AskingTask, anonymous: string): Principal => ({
  id,
  anonymous: id === anonymous,
  byId: true,
});

/** The context of a call as the owner of a task. */
const contextFor = (task: AskingTask, { card }: Agent, cause: Cause, anonymous: string): CallContext => ({
  requestId: cause.requestId,
  signal: cause.signal,
  hops: cause.hops,
  agent: task.agent,
  tenant: task.tenant,
  principal: ownerOfTask(task, anonymous),
  // The dialect of the owner's last use stays unchanged.
  dialect: ownDialect,
  semantics: {},
  // The owner declared these extensions when the task was opened.
  extensions: (card.capabilities.extensions ?? []).flatMap(({ uri, required }) => (required && uri) || []),
  notes: { extensions: new Set(), losses: new Set() },
  ...traceOf(cause),
  ...(cause.deadline !== undefined && { deadline: cause.deadline }),
});

/** Returns operations on tasks of any caller, on behalf of that caller. Each rejects with an A2AError. */
export function onBehalfOfOwners({ store, agents, invoke, anonymous }: OnBehalfDeps) {
  const agentOf = ({ agent: name }: AskingTask): Agent => {
    const agent = agents.get(name);
    if (!agent) {
      const message = `The agent ${name} is no longer configured; its tasks can only be read`;
      throw new A2AError('unsupportedOperation', message);
    }
    if (agent.invoke) throw keepsItsTasks(name);
    return agent;
  };

  const call = async (
    task: AskingTask,
    operation: string,
    request: object,
    cause: Cause,
    once?: Pick<CallContext, 'idempotencyKey' | 'semantics'>,
  ): Promise<Reply> => {
    const context = { ...contextFor(task, agentOf(task), cause, anonymous), ...once };
    return invoke({ operation, request, context } as Call);
  };

  /** Sends a message, and does not wait for the agent. */
  const send = async (
    task: AskingTask,
    parts: readonly Part[],
    cause: Cause,
    { metadata, generation }: { readonly metadata?: Struct; readonly generation?: string } = {},
  ): Promise<void> => {
    const ids = { taskId: task.id, contextId: task.contextId };
    const message = { messageId: newId(), role: 'ROLE_USER', parts, ...ids, ...(metadata && { metadata }) };
    const condition = generation !== undefined && { ifGenerationMatch: generation };
    const request = { message, configuration: { returnImmediately: true, ...condition } };
    await call(task, 'SendMessage', request, cause);
  };

  return {
    send,
    async cancel(task: AskingTask, cause: Cause): Promise<void> {
      await call(task, 'CancelTask', { id: task.id }, cause);
    },

    /** Returns the agent of a task. Throws `unsupportedOperation` if it is no longer configured, or keeps its tasks itself. */
    agentOf,

    /**
     * Opens a task with a message, in the conversation of another task of the same owner. Does not wait for the agent. A call with the
     * same key finds the task that the first one has opened. Resolves with its id; undefined: the agent has answered without a task.
     */
    async open(
      task: AskingTask,
      message: Omit<Message, 'role' | 'contextId' | 'taskId'>,
      { key, metadata }: { readonly key: string; readonly metadata: Struct },
      cause: Cause,
    ): Promise<string | undefined> {
      const sent = { ...message, role: 'ROLE_USER', contextId: task.contextId };
      const request = { message: sent, configuration: { returnImmediately: true } };
      const once = { idempotencyKey: key, semantics: { taskMetadata: metadata } };
      const reply = await call(task, 'SendMessage', request, cause, once);
      return isStream(reply) ? undefined : (reply.value as SendMessageResponse).task?.id;
    },

    /** Answers a question, once. Rejects with `taskGenerationMismatch`, which names the caller who answered first. */
    async answer(task: AskingTask & { seq: number }, { parts, facts, generation }: AnswerOnBehalf, cause: Cause) {
      const question = await readQuestion(store, task, cause);
      if (!question || (generation && generation !== String(question.generation)))
        throw await answeredAlready(store, task, cause);
      const condition = { generation: String(question.generation), metadata: { [answerKey]: { ...facts } } };
      await send(task, parts, cause, condition).catch(async (thrown: unknown) => {
        throw A2AError.from(thrown).kind === 'taskGenerationMismatch'
          ? await answeredAlready(store, task, cause)
          : thrown;
      });
    },
  };
}
