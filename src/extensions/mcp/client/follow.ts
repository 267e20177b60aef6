import { setTimeout as sleep } from 'node:timers/promises';
import { status } from '../../../agents/events.ts';
import { reasonOf, type SchemaCheck, schemaCheck } from '../../../agents/schema-check.ts';
import type { StreamResponse } from '../../../core/model/a2a.ts';
import type { AgentContext } from '../../../core/model/agent.ts';
import type { FieldViolation } from '../../../core/model/errors.ts';
import { isObject, type JsonObject } from '../../../core/model/json.ts';
import type { ToolRequest } from '../../../core/model/tool-choice.ts';
import type { Logger } from '../../../core/ports/logger.ts';
import type { PathOfRun } from '../../../core/ports/trees.ts';
import { traceOf } from '../../../core/telemetry/trace-context.ts';
import { type Tracing, withSpan } from '../../../core/telemetry/tracing.ts';
import { shortened, ToolFailure } from './failures.ts';
import { askedKey, type KeptCall, polledKey } from './kept-call.ts';
import { maxRounds, questionEvent, readInputRequired, requireAskable } from './questions.ts';
import { type NamedServer, route, type ToolTarget } from './route.ts';
import { type createHeldCalls, type RunningCall, runCall } from './running-call.ts';
import { createSampling, samplingMethod } from './sampling.ts';
import { cancelPolled, newPolledTask, type PolledTask, pollTask } from './task-polling.ts';
import type { Tool, ToolCall, ToolCallContext, ToolProgress } from './tool-server.ts';

/**
 * Checks arguments against the input schemas of tools, and returns the violations. Schemas are compiled at their first use.
 * An unusable one checks nothing: the server has to.
 */
export function createArgumentCheck(logger: Pick<Logger, 'warn'>) {
  /** By the listed tool: another list has other tool objects. */
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
  /** Calls that wait for an answer in their sessions. */
  readonly held: ReturnType<typeof createHeldCalls>;
  readonly answering: Set<string>;
  /** Makes a span of each call. Absent: none. */
  readonly tracing?: Tracing;
  /** Called with internal errors, which callers do not see. */
  readonly onInternalError: (error: unknown, call: AgentContext) => void;
}

/** The result of a tool, and the tool's name. */
interface Done {
  readonly result: JsonObject;
  readonly name: string;
}

/**
 * Makes the call, or goes on with it, and yields its progress as status updates. Ends with a question, or returns the result
 * and the tool's name.
 *
 * @param kept what the call has asked for, with all answers, or the task at the server that it has become
 */
export async function* follow(
  request: ToolRequest,
  kept: KeptCall | undefined,
  context: AgentContext,
  deps: ToolCallDeps,
): AsyncGenerator<StreamResponse, Done | undefined> {
  const { signal, key, state, turn } = context;
  const { held } = deps;
  const caller = callerOf(context);
  let known = kept;
  let polled = kept?.polled;
  /** The new task at the server, as that has told it. */
  let seed: JsonObject | undefined;
  let round = kept?.round ?? 0;
  if (known?.held && !held.has(key)) throw new ToolFailure('sessionLost', lostText);
  const { to, name } = kept ? keptTarget(kept, deps.servers) : await routeChecked(request, context, deps, caller);
  const sample = to.sampling === undefined ? undefined : createSampling(to.sampling, context);
  const keep = (): KeptCall => ({
    request,
    server: to.id,
    name,
    round,
    questions: {},
    responses: {},
    partial: {},
    ...(turn !== undefined && { turn }),
    ...(polled && { polled }),
  });
  const keepPolled = async (task: PolledTask): Promise<void> => {
    polled = task;
    await state.task.set(polledKey, keep());
  };
  /** Keeps what is asked, and asks it; undefined where nothing is left to ask. */
  const wait = async (asked: Partial<KeptCall>): Promise<StreamResponse | undefined> => {
    known = { ...keep(), ...asked };
    const question = questionEvent(known);
    if (question) await state.task.set(askedKey, known);
    return question;
  };
  const nextRound = (): void => {
    round += 1;
    if (round > maxRounds)
      throw new ToolFailure('invalidResult', `The tool has asked ${maxRounds} times without a result`);
  };
  for (;;) {
    let call: RunningCall;
    if (known?.held) {
      const waiting = held.take(key);
      if (!waiting) throw new ToolFailure('sessionLost', lostText);
      call = waiting;
      const { [heldName]: response } = known.responses;
      // The server may have withdrawn its question, or ended the call.
      if (isObject(response)) call.answer(response, known.questions[heldName]);
    } else if (polled) {
      const [task, start] = [polled, { seed, responses: known?.responses ?? {}, onAnswered: keepPolled }];
      call = runCall((making) => pollTask(to, task, { ...caller, ...making }, start));
    } else {
      const input = known && { inputResponses: known.responses, requestState: known.requestState };
      if (known && isEmpty(known.questions) && isEmpty(known.responses))
        await sleep(emptyRoundTime, undefined, { signal });
      const path = to.gateway && (await (context as AgentContext & PathOfRun).path?.(to.gateway));
      call = runCall((making) => {
        const made = { ...caller, path, ...making, name, arguments: request.arguments, input };
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
        else if (news.question.method === samplingMethod) {
          const { params, withdrawn, answer, refuse } = call.takeQuestion() ?? news.question;
          await sample?.(params, withdrawn).then(answer, refuse);
          signal.throwIfAborted();
        } else {
          nextRound();
          const questions = { [heldName]: news.question.params };
          requireAskable(questions);
          const until = new Date(Date.now() + to.answerTimeout).toISOString();
          held.hold(key, call, to.answerTimeout);
          const question = await wait({ questions, held: true, until });
          if (question) yield question;
          return undefined;
        }
      }
      if (result.resultType === 'task') {
        await keepPolled(newPolledTask(result, to));
        [seed, known] = [result, undefined];
        continue;
      }
      if (result.resultType !== 'input_required') return { result, name };
      nextRound();
      const { samples, responses, ...asked } = readInputRequired(result, to);
      const sampled = samples.map(async ([name, params]) => [name, await sample?.(params, signal)] as const);
      const question = await wait({
        ...asked,
        responses: { ...responses, ...Object.fromEntries(await Promise.all(sampled)) },
      });
      if (question) {
        yield question;
        return undefined;
      }
      seed = undefined;
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

/** What a server learns of the caller. */
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
  throw new ToolFailure('unknownServer', `The server "${wanted}", which works on the call, is no longer configured`);
}

/** Cancels the task at the server that the call of a task has become. */
export async function cancelAtServer(context: AgentContext, servers: readonly NamedServer[]): Promise<void> {
  const kept = await context.state.task.get<KeptCall>(polledKey);
  const to = kept && servers.find(({ id }) => id === kept.server);
  if (kept?.polled && to) await cancelPolled(to, kept.polled, { ...callerOf(context), signal: context.signal });
}

const isEmpty = (object: object): boolean => Object.keys(object).length === 0;

/** Name of the question of a call that stays open. */
const heldName = 'question';

/** Milliseconds before a call is repeated whose server asked for nothing but that. */
const emptyRoundTime = 500;

const lostText =
  'The session in which the tool asked has ended, because the gateway was restarted, the question was not answered in time, ' +
  'or another replica got the answer. The call was not repeated: to call the tool again, send a message without a task id';

/** The tool that was called before: an answer goes on with no other one, whatever the server lists now. */
function keptTarget(kept: KeptCall, servers: readonly NamedServer[]): Pick<ToolTarget, 'to' | 'name'> {
  const { name, polled } = kept;
  const to = serverOf(kept, servers);
  if (!polled && !to.allowed(name))
    throw new ToolFailure('denied', `The tool "${name}" of "${to.id}" is no longer allowed by the configuration`);
  return { to, name };
}

/** The server and tool of a request whose arguments are valid. They are those by which the call was judged. */
async function routeChecked(
  request: ToolRequest,
  { signal, skill: judged }: AgentContext,
  { servers, check }: ToolCallDeps,
  caller: ToolCallContext,
): Promise<ToolTarget> {
  const target = await route(request, servers, signal, caller);
  if (judged !== undefined && target.skill !== judged) {
    const text = `The call was checked as one of "${judged}", and would call "${target.skill}" now: the tools have changed. Nothing was called`;
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
      // An error of the tool is a success of the protocol, but the call has failed.
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
