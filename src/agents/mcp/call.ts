import { once } from 'node:events';
import type { Part, SendMessageRequest, StreamResponse } from '../../core/model/a2a.ts';
import type { AgentContext } from '../../core/model/agent.ts';
import { maxHops } from '../../core/model/call.ts';
import { A2AError } from '../../core/model/errors.ts';
import type { JsonObject } from '../../core/model/json.ts';
import { traceOf } from '../../core/telemetry/trace-context.ts';
import { type Tracing, withSpan } from '../../core/telemetry/tracing.ts';
import { artifact, status } from '../events.ts';
import type { ArgumentChecks } from './arguments.ts';
import { shortened, type ToolErrorOutput, ToolFailure } from './failures.ts';
import { partsOf, textOf } from './parts.ts';
import { allowedTools, type NamedServer, readRequest, route, type ToolRequest, type ToolTarget } from './route.ts';
import { isSafeJson, type ToolCall, type ToolCallContext, type ToolProgress } from './tool-server.ts';

/** What tool calls need. */
export interface ToolCallDeps {
  readonly servers: ReadonlyMap<string, NamedServer>;
  readonly checks: ArgumentChecks;
  /** Makes a span of each call. Absent: none. */
  readonly tracing?: Tracing;
  /** Called with internal errors, which callers do not see. */
  readonly onInternalError: (error: unknown, call: AgentContext) => void;
}

/** The result of a call, in the form of AgentVault's `McpToolExecOutput` without empty keys. */
interface ToolOutput {
  readonly success: boolean;
  readonly mcp_result?: JsonObject;
  readonly error?: ToolErrorOutput;
}

const outputPart = (output: ToolOutput): Part => ({ data: output, mediaType: 'application/json' });

/** The full names of all tools that may be called. */
const toolNames = (servers: ReadonlyMap<string, NamedServer>): string[] =>
  [...servers.values()].flatMap((entry) => (allowedTools(entry) ?? []).map(({ name }) => `${entry.id}.${name}`));

/**
 * Answers one message with the events of one call: working, progress, and the result, both as an artifact and as a
 * message.
 *
 * @throws A2AError before the first event when the message names no tool, or has passed too many gateways
 */
export async function* runToolCall(
  { message }: SendMessageRequest,
  context: AgentContext,
  deps: ToolCallDeps,
): AsyncGenerator<StreamResponse, void> {
  const { signal, task } = context;
  if (task) {
    yield status(
      'TASK_STATE_WORKING',
      'This task is a tool call that is still running. To call another tool, send a message without a task id.',
    );
    if (!signal.aborted) await once(signal, 'abort');
    return;
  }
  const request = readRequest(message, () => toolNames(deps.servers));
  const call: ToolCallContext = {
    hops: context.hops + 1,
    ...traceOf(context),
    ...(context.credentials && { credentials: context.credentials }),
  };
  if (call.hops > maxHops) throw new A2AError('invalidRequest', `The call has passed more than ${maxHops} gateways`);
  yield status('TASK_STATE_WORKING');
  try {
    const target = await route(request, deps.servers, signal, call);
    check(request, target, deps.checks);
    const result = yield* callTool(request, target, signal, call, deps.tracing);
    if (!isSafeJson(result))
      throw new ToolFailure('invalidResult', 'The result is nested too deeply, or has a key __proto__');
    if (result.isError === true) yield* failure(toolErrorOf(result), request.tool, result);
    else yield* success(result, target.name);
  } catch (thrown) {
    signal.throwIfAborted();
    const failed = ToolFailure.from(thrown);
    if (failed.cause !== undefined) deps.onInternalError(failed.cause, context);
    yield* failure(failed, request.tool);
  }
}

/** Refuses invalid arguments before the server sees them. */
function check({ arguments: given }: ToolRequest, { tool }: ToolTarget, checks: ArgumentChecks): void {
  const violations = tool ? checks.violations(tool, given) : [];
  if (violations.length === 0) return;
  const text = violations.map(({ field, description }) => `${field} ${description}`).join('; ');
  throw new ToolFailure('invalidArguments', `Invalid arguments: ${text}`, { details: { violations } });
}

/** Calls the tool, and yields its progress as status updates. */
async function* callTool(
  { arguments: given }: ToolRequest,
  { to, name }: ToolTarget,
  signal: AbortSignal,
  context: ToolCallContext,
  tracing: Tracing | undefined,
): AsyncGenerator<StreamResponse, JsonObject> {
  const progress = new ProgressThrottle();
  let over = false;
  const call = { ...context, name, arguments: given, signal, onProgress: progress.push };
  const result = tracing ? callTraced(tracing, to, call) : to.server.call(call);
  const onEnd = (): void => {
    over = true;
  };
  const done = result.then(onEnd, onEnd);
  while (!over) {
    await progress.ready(done);
    const report = progress.take();
    if (report) yield status('TASK_STATE_WORKING', progressText(report));
  }
  return result;
}

function* success(result: JsonObject, name: string): Generator<StreamResponse, void> {
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

/** The failure that a result with `isError` reports. */
const toolErrorOf = (result: JsonObject): ToolFailure =>
  new ToolFailure('toolError', textOf(result) || 'The tool reported an error', {
    details: { mcp_tool_error_content: result.content ?? null },
  });

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

/** Milliseconds between two progress reports: each of them is an event in the task's log. */
const reportInterval = 100;

/** Passes on a call's progress at a limited rate: the latest report of each interval. */
class ProgressThrottle {
  #latest: ToolProgress | undefined;
  #wake: (() => void) | undefined;
  #next = 0;

  readonly push = (progress: ToolProgress): void => {
    this.#latest = progress;
    this.#wake?.();
  };

  /** The report since the last call, if there is one. */
  take(): ToolProgress | undefined {
    const latest = this.#latest;
    this.#latest = undefined;
    return latest;
  }

  /** Resolves when a report is due, or when `done` resolves. */
  async ready(done: Promise<unknown>): Promise<void> {
    if (!this.#latest) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#wake = resolve;
      await Promise.race([promise, done]);
      this.#wake = undefined;
    }
    const wait = this.#next - Date.now();
    if (this.#latest && wait > 0) {
      const { promise, resolve } = Promise.withResolvers<void>();
      const timer = setTimeout(resolve, wait);
      await Promise.race([promise, done]);
      clearTimeout(timer);
    }
    this.#next = Date.now() + reportInterval;
  }
}

/** A report as text. */
export function progressText({ progress, total, message }: ToolProgress): string {
  const far = progress === undefined ? '' : total === undefined ? String(progress) : `${progress} of ${total}`;
  if (typeof message !== 'string' || message === '') return far === '' ? 'Working' : `Progress: ${far}`;
  return far === '' ? shortened(message, 1_000) : `${shortened(message, 1_000)} (${far})`;
}
