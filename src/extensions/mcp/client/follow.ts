import { setTimeout as sleep } from 'node:timers/promises';
import { status } from '../../../agents/events.ts';
import { reasonOf, type SchemaCheck, schemaCheck } from '../../../agents/schema-check.ts';
import type { StreamResponse } from '../../../core/model/a2a.ts';
import type { AgentContext, RunContext } from '../../../core/model/agent.ts';
import type { FieldViolation } from '../../../core/model/errors.ts';
import { isObject, type JsonObject } from '../../../core/model/json.ts';
import type { ToolRequest } from '../../../core/model/tool-choice.ts';
import type { Logger } from '../../../core/ports/logger.ts';
import { traceOf } from '../../../core/telemetry/trace-context.ts';
import { type Tracing, withSpan } from '../../../core/telemetry/tracing.ts';
import { shortened, ToolFailure } from './failures.ts';
import { askedKey, type KeptCall, polledKey } from './kept-call.ts';
import { maxRounds, questionEvent, readInputRequired, requireAskable } from './questions.ts';
import { type NamedServer, route, type ToolTarget } from './route.ts';
import { type createHeldCalls, RunningCall } from './running-call.ts';
import { createSampling, samplingMethod } from './sampling.ts';
import { cancelPolled, newPolledTask, type PolledTask, pollTask } from './task-polling.ts';
import type { Tool, ToolCall, ToolCallContext, ToolProgress } from './tool-server.ts';

/**
 * Creates the check of arguments against the input schemas of tools. It returns violations. Schemas are compiled on
 * first use. If a schema is unusable, only the server checks the arguments.
 */
export function createArgumentCheck(logger: Pick<Logger, 'warn'>) {
  /** Compiled schemas by listed tool. A new list contains new tool objects. */
  const compiled = new WeakMap<Tool, SchemaCheck>();
  const names = { root: 'arguments', property: 'an argument of this tool' };
  return (tool: Tool, given: JsonObject): readonly FieldViolation[] => {
    if (!isObject(tool.inputSchema)) return [];
    try {
      const check = compiled.get(tool) ?? schemaCheck(tool.inputSchema, names);
      compiled.set(tool, check);
      return check(given);
    } catch (thrown) {
      compiled.set(tool, () => []);
      const text = 'cannot use the input schema of an MCP tool; arguments are checked by its server only';
      logger.warn({ tool: tool.name, reason: reasonOf(thrown) }, text);
      return [];
    }
  };
}

export interface ToolCallDeps {
  readonly servers: readonly NamedServer[];
  readonly check: ReturnType<typeof createArgumentCheck>;
  /** Calls that wait in their sessions for an answer. */
  readonly held: ReturnType<typeof createHeldCalls>;
  readonly answering: Set<string>;
  /** Creates a span for each call. Absent: no spans. */
  readonly tracing?: Tracing;
  /** Called with internal errors, which are not shown to callers. */
  readonly onInternalError: (error: unknown, call: AgentContext) => void;
}

/** The result of a call, with the name of the tool. */
interface Done {
  readonly result: JsonObject;
  readonly name: string;
}

/**
 * Starts or continues a call and yields its progress as status updates. Ends with a question, or returns the result and
 * the tool's name.
 *
 * @param kept the call's questions with all answers, or the task at the server that the call has become
 */
export async function* follow(
  request: ToolRequest,
  kept: KeptCall | undefined,
  context: RunContext,
  deps: ToolCallDeps,
): AsyncGenerator<StreamResponse, Done | undefined> {
  const caller = callerOf(context);
  if (kept?.held && !deps.held.has(context.key)) throw new ToolFailure('sessionLost', lostText);
  const target = kept ? keptTarget(kept, deps.servers) : await routeChecked(request, context, deps, caller);
  return yield* new FollowedCall({ request, target, context, deps, caller }, kept).run();
}

/** A request, and the server and tool that handle it. */
interface Following {
  readonly request: ToolRequest;
  readonly target: Pick<ToolTarget, 'to' | 'name'>;
  readonly context: RunContext;
  readonly deps: ToolCallDeps;
  readonly caller: ToolCallContext;
}

/**
 * A tool call through all its rounds: it can be held open while it asks, polled as a task, or repeated with answers.
 */
class FollowedCall {
  readonly #following: Following;
  readonly #sample: ReturnType<typeof createSampling> | undefined;
  /** Questions of the call, with their answers. */
  #asked: KeptCall | undefined;
  /** Task at the server, if the call has become a task. */
  #polled: PolledTask | undefined;
  /** That task as the server returned it, until it is first polled. */
  #seed: JsonObject | undefined;
  #round: number;

  constructor(following: Following, kept: KeptCall | undefined) {
    const { target, context } = following;
    const { sampling } = target.to;
    this.#following = following;
    this.#sample = sampling === undefined ? undefined : createSampling(sampling, context);
    this.#asked = kept;
    this.#polled = kept?.polled;
    this.#round = kept?.round ?? 0;
  }

  async *run(): AsyncGenerator<StreamResponse, Done | undefined> {
    const { context, target } = this.#following;
    const { signal } = context;
    for (;;) {
      const call = await this.#nextCall();
      const onAbort = (): void => call.stop(signal.reason);
      if (signal.aborted) onAbort();
      signal.addEventListener('abort', onAbort, { once: true });
      try {
        const result = yield* this.#resultOf(call);
        if (!result) return undefined;
        if (result.resultType === 'task') {
          await this.#becomeTask(result);
          continue;
        }
        if (result.resultType !== 'input_required') return { result, name: target.name };
        const question = await this.#questionIn(result);
        if (question) {
          yield question;
          return undefined;
        }
        this.#seed = undefined;
      } catch (thrown) {
        // Tells a server that waits for an answer that there will be none.
        call.answer({ action: 'cancel' });
        call.stop(thrown);
        throw thrown;
      } finally {
        signal.removeEventListener('abort', onAbort);
      }
    }
  }

  async #nextCall(): Promise<RunningCall> {
    if (this.#asked?.held) return this.#heldCall(this.#asked);
    if (this.#polled) return this.#pollingCall(this.#polled);
    return this.#newCall();
  }

  /** Takes the call that was held while it asked, and passes the answer to it. */
  #heldCall({ responses, questions }: KeptCall): RunningCall {
    const { deps, context } = this.#following;
    const call = deps.held.take(context.key);
    if (!call) throw new ToolFailure('sessionLost', lostText);
    const { [heldName]: response } = responses;
    // The server may have withdrawn its question or ended the call.
    if (isObject(response)) call.answer(response, questions[heldName]);
    return call;
  }

  #pollingCall(task: PolledTask): RunningCall {
    const { caller, target } = this.#following;
    const start = {
      seed: this.#seed,
      responses: this.#asked?.responses ?? {},
      onAnswered: (answered: PolledTask) => this.#keepPolled(answered),
    };
    return new RunningCall((making) => pollTask(target.to, task, { ...caller, ...making }, start));
  }

  async #newCall(): Promise<RunningCall> {
    const { caller, context, deps, request, target } = this.#following;
    const { to, name } = target;
    const asked = this.#asked;
    const input = asked && { inputResponses: asked.responses, requestState: asked.requestState };
    if (asked && isEmpty(asked.questions) && isEmpty(asked.responses))
      await sleep(emptyRoundTime, undefined, { signal: context.signal });
    const path = to.gateway && (await context.outgoing?.path?.());
    return new RunningCall((making) => {
      const made = { ...caller, path, ...making, name, arguments: request.arguments, input };
      return deps.tracing ? callTraced(deps.tracing, to, made) : to.server.call(made);
    });
  }

  /**
   * Yields progress of the call, then returns its result. Undefined if the call is held and its question has been
   * yielded.
   */
  async *#resultOf(call: RunningCall): AsyncGenerator<StreamResponse, JsonObject | undefined> {
    for (;;) {
      const news = await call.next();
      if ('result' in news) return news.result;
      if ('report' in news) yield status('TASK_STATE_WORKING', progressText(news.report));
      else if (news.question.method === samplingMethod) {
        const { params, withdrawn, answer, refuse } = call.takeQuestion() ?? news.question;
        await this.#sample?.(params, withdrawn).then(answer, refuse);
        this.#following.context.signal.throwIfAborted();
      } else {
        const question = await this.#hold(call, news.question.params);
        if (question) yield question;
        return undefined;
      }
    }
  }

  /** Holds the call open in its session while its question waits for an answer. */
  async #hold(call: RunningCall, params: JsonObject): Promise<StreamResponse | undefined> {
    const { context, deps, target } = this.#following;
    const { answerTimeout } = target.to;
    this.#nextRound();
    const questions = { [heldName]: params };
    requireAskable(questions);
    const until = new Date(Date.now() + answerTimeout).toISOString();
    deps.held.hold(context.key, call, answerTimeout);
    return this.#ask({ questions, held: true, until });
  }

  async #becomeTask(result: JsonObject): Promise<void> {
    await this.#keepPolled(newPolledTask(result, this.#following.target.to));
    this.#seed = result;
    this.#asked = undefined;
  }

  /** Returns the question of a result that asks for input. Undefined if the configuration answers all its requests. */
  async #questionIn(result: JsonObject): Promise<StreamResponse | undefined> {
    const { context, target } = this.#following;
    this.#nextRound();
    const { samples, responses, ...asked } = readInputRequired(result, target.to);
    const sampled = samples.map(
      async ([name, params]) => [name, await this.#sample?.(params, context.signal)] as const,
    );
    return this.#ask({ ...asked, responses: { ...responses, ...Object.fromEntries(await Promise.all(sampled)) } });
  }

  #nextRound(): void {
    this.#round += 1;
    if (this.#round > maxRounds)
      throw new ToolFailure('invalidResult', `The tool has asked ${maxRounds} times without a result`);
  }

  /** Stores the call and returns its question. Undefined if there is nothing to ask. */
  async #ask(asked: Partial<KeptCall>): Promise<StreamResponse | undefined> {
    const kept = { ...this.#keep(), ...asked };
    this.#asked = kept;
    const question = questionEvent(kept);
    if (question) await this.#following.context.state.task.set(askedKey, kept);
    return question;
  }

  async #keepPolled(task: PolledTask): Promise<void> {
    this.#polled = task;
    await this.#following.context.state.task.set(polledKey, this.#keep());
  }

  /** Returns the call in the form that is stored in the state of its task. */
  #keep(): KeptCall {
    const { context, request, target } = this.#following;
    const { turn } = context;
    return {
      request,
      server: target.to.id,
      name: target.name,
      round: this.#round,
      questions: {},
      responses: {},
      partial: {},
      ...(turn !== undefined && { turn }),
      ...(this.#polled && { polled: this.#polled }),
    };
  }
}

/** Returns the information about a caller that is sent to a server. */
export const callerOf = (
  context: Pick<AgentContext, 'hops' | 'principal' | 'credentials' | 'traceparent' | 'tracestate'>,
): ToolCallContext => ({
  hops: context.hops + 1,
  caller: context.principal.id,
  ...traceOf(context),
  ...(context.credentials && { credentials: context.credentials }),
});

function serverOf({ server: wanted }: KeptCall, servers: readonly NamedServer[]): NamedServer {
  const found = servers.find(({ id }) => id === wanted);
  if (found) return found;
  throw new ToolFailure('unknownServer', `The server "${wanted}" that runs the call is no longer configured`);
}

/** Cancels the task at the server, if a call of this task has become one. */
export async function cancelAtServer(context: AgentContext, servers: readonly NamedServer[]): Promise<void> {
  const kept = await context.state.task.get<KeptCall>(polledKey);
  const to = kept && servers.find(({ id }) => id === kept.server);
  if (kept?.polled && to) await cancelPolled(to, kept.polled, { ...callerOf(context), signal: context.signal });
}

const isEmpty = (object: object): boolean => Object.keys(object).length === 0;

/** Name of the question of a held call. */
const heldName = 'question';

/** Milliseconds before a call is repeated if its server asks only for a repetition. */
const emptyRoundTime = 500;

const lostText =
  'The session in which the tool asked has ended, because the gateway was restarted, the question was not answered in time, ' +
  'or another replica got the answer. The call was not repeated: to call the tool again, send a message without a task id';

/**
 * Returns the tool that was called originally. An answer never goes to another tool, even if the server's list has
 * changed.
 */
function keptTarget(kept: KeptCall, servers: readonly NamedServer[]): Pick<ToolTarget, 'to' | 'name'> {
  const { name, polled } = kept;
  const to = serverOf(kept, servers);
  if (!polled && !to.allowed(name))
    throw new ToolFailure('denied', `The tool "${name}" of "${to.id}" is no longer allowed by the configuration`);
  return { to, name };
}

/**
 * Finds the server and the tool of a request and validates its arguments. The tool must be the one for which the call
 * was authorized.
 */
async function routeChecked(
  request: ToolRequest,
  { signal, skill: judged }: AgentContext,
  { servers, check }: ToolCallDeps,
  caller: ToolCallContext,
): Promise<ToolTarget> {
  const target = await route(request, servers, signal, caller);
  if (judged !== undefined && target.skill !== judged) {
    const text = `The call was authorized for "${judged}", but would now call "${target.skill}", because the tools have changed. No tool was called`;
    throw new ToolFailure('denied', text);
  }
  const violations = target.tool ? check(target.tool, request.arguments) : [];
  if (violations.length === 0) return target;
  const text = violations.map(({ field, description }) => `${field} ${description}`).join('; ');
  throw new ToolFailure('invalidArguments', `Invalid arguments: ${text}`, { details: { violations } });
}

/** Calls a tool within a span that follows the semantic conventions for MCP. */
function callTraced(tracing: Tracing, { id, server }: NamedServer, call: ToolCall): Promise<JsonObject> {
  const { name } = call;
  return withSpan(
    tracing,
    { name: `tools/call ${name}`, kind: 'client', parent: call },
    () => ({
      'mcp.method.name': 'tools/call',
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': name,
      'a2a.mcp.server': id,
    }),
    async (span) => {
      const result = await server.call({ ...call, ...span.trace });
      // For the protocol, a tool's error is a success; for the span, it is a failure.
      if (result.isError === true) span.fail('tool_error');
      return result;
    },
    (thrown) => (call.signal.aborted ? 'canceled' : ToolFailure.from(thrown).condition),
  );
}

export function progressText({ progress, total, message }: ToolProgress): string {
  const far = progress === undefined ? '' : total === undefined ? String(progress) : `${progress} of ${total}`;
  if (typeof message !== 'string' || message === '') return far === '' ? 'Working' : `Progress: ${far}`;
  return far === '' ? shortened(message, 1_000) : `${shortened(message, 1_000)} (${far})`;
}
