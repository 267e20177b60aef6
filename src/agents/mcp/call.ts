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

/** What calls are made with. */
export interface ToolCallDeps {
  readonly servers: ReadonlyMap<string, NamedServer>;
  readonly checks: ArgumentChecks;
  /** Makes a span of each call. Absent: none. */
  readonly tracing?: Tracing;
  /** Told what went wrong inside, which callers are not. */
  readonly onInternal: (error: unknown, call: AgentContext) => void;
}

/** What a call comes to: the content of AgentVault's answer (`McpToolExecOutput`), without keys that say nothing. */
interface ToolOutput {
  readonly success: boolean;
  readonly mcp_result?: JsonObject;
  readonly error?: ToolErrorOutput;
}

const json = 'application/json';

const outputPart = (output: ToolOutput): Part => ({ data: output, mediaType: json });

/** Every tool that may be called, as it is named in a message that leaves the server out. */
const toolNames = (servers: ReadonlyMap<string, NamedServer>): string[] =>
  [...servers.values()].flatMap((entry) => (allowedTools(entry) ?? []).map(({ name }) => `${entry.id}.${name}`));

/**
 * Answers one message with the events of one call: working, progress, the answer as an artifact, and as a message when
 * the task is completed, or before it fails.
 *
 * @throws A2AError before the first event when the message does not ask for a call, or has come in a circle
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
      'This task is one call, and that is under way; for another one, leave the task out.',
    );
    if (!signal.aborted) await once(signal, 'abort');
    return;
  }
  const request = readRequest(message, () => toolNames(deps.servers));
  const facts = factsOf(context);
  if (facts.hops > maxHops) throw new A2AError('invalidRequest', `The call has passed more than ${maxHops} gateways`);
  yield status('TASK_STATE_WORKING');
  try {
    const target = await route(request, deps.servers, signal, facts);
    check(request, target, deps.checks);
    const result = yield* call(request, target, signal, facts, deps.tracing);
    if (!isSafeJson(result))
      throw new ToolFailure('invalidResult', 'The result is nested too deeply, or has a key __proto__');
    if (result.isError === true) yield* failure(failureOf(result), request.tool, result);
    else yield* success(result, target.name);
  } catch (thrown) {
    signal.throwIfAborted();
    const failed = ToolFailure.from(thrown);
    if (failed.cause !== undefined) deps.onInternal(failed.cause, context);
    yield* failure(failed, request.tool);
  }
}

/** Arguments that do not fit are refused before the server sees them, each by its name. */
function check({ arguments: given }: ToolRequest, { tool }: ToolTarget, checks: ArgumentChecks): void {
  const violations = tool ? checks.violations(tool, given) : [];
  if (violations.length === 0) return;
  const said = violations.map(({ field, description }) => `${field} ${description}`).join('; ');
  throw new ToolFailure('invalidArguments', `Invalid arguments: ${said}`, { details: { violations } });
}

/** What of the caller goes with the call. */
const factsOf = (context: AgentContext): ToolCallContext => ({
  hops: context.hops + 1,
  ...traceOf(context),
  ...(context.credentials && { credentials: context.credentials }),
});

/** Calls the tool. Its progress is told as the work of the task. */
async function* call(
  { arguments: given }: ToolRequest,
  { to, name }: ToolTarget,
  signal: AbortSignal,
  facts: ToolCallContext,
  tracing: Tracing | undefined,
): AsyncGenerator<StreamResponse, JsonObject> {
  const reports = new ProgressThrottle();
  let over = false;
  const asked = { ...facts, name, arguments: given, signal, onProgress: reports.push };
  const result = tracing ? callTraced(tracing, to, asked) : to.server.call(asked);
  const done = result.then(
    () => {
      over = true;
    },
    () => {
      over = true;
    },
  );
  while (!over) {
    await reports.ready(done);
    const report = reports.take();
    if (report) yield status('TASK_STATE_WORKING', progressText(report));
  }
  return result;
}

function* success(result: JsonObject, name: string): Generator<StreamResponse, void> {
  const output = outputPart({ success: true, mcp_result: result });
  yield artifact({ name, content: [output, ...partsOf(result)] });
  yield status('TASK_STATE_COMPLETED', [output]);
}

/** The message of a failure comes before its last status, which says it in words. */
function* failure(failed: ToolFailure, name: string, result?: JsonObject): Generator<StreamResponse, void> {
  const { source, code, output: error } = failed;
  const output = outputPart({ success: false, error });
  yield status('TASK_STATE_WORKING', [output]);
  yield artifact({ name, content: [output, ...(result ? partsOf(result) : [])] });
  yield status('TASK_STATE_FAILED', `[${source}/${code}] ${failed.message}`);
}

/** What a result that says `isError` is to the caller. */
const failureOf = (result: JsonObject): ToolFailure =>
  new ToolFailure('toolError', textOf(result) || 'The tool reports an error', {
    details: { mcp_tool_error_content: result.content ?? null },
  });

/** Calls a tool as a span, named and described as the semantic conventions for MCP want it. */
export function callTraced(tracing: Tracing, { id, server }: NamedServer, call: ToolCall): Promise<JsonObject> {
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
      // What a tool says of itself is no failure of the protocol, and one of the call all the same.
      if (result.isError === true) span.fail('tool_error');
      return result;
    },
    (thrown) => (call.signal.aborted ? 'canceled' : ToolFailure.from(thrown).condition),
  );
}

/** Milliseconds between two reports that are passed on: each is an event in the task's log. */
const pause = 100;

/** The reports of a call that is under way: of those that come too fast, the latest. */
export class ProgressThrottle {
  #latest: ToolProgress | undefined;
  #wake: (() => void) | undefined;
  #next = 0;

  readonly push = (progress: ToolProgress): void => {
    this.#latest = progress;
    this.#wake?.();
  };

  /** The report that has come since the last one was taken, if any. */
  take(): ToolProgress | undefined {
    const latest = this.#latest;
    this.#latest = undefined;
    return latest;
  }

  /** Resolves when there is a report and its time has come, or when `done` does. */
  async ready(done: Promise<unknown>): Promise<void> {
    if (!this.#latest) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#wake = resolve;
      await Promise.race([promise, done]);
      this.#wake = undefined;
    }
    const wait = this.#next - Date.now();
    if (this.#latest && wait > 0) {
      let timer: NodeJS.Timeout | undefined;
      const over = new Promise<void>((resolve) => {
        timer = setTimeout(resolve, wait);
      });
      await Promise.race([over, done]);
      clearTimeout(timer);
    }
    this.#next = Date.now() + pause;
  }
}

/** A report in words. */
export function progressText({ progress, total, message }: ToolProgress): string {
  const far = progress === undefined ? '' : total === undefined ? String(progress) : `${progress} of ${total}`;
  if (typeof message !== 'string' || message === '') return far === '' ? 'Working' : `Progress: ${far}`;
  return far === '' ? shortened(message, 1_000) : `${shortened(message, 1_000)} (${far})`;
}
