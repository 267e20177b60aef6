import { once } from 'node:events';
import { artifact, status } from '../../../agents/events.ts';
import type { Part, SendMessageRequest, StreamResponse } from '../../../core/model/a2a.ts';
import type { AgentContext } from '../../../core/model/agent.ts';
import { maxHops } from '../../../core/model/call.ts';
import { A2AError } from '../../../core/model/errors.ts';
import type { JsonObject } from '../../../core/model/json.ts';
import { withTimeout } from '../../../core/model/timing.ts';
import { traceOf } from '../../../core/telemetry/trace-context.ts';
import { type Tracing, withSpan } from '../../../core/telemetry/tracing.ts';
import type { createArgumentCheck } from './arguments.ts';
import { shortened, ToolFailure } from './failures.ts';
import { partsOf, textOf } from './parts.ts';
import { type NamedServer, readRequest, route, type ToolRequest, type ToolTarget } from './route.ts';
import { isSafeJson, type ToolCall, type ToolCallContext, type ToolProgress } from './tool-server.ts';

/** What tool calls need. */
export interface ToolCallDeps {
  readonly servers: readonly NamedServer[];
  readonly check: ReturnType<typeof createArgumentCheck>;
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
  const request = readRequest(message, deps.servers);
  const call: ToolCallContext = {
    hops: context.hops + 1,
    caller: context.principal.id,
    ...traceOf(context),
    ...(context.credentials && { credentials: context.credentials }),
  };
  if (call.hops > maxHops) throw new A2AError('invalidRequest', `The call has passed more than ${maxHops} gateways`);
  yield status('TASK_STATE_WORKING');
  try {
    const target = await route(request, deps.servers, signal, call);
    const violations = target.tool ? deps.check(target.tool, request.arguments) : [];
    if (violations.length > 0) {
      const text = violations.map(({ field, description }) => `${field} ${description}`).join('; ');
      throw new ToolFailure('invalidArguments', `Invalid arguments: ${text}`, { details: { violations } });
    }
    const result = yield* callTool(request, target, signal, call, deps.tracing);
    if (!isSafeJson(result)) {
      throw new ToolFailure('invalidResult', 'The result is nested too deeply, or has a key __proto__');
    }
    if (result.isError === true) {
      const details = { mcp_tool_error_content: result.content ?? null };
      const failed = new ToolFailure('toolError', textOf(result) || 'The tool reported an error', { details });
      yield* failure(failed, request.tool, result);
      return;
    }
    const output = outputPart({ success: true, mcp_result: result });
    yield artifact({ name: target.name, content: [output, ...partsOf(result)] });
    yield status('TASK_STATE_COMPLETED', [output]);
  } catch (thrown) {
    signal.throwIfAborted();
    const failed = ToolFailure.from(thrown);
    if (failed.cause !== undefined) deps.onInternalError(failed.cause, context);
    yield* failure(failed, request.tool);
  }
}

/** Milliseconds between two progress reports. */
const reportInterval = 100;

/** Calls the tool, and yields its progress as status updates. */
async function* callTool(
  { arguments: given }: ToolRequest,
  { to, name }: ToolTarget,
  signal: AbortSignal,
  context: ToolCallContext,
  tracing: Tracing | undefined,
): AsyncGenerator<StreamResponse, JsonObject> {
  let latest: ToolProgress | undefined;
  let reported = Promise.withResolvers<void>();
  const onProgress = (progress: ToolProgress): void => {
    latest = progress;
    reported.resolve();
  };
  const call = { ...context, name, arguments: given, signal, onProgress };
  const result = tracing ? callTraced(tracing, to, call) : to.server.call(call);
  let over = false;
  const onEnd = (): void => {
    over = true;
  };
  const ended = result.then(onEnd, onEnd);
  for (;;) {
    await Promise.race([reported.promise, ended]);
    const report = latest;
    latest = undefined;
    reported = Promise.withResolvers();
    if (report) yield status('TASK_STATE_WORKING', progressText(report));
    else if (over) return result;
    // Each report is an event in the task's log: of each interval, the latest is passed on.
    await withTimeout(ended, reportInterval);
  }
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
