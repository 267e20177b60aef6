import { once } from 'node:events';
import { artifact, status } from '../../../agents/events.ts';
import type { Part, SendMessageRequest, StreamResponse } from '../../../core/model/a2a.ts';
import type { AgentContext, UnansweredMessage } from '../../../core/model/agent.ts';
import { maxHops } from '../../../core/model/call.ts';
import { A2AError } from '../../../core/model/errors.ts';
import type { JsonObject } from '../../../core/model/json.ts';
import type { ToolRequest } from '../../../core/model/tool-choice.ts';
import { maxUnread, type Unread, unreadKey } from '../../../core/model/unread.ts';
import { partsOf, readToolResult, textIn } from '../tool-result.ts';
import { ToolFailure } from './failures.ts';
import { follow, type ToolCallDeps } from './follow.ts';
import { askedKey, type KeptCall, polledKey, takeAsked } from './kept-call.ts';
import { questionEvent, withAnswer } from './questions.ts';
import { readRequest } from './route.ts';

/** Returns a part with a result in the form of AgentVault's `McpToolExecOutput`, without empty members. */
const outputPart = (output: { success: true; mcp_result: JsonObject } | { success: false; error: object }): Part => ({
  data: output,
  mediaType: 'application/json',
});

/**
 * Executes the tool call that a message requests. Yields a working status, progress, and the result both as an artifact
 * and as a message. If the server asks for input, the run ends with the question; the next message to the task
 * continues the call.
 *
 * @throws A2AError before the first event if the message names no tool, or has passed too many gateways
 */
export async function* runToolCall(
  { message }: SendMessageRequest,
  context: AgentContext,
  deps: ToolCallDeps,
): AsyncGenerator<StreamResponse, void> {
  const { signal, task } = context;
  const asked = task && (await takeAsked(context, deps.answering));
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
  yield* events(request, context, deps, async function* () {
    const next = asked && withAnswer(asked, message);
    const question = next && questionEvent(next);
    if (question) {
      const { turn } = context;
      await context.state.task.set(askedKey, { ...next, ...(turn !== undefined && { turn }) });
      yield question;
      return;
    }
    yield status('TASK_STATE_WORKING');
    yield* followed(request, next, context, deps);
  });
}

/**
 * Resumes a task whose process died: repeats its question, reads an answer that was not read, or polls the task at the
 * server that the call has become. Any other call fails, because it is unknown whether the tool has run.
 */
export async function* resumeToolCall(
  context: AgentContext,
  unanswered: UnansweredMessage | undefined,
  deps: ToolCallDeps,
): AsyncGenerator<StreamResponse, void> {
  const [asked, polled] = await Promise.all([askedKey, polledKey].map((key) => context.state.task.get<KeptCall>(key)));
  if (asked && unanswered && asked.turn !== context.turn) {
    yield* runToolCall(unanswered.request, context, deps);
    return;
  }
  const kept = asked ?? polled;
  if (!kept) {
    yield status('TASK_STATE_FAILED', interruptedText);
    return;
  }
  yield* events(kept.request, context, deps, async function* () {
    const question = asked && !asked.held && questionEvent(asked);
    if (question) yield question;
    else yield* followed(kept.request, kept, context, deps);
  });
}

const interruptedText =
  'The gateway stopped, or lost its store, during the call. Whether the tool has done its work is not known, and it was not ' +
  'called again.';

/** Yields the events of a call and then those of its result. */
async function* followed(
  request: ToolRequest,
  kept: KeptCall | undefined,
  context: AgentContext,
  deps: ToolCallDeps,
): AsyncGenerator<StreamResponse, void> {
  const done = yield* follow(request, kept, context, deps);
  if (done) yield* report(done.result, done.name, request, context);
}

/** Yields the events of a run. If the run fails, yields the events of its failure. */
async function* events(
  { tool }: ToolRequest,
  context: AgentContext,
  { held, onInternalError }: ToolCallDeps,
  run: () => AsyncGenerator<StreamResponse, void>,
): AsyncGenerator<StreamResponse, void> {
  try {
    yield* run();
  } catch (thrown) {
    context.signal.throwIfAborted();
    held.end(context.key, 'The call has failed');
    const failed = ToolFailure.from(thrown);
    if (failed.cause !== undefined) onInternalError(failed.cause, context);
    yield* failure(failed, tool);
  }
}

/**
 * Yields the events of a result. Parts that could not be read are listed in the task's metadata; all others are
 * delivered.
 */
function* report(
  result: JsonObject,
  name: string,
  { tool }: ToolRequest,
  context: AgentContext,
): Generator<StreamResponse, void> {
  const read = readToolResult(result);
  const { raw, isError } = read;
  const unread = read.unread.map(({ path, reason }) => ({ path: placeOf(path, isError), reason }));
  if (isError) {
    const details = { mcp_tool_error_content: raw.content ?? null };
    const failed = new ToolFailure('toolError', textIn(read) || 'The tool reported an error', { details });
    yield* named(failure(failed, tool, partsOf(read)), unread, context);
    return;
  }
  const output = outputPart({ success: true, mcp_result: raw });
  const events = [artifact({ name, content: [output, ...partsOf(read)] }), status('TASK_STATE_COMPLETED', [output])];
  yield* named(events, unread, context);
}

/**
 * Converts a path in a result to the path in the task. The first part of the artifact is AgentVault's output, and the
 * result's parts follow it.
 */
const placeOf = (path: string, isError: boolean): string =>
  `artifacts[0].${path
    .replace(/^parts\[(\d+)\]/, (_, at) => `parts[${Number(at) + 1}]`)
    .replace(/^raw\./, `parts[0].data.${isError ? 'error.details.mcp_tool_error_' : 'mcp_result.'}`)}`;

/** Yields events, and adds the list of unreadable parts to the last one. */
function* named(
  events: Iterable<StreamResponse>,
  unread: readonly Unread[],
  { drop, log }: AgentContext,
): Generator<StreamResponse, void> {
  if (unread.length === 0) {
    yield* events;
    return;
  }
  const lines = unread.slice(0, maxUnread).map(({ path, reason }) => `${path}: ${reason}`);
  log.warn("parts of the tool's result could not be read as they are", { unread: lines });
  for (const { path } of unread) drop(path.replaceAll(/\[\d+\]/g, ''));
  const all = [...events];
  const { statusUpdate } = all.at(-1) ?? {};
  if (statusUpdate) statusUpdate.metadata = { [unreadKey]: lines };
  yield* all;
}

/** Yields the events of a failure: the data part, then a final status with a text. */
function* failure(failed: ToolFailure, name: string, parts: readonly Part[] = []): Generator<StreamResponse, void> {
  const { source, code, output: error } = failed;
  const output = outputPart({ success: false, error });
  yield status('TASK_STATE_WORKING', [output]);
  yield artifact({ name, content: [output, ...parts] });
  const state = failed.condition === 'canceled' ? 'TASK_STATE_CANCELED' : 'TASK_STATE_FAILED';
  yield status(state, `[${source}/${code}] ${failed.message}`);
}
