import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { artifact, status } from '../../../agents/events.ts';
import type { Part, SendMessageRequest, StreamResponse } from '../../../core/model/a2a.ts';
import type { AgentContext } from '../../../core/model/agent.ts';
import { maxHops } from '../../../core/model/call.ts';
import { A2AError } from '../../../core/model/errors.ts';
import { isObject, type JsonObject } from '../../../core/model/json.ts';
import { traceOf } from '../../../core/telemetry/trace-context.ts';
import { type Tracing, withSpan } from '../../../core/telemetry/tracing.ts';
import type { createArgumentCheck } from './arguments.ts';
import { shortened, ToolFailure } from './failures.ts';
import { partsOf, textOf } from './parts.ts';
import {
  type AskedCall,
  maxRounds,
  questionEvent,
  readInputRequired,
  requireAskable,
  withAnswer,
} from './questions.ts';
import { type NamedServer, readRequest, route, type ToolRequest, type ToolTarget } from './route.ts';
import { type createHeldCalls, type RunningCall, runCall } from './running-call.ts';
import { isSafeJson, type ToolCall, type ToolCallContext, type ToolProgress } from './tool-server.ts';

/** What tool calls need. */
export interface ToolCallDeps {
  readonly servers: readonly NamedServer[];
  readonly check: ReturnType<typeof createArgumentCheck>;
  /** Calls that wait for an answer in their sessions. */
  readonly held: ReturnType<typeof createHeldCalls>;
  /** Keys of tasks whose answer is being read. */
  readonly answering: Set<string>;
  /** Makes a span of each call. Absent: none. */
  readonly tracing?: Tracing;
  /** Called with internal errors, which callers do not see. */
  readonly onInternalError: (error: unknown, call: AgentContext) => void;
}

/** A result in the form of AgentVault's `McpToolExecOutput` without empty keys. */
const outputPart = (output: { success: true; mcp_result: JsonObject } | { success: false; error: object }): Part => ({
  data: output,
  mediaType: 'application/json',
});

/**
 * Answers one message with the events of one call: working, progress, and the result, both as an artifact and as a
 * message. A call whose server asks for input ends with the question, and goes on with the next message to the task.
 *
 * @throws A2AError before the first event when the message names no tool, or has passed too many gateways
 */
export async function* runToolCall(
  { message }: SendMessageRequest,
  context: AgentContext,
  deps: ToolCallDeps,
): AsyncGenerator<StreamResponse, void> {
  const { signal, task } = context;
  const asked = task && (await takeAsked(context, deps));
  if (task && !asked) {
    yield status(
      'TASK_STATE_WORKING',
      'This task is a tool call that is still running. To call another tool, send a message without a task id.',
    );
    if (!signal.aborted) await once(signal, 'abort');
    return;
  }
  const request = asked?.request ?? readRequest(message, deps.servers);
  if (context.hops + 1 > maxHops)
    throw new A2AError('invalidRequest', `The call has passed more than ${maxHops} gateways`);
  try {
    const next = asked && withAnswer(asked, message);
    const question = next && questionEvent(next);
    if (question) {
      await context.state.task.set(stateKey, next);
      yield question;
      return;
    }
    yield status('TASK_STATE_WORKING');
    const done = yield* follow(request, next, context, deps);
    if (done) yield* report(done.result, done.name, request);
  } catch (thrown) {
    signal.throwIfAborted();
    deps.held.end(context.key, 'The call has failed');
    const failed = ToolFailure.from(thrown);
    if (failed.cause !== undefined) deps.onInternalError(failed.cause, context);
    yield* failure(failed, request.tool);
  }
}

/** Key in the state of the task of what the call waits for. */
const stateKey = 'asked';

/** What the task waits for, which it does no longer then: each answer is used once. */
async function takeAsked({ key, state }: AgentContext, { answering }: ToolCallDeps): Promise<AskedCall | undefined> {
  if (answering.has(key)) return undefined;
  answering.add(key);
  try {
    const asked = await state.task.get<AskedCall>(stateKey);
    if (asked) await state.task.delete(stateKey);
    return asked;
  } finally {
    answering.delete(key);
  }
}

/**
 * Makes the call, or goes on with it, and yields its progress as status updates. Ends with a question, or returns the result
 * and the tool's name.
 *
 * @param asked what the call has asked for, with all answers
 */
async function* follow(
  request: ToolRequest,
  asked: AskedCall | undefined,
  context: AgentContext,
  deps: ToolCallDeps,
): AsyncGenerator<StreamResponse, { readonly result: JsonObject; readonly name: string } | undefined> {
  const { signal, key, state } = context;
  const { held } = deps;
  const caller: ToolCallContext = {
    hops: context.hops + 1,
    caller: context.principal.id,
    ...traceOf(context),
    ...(context.credentials && { credentials: context.credentials }),
  };
  let known = asked;
  let round = asked?.round ?? 0;
  /** Keeps what is asked, and asks it; undefined where nothing is left to ask. */
  const wait = async (next: AskedCall): Promise<StreamResponse | undefined> => {
    known = next;
    const question = questionEvent(next);
    if (question) await state.task.set(stateKey, next);
    return question;
  };
  const nextRound = (): void => {
    round += 1;
    if (round > maxRounds)
      throw new ToolFailure('invalidResult', `The tool has asked ${maxRounds} times without a result`);
  };
  if (known?.held && !held.has(key)) throw new ToolFailure('sessionLost', lostText);
  const { to, name } = await routeChecked(request, deps, signal, caller);
  const common = { request, server: to.id, partial: {} };
  for (;;) {
    let call: RunningCall;
    if (known?.held) {
      const waiting = held.take(key);
      if (!waiting) throw new ToolFailure('sessionLost', lostText);
      call = waiting;
      const { [heldName]: response } = known.responses;
      // The server may have withdrawn its question, or ended the call.
      if (isObject(response)) call.answer(response, known.questions[heldName]);
    } else {
      const input = known && { inputResponses: known.responses, requestState: known.requestState };
      if (known && isEmpty(known.questions) && isEmpty(known.responses))
        await sleep(emptyRoundTime, undefined, { signal });
      call = runCall((making) => {
        const made = { ...caller, ...making, name, arguments: request.arguments, input };
        return deps.tracing ? callTraced(deps.tracing, to, made) : to.server.call(made);
      });
    }
    const onAbort = (): void => call.stop(signal.reason);
    if (signal.aborted) onAbort();
    signal.addEventListener('abort', onAbort, { once: true });
    try {
      let result: JsonObject | undefined;
      while (!result) {
        const news = await call.next();
        if ('report' in news) yield status('TASK_STATE_WORKING', progressText(news.report));
        else if ('result' in news) result = news.result;
        else {
          nextRound();
          const questions = { [heldName]: news.question.params };
          requireAskable(questions);
          const until = new Date(Date.now() + to.answerTimeout).toISOString();
          held.hold(key, call, to.answerTimeout);
          const question = await wait({ ...common, round, questions, responses: {}, held: true, until });
          if (question) yield question;
          return undefined;
        }
      }
      if (result.resultType !== 'input_required') return { result, name };
      nextRound();
      const question = await wait({ ...common, round, ...readInputRequired(result, to.roots) });
      if (question) {
        yield question;
        return undefined;
      }
    } catch (thrown) {
      // A server that waits for an answer learns that none will come.
      call.answer({ action: 'cancel' });
      call.stop(thrown);
      throw thrown;
    } finally {
      signal.removeEventListener('abort', onAbort);
    }
  }
}

const isEmpty = (object: object): boolean => Object.keys(object).length === 0;

/** Name of the question of a call that stays open. */
const heldName = 'question';

/** Milliseconds before a call is repeated whose server asked for nothing but that. */
const emptyRoundTime = 500;

const lostText =
  'The session in which the tool asked has ended, because the gateway was restarted, the question was not answered in time, ' +
  'or another replica got the answer. The call was not repeated: to call the tool again, send a message without a task id';

/** The server and tool of a request whose arguments are valid. */
async function routeChecked(
  request: ToolRequest,
  { servers, check }: ToolCallDeps,
  signal: AbortSignal,
  caller: ToolCallContext,
): Promise<ToolTarget> {
  const target = await route(request, servers, signal, caller);
  const violations = target.tool ? check(target.tool, request.arguments) : [];
  if (violations.length === 0) return target;
  const text = violations.map(({ field, description }) => `${field} ${description}`).join('; ');
  throw new ToolFailure('invalidArguments', `Invalid arguments: ${text}`, { details: { violations } });
}

/** The events of a result. */
function* report(result: JsonObject, name: string, { tool }: ToolRequest): Generator<StreamResponse, void> {
  if (!isSafeJson(result)) {
    throw new ToolFailure('invalidResult', 'The result is nested too deeply, or has a key __proto__');
  }
  if (result.isError === true) {
    const details = { mcp_tool_error_content: result.content ?? null };
    const failed = new ToolFailure('toolError', textOf(result) || 'The tool reported an error', { details });
    yield* failure(failed, tool, result);
    return;
  }
  const output = outputPart({ success: true, mcp_result: result });
  yield artifact({ name, content: [output, ...partsOf(result)] });
  yield status('TASK_STATE_COMPLETED', [output]);
}

/** The last status of a failure is text; the data part comes before it. */
function* failure(failed: ToolFailure, name: string, result?: JsonObject): Generator<StreamResponse, void> {
  const { source, code, output: error } = failed;
  const output = outputPart({ success: false, error });
  yield status('TASK_STATE_WORKING', [output]);
  yield artifact({ name, content: [output, ...(result ? partsOf(result) : [])] });
  yield status('TASK_STATE_FAILED', `[${source}/${code}] ${failed.message}`);
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
      // An error of the tool is a success of the protocol, but the call has failed.
      if (result.isError === true) span.fail('tool_error');
      return result;
    },
    (thrown) => (call.signal.aborted ? 'canceled' : ToolFailure.from(thrown).condition),
  );
}

/** A report as text. */
export function progressText({ progress, total, message }: ToolProgress): string {
  const far = progress === undefined ? '' : total === undefined ? String(progress) : `${progress} of ${total}`;
  if (typeof message !== 'string' || message === '') return far === '' ? 'Working' : `Progress: ${far}`;
  return far === '' ? shortened(message, 1_000) : `${shortened(message, 1_000)} (${far})`;
}
