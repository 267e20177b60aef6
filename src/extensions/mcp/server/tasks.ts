import {
  type CallToolResult,
  CLIENT_CAPABILITIES_META_KEY,
  type InputRequests,
  MissingRequiredClientCapabilityError,
  ProtocolError,
  ProtocolErrorCode,
  type Server,
  type ServerContext,
} from '@modelcontextprotocol/server';
import * as z from 'zod';
import type { OperationName, Task } from '../../../core/model/a2a.ts';
import { openAskOf } from '../../../core/model/ask.ts';
import type { TaskFacts } from '../../../core/model/call.ts';
import { A2AError } from '../../../core/model/errors.ts';
import { isObject, type JsonObject } from '../../../core/model/json.ts';
import { isResting } from '../../../core/model/lifecycle.ts';
import { questionOf } from '../../../core/model/question.ts';
import { createJoiner } from '../../../core/model/text.ts';
import { tasksExtension } from '../tasks-extension.ts';
import { answerTo, type CallStates } from './asking.ts';
import { resultOfCall } from './builtin-tools.ts';
import type { Offer } from './catalog.ts';
import { type ExposedAgent, type InvokeContext, unaryReply } from './exposed-agent.ts';
import { describePart } from './progress.ts';
import { callsTools, protocolErrorIn } from './proxied-tools.ts';
import { answerPartsOf, type Elicitation, elicitationOf, inputRequestsOf } from './questions.ts';
import { errorText, type FollowUpTools } from './results.ts';

// MCP's tasks extension (SEP-2663) for clients of MCP 2026-07-28. The task of an agent is the MCP task of the call that
// began it. Every response is read from the agent, so any connection and replica can give it.

/** A2A operations that serve the methods of the extension. */
export const taskOperations: ReadonlyMap<string | undefined, OperationName> = new Map([
  ['tasks/get', 'GetTask'],
  ['tasks/update', 'SendMessage'],
  ['tasks/cancel', 'CancelTask'],
]);

/** Default milliseconds that a call waits for its result if its client supports tasks. */
export const waitBeforeTask = 500;

/** Recommended milliseconds between two polls by the client. */
const pollIntervalMs = 1_000;
/** Maximum characters of a task's status message. */
const longestMessage = 2_000;

/**
 * `tasks`: milliseconds after which the gateway deletes a task at rest. Undefined if not known. Read for every
 * response.
 */
export type TaskRetention = { readonly tasks: number } | undefined;

/** The members of a task that every response contains. */
interface McpTask {
  readonly taskId: string;
  readonly status: 'working' | 'input_required' | 'completed' | 'failed' | 'cancelled';
  readonly statusMessage?: string;
  readonly createdAt: string;
  readonly lastUpdatedAt: string;
  readonly ttlMs: number | null;
  readonly pollIntervalMs: number;
}

/** The members of a `tasks/get` response that depend on the task's status. */
interface TaskOutcome {
  readonly status: McpTask['status'];
  readonly inputRequests?: InputRequests;
  readonly result?: CallToolResult;
  readonly error?: { readonly code: number; readonly message: string };
}

/** Returns the capabilities of a request's client. Each request states them. */
const capabilitiesOf = ({ mcpReq: { envelope } }: ServerContext): JsonObject =>
  envelope?.[CLIENT_CAPABILITIES_META_KEY as keyof typeof envelope] ?? {};

const includesTasks = (capabilities: unknown): boolean =>
  isObject(capabilities) && isObject(capabilities.extensions) && capabilities.extensions[tasksExtension] !== undefined;

export const takesTasks = (context: ServerContext): boolean => includesTasks(capabilitiesOf(context));

/** Returns the kinds of questions that a request's client supports. */
export const asksOf = (context: ServerContext): Elicitation => elicitationOf(capabilitiesOf(context));

/** Returns the error for a client that does not support tasks. */
export const needsTasks = (): ProtocolError =>
  new MissingRequiredClientCapabilityError({ requiredCapabilities: { extensions: { [tasksExtension]: {} } } });

/**
 * Returns the error for a request to report tasks (`subscriptions/listen`) from a client that does not support them. To
 * all others, the SDK confirms that no tasks are reported, so these clients poll.
 */
export function listenFault({ notifications, _meta }: JsonObject = {}): ProtocolError | undefined {
  const namesTasks = isObject(notifications) && notifications.taskIds !== undefined;
  return namesTasks && !includesTasks(isObject(_meta) && _meta[CLIENT_CAPABILITIES_META_KEY])
    ? needsTasks()
    : undefined;
}

const unknownTask = (id: string): ProtocolError =>
  new ProtocolError(ProtocolErrorCode.InvalidParams, `Unknown task: ${id.slice(0, 256)}`);

/** Returns the id of a task for clients. If calls name the agent, the id includes the agent's name. */
const idFor = ({ name }: ExposedAgent, id: string, { namesAgent }: FollowUpTools): string =>
  namesAgent ? `${name}/${id}` : id;

/**
 * Returns the agent of a task, and the task's id at the agent.
 *
 * @throws ProtocolError if the caller may call no such agent
 */
function locate(id: string, { agents, scope }: Offer): { readonly agent: ExposedAgent; readonly id: string } {
  const length = scope === 'many' ? id.indexOf('/') : -1;
  const agent = scope === 'many' ? agents.find(({ name }) => name === id.slice(0, length)) : agents[0];
  if (!agent) throw unknownTask(id);
  return { agent, id: id.slice(length + 1) };
}

export interface TaskContext extends InvokeContext {
  readonly next: FollowUpTools;
  readonly asks: Elicitation;
}

interface ReadTask {
  readonly task: Task;
  /** Absent for a task that the gateway does not keep. */
  readonly facts: TaskFacts | undefined;
}

async function readTask(agent: ExposedAgent, id: string, context: InvokeContext): Promise<ReadTask> {
  // The first message of a task shows whether a tool or the agent was called.
  const request = { id, ...(!callsTools(agent.card) && { historyLength: 1 }) };
  const { value, facts } = unaryReply<Task>(await agent.invoke('GetTask', request, context));
  return { task: value, facts: facts?.generation ? facts : undefined };
}

/**
 * Returns the suffix of the keys of a question's requests. A key must not stand for two requests of a task (SEP-2663).
 * A question that is repeated in part keeps its key.
 */
function markOf(task: Task): string {
  const { message, timestamp } = task.status;
  return `-${questionOf(task)?.round ?? (message?.messageId || timestamp)}`;
}

/**
 * Returns the outcome of the call that began a task. A result that reports a failed call is a result. A question that
 * the client does not support ends the call as it does without tasks.
 */
function outcomeOf(task: Task, agent: ExposedAgent, { next, asks }: TaskContext): TaskOutcome {
  const { state } = task.status;
  if (state === 'TASK_STATE_CANCELED') return { status: 'cancelled' };
  if (!isResting(state) || openAskOf(task)) return { status: 'working' };
  const requests = inputRequestsOf(task, asks);
  if (requests) {
    const marked = Object.entries(requests).map(([name, request]) => [name + markOf(task), request]);
    return { status: 'input_required', inputRequests: Object.fromEntries(marked) };
  }
  const error = callsTools(agent.card) ? protocolErrorIn(task) : undefined;
  if (error) return { status: 'failed', error };
  return { status: 'completed', result: resultOfCall(task, agent, next) };
}

/** Returns a task as a response to its client (SEP-2663: `DetailedTask`). */
function detailsOf(
  { task, facts }: ReadTask,
  agent: ExposedAgent,
  context: TaskContext,
  retention: TaskRetention,
): McpTask & TaskOutcome {
  const { status, id } = task;
  const outcome = outcomeOf(task, agent, context);
  const joiner = createJoiner(describePart);
  const text = outcome.error?.message ?? (status.message?.parts ?? []).map((part) => joiner.push(part)).join('');
  const changed = facts?.updatedAt ?? Date.parse(status.timestamp ?? '');
  const updatedAt = Number.isNaN(changed) ? Date.now() : changed;
  const createdAt = facts?.createdAt ?? updatedAt;
  // Tasks that are still working are not deleted.
  const kept = facts && isResting(status.state) ? retention?.tasks : undefined;
  return {
    taskId: idFor(agent, id, context.next),
    createdAt: new Date(createdAt).toISOString(),
    lastUpdatedAt: new Date(updatedAt).toISOString(),
    ttlMs: kept !== undefined && Number.isFinite(kept) ? updatedAt - createdAt + kept : null,
    pollIntervalMs,
    ...(text !== '' && { statusMessage: text.slice(0, longestMessage) }),
    ...outcome,
  };
}

/**
 * Returns the result of a call whose work continues when the client is answered (SEP-2663: `CreateTaskResult`). Reads
 * the task, so that it is known to exist; if it has ended meanwhile, its result is the call's result.
 */
export async function createTask(
  agent: ExposedAgent,
  id: string,
  context: TaskContext,
  retention: TaskRetention,
): Promise<CallToolResult> {
  const read = await readTask(agent, id, context);
  const { result, error: _, inputRequests: __, ...task } = detailsOf(read, agent, context, retention);
  if (result) return result;
  return { resultType: 'task', ...task } as unknown as CallToolResult;
}

export interface TaskMethodsOptions {
  /** Determines which agents the client of a request may call. Rejects with an A2AError. */
  readonly open: (
    context: ServerContext,
  ) => Promise<{ readonly offer: Offer; readonly calling: InvokeContext & Pick<TaskContext, 'next'> }>;
  readonly retention: TaskRetention;
  readonly answerer: Pick<CallStates, 'caller'>;
  readonly onFailure: (error: A2AError) => void;
}

const params = z.looseObject({ taskId: z.string() });

/** Serves the methods of the extension. To callers who do not own a task, each method reports it as unknown. */
export function serveTasks(server: Server, { open, retention, answerer, onFailure }: TaskMethodsOptions): void {
  const serve = (
    method: string,
    answer: (agent: ExposedAgent, id: string, calling: TaskContext, responses: JsonObject) => Promise<object>,
  ): void =>
    server.setRequestHandler(method, { params }, async ({ taskId }, context) => {
      if (!takesTasks(context)) throw needsTasks();
      try {
        const { offer, calling } = await open(context);
        const { agent, id } = locate(taskId, offer);
        const asks = asksOf(context);
        return { ...(await answer(agent, id, { ...calling, asks }, context.mcpReq.inputResponses ?? {})) };
      } catch (thrown) {
        if (thrown instanceof ProtocolError) throw thrown;
        const error = A2AError.from(thrown);
        if (error.kind === 'taskNotFound') throw unknownTask(taskId);
        // After an internal error, clients may try again.
        const isTheirs = error.row.http < 500 && error.retryAfter === undefined;
        if (isTheirs) throw new ProtocolError(ProtocolErrorCode.InvalidParams, errorText(error));
        onFailure(error);
        throw new ProtocolError(ProtocolErrorCode.InternalError, errorText(error));
      }
    });

  serve('tasks/get', async (agent, id, calling) =>
    detailsOf(await readTask(agent, id, calling), agent, calling, retention),
  );
  serve('tasks/update', async (agent, id, calling, responses) => {
    for (let tries = 3; tries > 0; tries -= 1) {
      const { task, facts } = await readTask(agent, id, calling);
      const mark = markOf(task);
      const given = Object.entries(responses).filter(([key]) => key.endsWith(mark));
      const named = Object.fromEntries(given.map(([key, response]) => [key.slice(0, -mark.length), response]));
      const parts = questionOf(task) && answerPartsOf(task, named, true);
      // Responses to requests that are not open are ignored.
      if (!parts) break;
      const condition = facts && { ifGenerationMatch: `${facts.generation}` };
      const configuration = { returnImmediately: true, ...condition };
      const sending = agent.invoke('SendMessage', { message: answerTo(task, parts, answerer), configuration }, calling);
      // If two answers arrive at once, only one is accepted; the question may have changed meanwhile.
      if (await unless('taskGenerationMismatch', sending)) break;
    }
    return {};
  });
  // The client has stated its intent: no error is returned if the task has already ended, or does not end.
  serve('tasks/cancel', async (agent, id, calling) => {
    await unless('taskNotCancelable', agent.invoke('CancelTask', { id }, calling));
    return {};
  });
}

/**
 * Resolves with true if a call succeeds, with false if it rejects with an error of this kind. Rejects with all other
 * errors.
 */
const unless = (kind: A2AError['kind'], call: Promise<unknown>): Promise<boolean> =>
  call.then(
    () => true,
    (thrown) => {
      if (A2AError.from(thrown).kind !== kind) throw thrown;
      return false;
    },
  );
