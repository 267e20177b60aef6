import type { Message, SendMessageRequest, StreamResponse, Task } from '../../core/model/a2a.ts';
import { operations } from '../../core/model/a2a.ts';
import type { Agent } from '../../core/model/agent.ts';
import { type Call, type Invoke, isStream, type LoggedEvent, ownerOf, type Reply } from '../../core/model/call.ts';
import { A2AError } from '../../core/model/errors.ts';
import { sameJson } from '../../core/model/json.ts';
import type { Operation } from '../../gen/operations.ts';
import { Chain } from './chain.ts';
import { eachOf, judgedError, judgedEvent, judgedTask, withMembers } from './events.ts';
import { type Guard, type Guards, refusalOf, type Subject, subjectOf } from './guards.ts';
import { ReadAhead } from './read-ahead.ts';

const names: ReadonlySet<string> = new Set(operations.map(({ name }) => name));
const createsWebhook = 'CreateTaskPushNotificationConfig';

/** Whether calls of an operation return texts of agents, or send messages to agents. */
export const isOfAgents = (operation: Operation | undefined): boolean =>
  operation !== undefined && names.has(operation.name);

/**
 * Judges calls of agents that keep their own tasks (`keep: none`). There are no runs for them, so that their messages and answers
 * are judged as they pass.
 */
export class PassedOnCalls {
  readonly #guards: Guards;
  readonly #agentOf: (name: string) => Pick<Agent, 'invoke'> | undefined;

  constructor(guards: Guards, agentOf: (name: string) => Pick<Agent, 'invoke'> | undefined) {
    this.#guards = guards;
    this.#agentOf = agentOf;
  }

  readonly intercept =
    (next: Invoke): Invoke =>
    (call) => {
      const keepsItsTasks = this.#agentOf(call.context.agent)?.invoke !== undefined;
      return keepsItsTasks ? this.#judged(call, next) : next(call);
    };

  /**
   * Wraps all calls, also those that other replicas forward, so that recordings do not get the blocked parts of an agent's
   * answers.
   */
  readonly unobserved =
    (next: Invoke): Invoke =>
    (call) => {
      const { context } = call;
      if (context.observer && this.#guards.ofTask(ownerOf(call)).some(judgesAnswers)) delete context.observer;
      return next(call);
    };

  async #judged(call: Call, next: Invoke): Promise<Reply> {
    const list = await this.#guards.ofCall(call);
    if (list.length === 0) return next(call);
    try {
      const of = new PassedOnCall(this.#guards, list, call);
      const sent = await of.judgedRequest();
      requireNoWebhook(sent, list);
      return await of.judgedReply(() => next(sent));
    } catch (thrown) {
      throw refusalOf(thrown, call);
    }
  }
}

/** Whether answers wait for the verdict of a guard. */
export const judgesAnswers = ({ on, shadow }: Guard): boolean => !shadow && on.includes('answer');

/** Throws `permissionDenied` for a webhook to which the agent itself would send its answers. */
function requireNoWebhook({ operation, request, context }: Call, list: readonly Guard[]): void {
  const guard = list.find(judgesAnswers);
  const { configuration } = request as Partial<SendMessageRequest>;
  if (!guard || (operation !== createsWebhook && !configuration?.taskPushNotificationConfig)) return;
  const text = `The guard ${guard.name} judges answers, and could not judge those that this agent sends to webhooks itself`;
  context.notes.refusedBy = `guard ${guard.name}`;
  throw new A2AError('permissionDenied', text, { metadata: { guard: guard.name } });
}

/** One call and its answer. */
class PassedOnCall {
  readonly #call: Call;
  readonly #requests: Chain;
  readonly #answers: Chain;
  readonly #over = new AbortController();

  constructor(guards: Guards, list: readonly Guard[], call: Call) {
    this.#call = call;
    const subject = { ...subjectOf(call, idsIn(call)), isPassedOn: true };
    const signal = AbortSignal.any([call.context.signal, this.#over.signal]);
    this.#requests = new Chain(list, { guards, phase: 'request', subject, signal });
    this.#answers = new Chain(list, { guards, phase: 'answer', subject, signal });
  }

  /** Returns the call after guards have judged the parts of its message. */
  async judgedRequest(): Promise<Call> {
    const { request } = this.#call;
    const { message } = request as Partial<SendMessageRequest>;
    // A message without parts is refused where it is checked.
    if (this.#requests.isEmpty || !Array.isArray(message?.parts)) return this.#call;
    const { parts, marks } = await this.#requests.judge(message);
    return marks.length === 0
      ? this.#call
      : ({ ...this.#call, request: { ...request, message: { ...message, parts } } } as Call);
  }

  async judgedReply(invoke: () => Promise<Reply>): Promise<Reply> {
    if (this.#answers.isEmpty) return invoke();
    let reply: Reply;
    try {
      reply = await invoke();
    } catch (thrown) {
      throw await judgedError(thrown, this.#answers);
    }
    if (isStream(reply)) return { ...reply, events: this.#events(reply.events) };
    const value = await this.#value(reply.value);
    if (value === reply.value) return reply;
    const { json: _, ...rest } = reply;
    return { ...rest, value };
  }

  async #value<V extends object>(value: V): Promise<V> {
    const { task, message, tasks, artifacts, status } = value as Partial<StreamResponse & Task> & { tasks?: Task[] };
    if (tasks) {
      const list = value as unknown as { readonly tasks: Task[] };
      return (await withMembers(list, { tasks: eachOf(tasks, (one) => this.#task(one)) })) as unknown as V;
    }
    if (task ?? message) return (await this.#event(value as StreamResponse)) as V;
    return artifacts || status ? ((await this.#task(value as unknown as Task)) as unknown as V) : value;
  }

  #event(event: StreamResponse): Promise<StreamResponse> {
    return judgedEvent(event, this.#answers, this.#isKnown);
  }

  #task(task: Task): Promise<Task> {
    return judgedTask(task, this.#answers, this.#isKnown);
  }

  /** Whether a message is the one of the call itself, which the agent may repeat. */
  readonly #isKnown = async ({ parts }: Message): Promise<boolean> => {
    const { message } = this.#call.request as Partial<SendMessageRequest>;
    return message !== undefined && sameJson(message.parts, parts);
  };

  async *#events(events: AsyncIterable<LoggedEvent>): AsyncGenerator<LoggedEvent> {
    const judged = new ReadAhead(events[Symbol.asyncIterator](), {
      begin: async (logged) => {
        const event = await this.#event(logged.event);
        return event === logged.event ? logged : { ...logged, event, json: JSON.stringify(event) };
      },
      failed: (thrown) => judgedError(thrown, this.#answers),
      bytesOf: ({ json }) => json.length,
    });
    try {
      yield* judged;
    } catch (thrown) {
      throw refusalOf(thrown, this.#call);
    } finally {
      this.#over.abort();
      await judged.return();
    }
  }
}

/** Returns the ids of the task and the conversation that a call names. */
function idsIn({ request }: Call): Pick<Subject, 'taskId' | 'contextId'> {
  const { message, id, taskId } = request as Partial<SendMessageRequest> & {
    readonly id?: string;
    readonly taskId?: string;
  };
  return { taskId: message?.taskId ?? taskId ?? id ?? '', contextId: message?.contextId ?? '' };
}
