import { createHash, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type {
  Message,
  OperationName,
  RequestOf,
  ResponseOf,
  SendMessageRequest,
  StreamResponse,
  Task,
} from '../core/model/a2a.ts';
import type { Answered, CalledAgent, CalledAnswer, CalledContent, CalledOptions } from '../core/model/agent.ts';
import { askKey, openAskOf } from '../core/model/ask.ts';
import {
  type Call,
  type CallContext,
  type Invoke,
  isStream,
  maxHops,
  ownDialect,
  type Reply,
} from '../core/model/call.ts';
import { A2AError } from '../core/model/errors.ts';
import type { CallKey, TaskOwner } from '../core/model/ids.ts';
import { isObject } from '../core/model/json.ts';
import { isResting } from '../core/model/lifecycle.ts';
import { type ParentFacts, parentKey, pathTo, requireNoCircle, rootOf } from '../core/model/lineage.ts';
import type { Principal } from '../core/model/principal.ts';
import { answerKey } from '../core/model/question.ts';
import { longestTimer, unlessAborted } from '../core/model/timing.ts';
import type { AgentDirectory } from '../core/ports/agent-directory.ts';
import type { KnownCall } from '../core/ports/task-store.ts';
import type { CallingRun } from '../core/tasks/run-context.ts';
import { traceOf } from '../core/telemetry/trace-context.ts';
import { currentTrace } from '../core/telemetry/tracing.ts';
import { type Content, partsOf } from './events.ts';

// Agents that call agents. Such a call counts as a call of the run's caller, and passes the whole pipeline.

export interface AgentCallsDeps {
  /** The pipeline. */
  readonly invoke: Invoke;
  readonly agents: Pick<AgentDirectory, 'get' | 'names'>;
  /** Counts a call in the request rate of its principal. Throws or rejects with `tooManyRequests`. */
  readonly countCall: (principal: Principal) => unknown;
  /** Whether an agent is visible to a principal. */
  readonly mayCall: (principal: Principal, agent: string) => boolean;
  /** Returns the number of times that an agent may be called on behalf of itself. */
  readonly reentries: () => number;
  /** The first call with an idempotency key. */
  readonly findCall: (owner: TaskOwner, key: string) => Promise<KnownCall | undefined>;
}

/** Milliseconds until the answer to a message, until the answer to another call, and for canceling a task. */
const timeouts = { send: 600_000, call: 30_000, cancel: 10_000 } as const;
/**
 * Milliseconds between two polls of a task that the other agent keeps itself, which grow from the first to the longest, and of a
 * call that has just begun.
 */
const intervals = { firstTask: 50, task: 1_000, call: 50 } as const;
/** Largest number of messages that one run may send: two agents that answer each other's questions must not do so forever. */
const mostMessages = 1_000;
/** Largest number of agent names in an error. */
const mostNames = 20;

/** Creates `context.agent` of each run. */
export const createAgentCalls =
  (deps: AgentCallsDeps) =>
  (run: CallingRun): ((name: string) => CalledAgent) => {
    const sent = new SentMessages(run);
    return (name) => new AgentCalls(deps, run, sent, String(name));
  };

/** A message of a run, with its key, under which it is sent only once. */
interface SentMessage {
  readonly request: SendMessageRequest;
  readonly key: CallKey;
  /** Id of the message's task, once the other agent has named it. */
  taskId?: string | undefined;
}

/** The messages of one run. If the run is restarted, they have the same keys again. */
class SentMessages {
  readonly #run: CallingRun;
  /** Number of times that each content was sent. */
  readonly #times = new Map<string, number>();
  #count = 0;

  constructor(run: CallingRun) {
    this.#run = run;
  }

  /** Adds a message. Throws `tooManyRequests` if the run has sent too many. */
  add(agent: string, content: CalledContent, { taskId, contextId, key }: CalledOptions): SentMessage {
    this.#count += 1;
    if (this.#count > mostMessages) {
      const message = `The agent ${this.#run.owner.agent} has sent ${mostMessages} messages to other agents in one turn and may send no more`;
      throw new A2AError('tooManyRequests', message);
    }
    const said = contentOf(content);
    const ids = { ...(taskId !== undefined && { taskId }), ...(contextId !== undefined && { contextId }) };
    const digest = digestOf([agent, key === undefined ? { ...ids, said } : { key }]);
    const times = this.#times.get(digest) ?? 0;
    if (key === undefined) this.#times.set(digest, times + 1);
    const id = digestOf([this.#run.key, this.#run.turn ?? 'cancel', digest, times]);
    return {
      request: { message: { messageId: id, role: 'ROLE_USER', ...said, ...ids } },
      // Only the key decides whether two calls are the same.
      key: { owner: { ...this.#run.owner, agent }, key: `agent-${id}`, digest: id, nonce: randomUUID() },
    };
  }
}

const digestOf = (value: unknown): string => createHash('sha256').update(JSON.stringify(value)).digest('base64url');

/**
 * The content of a message, without the metadata of asks and of answers by people. Throws TypeError for a value that is not
 * content.
 */
function contentOf(content: CalledContent): Pick<Message, 'parts' | 'metadata' | 'extensions'> {
  if (!isObject(content) || !Array.isArray(content.parts)) return { parts: partsOf(content as Content) };
  const { parts, metadata: given, extensions } = content as Pick<Message, 'parts' | 'metadata' | 'extensions'>;
  const { [askKey]: _ask, [answerKey]: _answer, ...metadata } = given ?? {};
  return { parts, ...(Object.keys(metadata).length > 0 && { metadata }), ...(extensions && { extensions }) };
}

/** Whether a task still comes to an end or to a question of its own: it works, or waits until people agree. */
const goesOn = (task: Task): boolean => !isResting(task.status.state) || openAskOf(task) !== undefined;

/** Limits that end a call. */
interface Bounds {
  readonly signal: AbortSignal;
  /** Milliseconds since the epoch. */
  readonly until: number;
  readonly timeout: number;
}

class AgentCalls implements CalledAgent {
  readonly #deps: AgentCallsDeps;
  readonly #run: CallingRun;
  readonly #sent: SentMessages;
  readonly #name: string;

  constructor(deps: AgentCallsDeps, run: CallingRun, sent: SentMessages, name: string) {
    this.#deps = deps;
    this.#run = run;
    this.#sent = sent;
    this.#name = name;
  }

  async send(content: CalledContent, options: CalledOptions = {}): Promise<CalledAnswer> {
    const sent = this.#sent.add(this.#name, content, options);
    const bounds = this.#bounds(options.timeout ?? timeouts.send, options.signal);
    try {
      // An agent that keeps its own tasks names the task at once, so that it can be canceled by its id.
      const request = this.#keepsItsTasks
        ? { ...sent.request, configuration: { returnImmediately: true } }
        : sent.request;
      let answer = await this.#value('SendMessage', request, bounds, { sent, options });
      sent.taskId = answer.task?.id;
      let wait: number = intervals.firstTask;
      let isPolled = this.#keepsItsTasks;
      while (answer.task && goesOn(answer.task)) {
        // Under the same key, the gateway waits for the first message's answer. Tasks that other agents keep, and tasks that wait
        // until people agree, are polled.
        isPolled ||= openAskOf(answer.task) !== undefined;
        if (!isPolled) {
          answer = await this.#value('SendMessage', sent.request, bounds, { sent, options });
          continue;
        }
        await sleep(wait, undefined, { signal: bounds.signal });
        wait = Math.min(2 * wait, intervals.task);
        answer = { task: await this.#value('GetTask', { id: answer.task.id }, bounds) };
      }
      return { agent: this.#name, ...answered(answer) };
    } catch (thrown) {
      throw this.#ended(thrown, sent, bounds);
    }
  }

  async *stream(content: CalledContent, options: CalledOptions = {}): AsyncGenerator<StreamResponse> {
    const sent = this.#sent.add(this.#name, content, options);
    const bounds = this.#bounds(options.timeout ?? timeouts.send, options.signal);
    let events: AsyncIterator<{ readonly event: StreamResponse }> | undefined;
    try {
      const reply = await this.#invoke('SendStreamingMessage', sent.request, bounds, { sent, options });
      if (!isStream(reply)) throw new A2AError('invalidAgentResponse', `${this.#name} answered without a stream`);
      events = reply.events[Symbol.asyncIterator]();
      for (;;) {
        const step = await unlessAborted(events.next(), bounds.signal);
        if (step.done) return;
        const { event } = step.value;
        sent.taskId ??= event.task?.id ?? event.statusUpdate?.taskId;
        yield event;
      }
    } catch (thrown) {
      throw this.#ended(thrown, sent, bounds);
    } finally {
      void events?.return?.()?.catch(() => undefined);
    }
  }

  get(taskId: string): Promise<Task> {
    return this.#value('GetTask', { id: taskId }, this.#bounds(timeouts.call));
  }

  cancel(taskId: string): Promise<Task> {
    return this.#value('CancelTask', { id: taskId }, this.#bounds(timeouts.call));
  }

  get #keepsItsTasks(): boolean {
    return this.#deps.agents.get(this.#name)?.invoke !== undefined;
  }

  #bounds(timeout: number, signal?: AbortSignal): Bounds {
    const timer = AbortSignal.timeout(Math.min(Math.max(1, timeout), longestTimer));
    const signals = [this.#run.signal(), timer, ...(signal ? [signal] : [])];
    return { signal: AbortSignal.any(signals), until: Date.now() + timeout, timeout };
  }

  async #value<K extends 'SendMessage' | 'GetTask' | 'CancelTask'>(
    operation: K,
    request: RequestOf<K>,
    bounds: Bounds,
    message?: { readonly sent: SentMessage; readonly options: CalledOptions },
  ): Promise<ResponseOf<K>> {
    const reply = await this.#invoke(operation, request, bounds, message);
    if (isStream(reply)) throw new A2AError('invalidAgentResponse', `${this.#name} answered with a stream`);
    return reply.value as ResponseOf<K>;
  }

  /**
   * Carries out a call. Repeats it after the delay that the gateway asks for, if that is within the bounds and cannot send a
   * message twice.
   */
  async #invoke(
    operation: OperationName,
    request: object,
    bounds: Bounds,
    message?: { readonly sent: SentMessage; readonly options: CalledOptions },
  ): Promise<Reply> {
    const { invoke, countCall, agents } = this.#deps;
    const { signal, until } = bounds;
    for (;;) {
      signal.throwIfAborted();
      if (!agents.get(this.#name)) throw this.#unknown();
      const context = this.#context(bounds, message);
      try {
        await countCall(context.principal);
        const pending = invoke({ operation, request, context } as Call);
        return await unlessAborted(pending, signal).catch((thrown: unknown) => {
          if (signal.aborted) pending.then(leave, () => undefined);
          throw thrown;
        });
      } catch (thrown) {
        const { kind, retryAfter } = A2AError.from(thrown);
        const mayRepeat = kind === 'tooManyRequests' || (kind === 'unavailable' && !this.#keepsItsTasks);
        const wait = (retryAfter ?? Number.POSITIVE_INFINITY) * 1_000;
        if (signal.aborted || !mayRepeat || Date.now() + wait >= until) throw thrown;
        await sleep(wait, undefined, { signal });
      }
    }
  }

  #context({ signal, until }: Bounds, message?: { sent: SentMessage; options: CalledOptions }): CallContext {
    const { reentries } = this.#deps;
    const { origin, owner, ids, key, parent: opener } = this.#run;
    const hops = origin.hops + 1;
    if (hops > maxHops) {
      const loop = `The call has passed more than ${maxHops} agents and gateways: agents that call one another for ever are stopped`;
      throw new A2AError('invalidRequest', loop);
    }
    // A task that the caller began goes on after the caller's token has expired. The current rights of the caller apply.
    const { until: _expires, ...principal } = origin.principal;
    const chosen = key !== ids.taskId && { key };
    const above = pathTo(opener);
    if (message) requireNoCircle([...above, { agent: owner.agent, task: ids.taskId }], this.#name, reentries());
    const parent: ParentFacts = {
      agent: owner.agent,
      task: ids.taskId,
      ...chosen,
      hops,
      root: rootOf(opener, key),
      ...(above.length > 0 && { above }),
      ...(opener?.budget && { budget: opener.budget }),
    };
    const opensTask = message && !message.sent.request.message.taskId;
    return {
      requestId: origin.requestId,
      agent: this.#name,
      tenant: owner.tenant,
      principal,
      dialect: ownDialect,
      semantics: { heldAsWorking: true, ...(opensTask && { taskMetadata: { [parentKey]: { ...parent } } }) },
      extensions: message?.options.extensions ?? [],
      signal,
      deadline: until,
      hops,
      notes: { extensions: new Set(), losses: new Set() },
      ...traceOf(currentTrace(origin)),
      ...(origin.credentials && { credentials: origin.credentials }),
      ...(message && { idempotencyKey: message.sent.key.key, forwardedKey: message.sent.key }),
    };
  }

  #unknown(): A2AError {
    const { agents, mayCall } = this.#deps;
    const known = agents.names.filter((name) => mayCall(this.#run.origin.principal, name)).slice(0, mostNames);
    const others = known.length > 0 ? `; there are ${known.join(', ')}` : '';
    return new A2AError('agentNotFound', `No such agent: ${this.#name.slice(0, 128)}${others}`);
  }

  /** The error of a call that has ended. If the run's own task is over, its calls are over, too. */
  #ended(thrown: unknown, sent: SentMessage, { signal, timeout }: Bounds): A2AError {
    const stopped = this.#run.signal();
    if (stopped.aborted && A2AError.from(stopped.reason).kind === 'canceled') void this.#cancelSent(sent);
    const error = A2AError.from(signal.aborted ? signal.reason : thrown);
    if (error.kind !== 'deadlineExceeded' || stopped.aborted) return error;
    return new A2AError(error.kind, `The agent ${this.#name} did not answer within ${timeout} ms; its task goes on`, {
      cause: thrown,
    });
  }

  /** Cancels the task of a message that the run no longer waits for. The task may be over already, or may never have begun. */
  async #cancelSent({ request, key, taskId }: SentMessage): Promise<void> {
    const { findCall, invoke } = this.#deps;
    const signal = AbortSignal.timeout(timeouts.cancel);
    try {
      let id = request.message.taskId ?? taskId;
      // The call may be about to write its key.
      for (let looks = 0; id === undefined && !this.#keepsItsTasks && looks < 20; looks += 1) {
        const found = await findCall(key.owner, key.key);
        // Ids that the gateway generates are the keys of their tasks.
        id = found?.turn?.key;
        if (id === undefined) await sleep(intervals.call);
      }
      if (id === undefined) return;
      const context = this.#context({ signal, until: Date.now() + timeouts.cancel, timeout: timeouts.cancel });
      await invoke({ operation: 'CancelTask', request: { id }, context } as Call);
    } catch {
      // The task is over already, or cannot be canceled and ends by itself.
    }
  }
}

/** Ends a reply that came too late and has no reader. */
function leave(reply: Reply): void {
  if (isStream(reply))
    void reply.events[Symbol.asyncIterator]()
      .return?.()
      ?.catch(() => undefined);
}

/** The answer to a message, for authors of agents and of tests. */
export function answered({ task, message }: { readonly task?: Task; readonly message?: Message }): Answered {
  if (!task) return { text: textsOf(message), ...(message && { message }) };
  const { artifacts = [], status } = task;
  const text = artifacts.length > 0 ? artifacts.map(textsOf).join('') : textsOf(status.message);
  return { task, state: status.state, text };
}

/** All texts of a message or an artifact. */
const textsOf = (said: { readonly parts?: readonly { readonly text?: string }[] } | undefined): string =>
  (said?.parts ?? []).map(({ text = '' }) => text).join('');
