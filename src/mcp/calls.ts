import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import type { Task } from '../core/model/a2a.ts';
import { isStream } from '../core/model/call.ts';
import { A2AError } from '../core/model/errors.ts';
import { newId } from '../core/model/ids.ts';
import type { JsonObject } from '../core/model/json.ts';
import {
  cancelTaskArguments,
  getTaskArguments,
  listTasksArguments,
  messageArguments,
  messageOf,
  readArguments,
  stateOfWord,
} from './arguments.ts';
import type { ExposedAgent, InvokeContext } from './exposed-agent.ts';
import { ProgressReporter, type SendProgress } from './progress.ts';
import { callPart, callsTools, type ProxiedTool, toolResultIn } from './proxied-tools.ts';
import { type FollowUpTools, resultOfList, resultOfMessage, resultOfTask, resultOfTool } from './results.ts';
import { sendAndWait, type WaitOptions, waitForTask } from './wait.ts';

/** How long calls wait, in milliseconds. */
export interface WaitLimits {
  /** Where the call does not say. */
  readonly usual: number;
  /** However much the call asks for. */
  readonly most: number;
}

/** One call of a tool. */
export interface ToolInvocation extends InvokeContext {
  /** Ends waits as if their time were up. */
  readonly stopping: AbortSignal;
  /** Where the client wants to know how the call comes on. */
  readonly report: SendProgress | undefined;
  readonly patience: WaitLimits;
  readonly next: FollowUpTools;
}

const silent: WaitOptions['onEvent'] = () => {};

/** Waits with `work` as long as the call says, and reports what happens. */
async function withProgress<T>(
  calling: ToolInvocation,
  seconds: number | undefined,
  work: (wait: WaitOptions) => Promise<T>,
): Promise<T> {
  const { report, patience } = calling;
  const time = Math.min(patience.most, seconds === undefined ? patience.usual : seconds * 1_000);
  const progress = report && new ProgressReporter(report);
  try {
    return await work({ ...calling, time, onEvent: progress ? (event) => progress.event(event) : silent });
  } finally {
    progress?.stop();
  }
}

/**
 * Sends a message to an agent and waits for the answer.
 *
 * @param skill id of the skill that is meant
 */
export async function sendMessage(
  agent: ExposedAgent,
  given: JsonObject,
  calling: ToolInvocation,
  skill?: string,
): Promise<CallToolResult> {
  const read = readArguments(messageArguments, given);
  const message = messageOf(read, skill);
  const outcome = await withProgress(calling, read.wait_seconds, (wait) => sendAndWait(agent, message, wait));
  return 'message' in outcome ? resultOfMessage(outcome.message, agent) : taskResult(outcome.task, agent, calling);
}

/** Calls a skill that is a tool itself: the result is the tool's own. */
export async function callSkill(
  agent: ExposedAgent,
  tool: ProxiedTool,
  given: JsonObject,
  calling: ToolInvocation,
): Promise<CallToolResult> {
  const message = { messageId: newId(), role: 'ROLE_USER' as const, parts: [callPart(tool, given)] };
  const outcome = await withProgress(calling, undefined, (wait) => sendAndWait(agent, message, wait));
  if ('message' in outcome) return resultOfMessage(outcome.message, agent);
  return toolResultIn(outcome.task) ?? resultOfTask(outcome.task, agent, calling.next);
}

/** How a task stands, perhaps after a wait. */
export async function getTask(
  agent: ExposedAgent,
  given: JsonObject,
  calling: ToolInvocation,
): Promise<CallToolResult> {
  const { task_id, wait_seconds = 0 } = readArguments(getTaskArguments, given);
  const task = await withProgress(calling, wait_seconds, (wait) => waitForTask(agent, task_id, wait));
  return taskResult(task, agent, calling);
}

/** A task as it stands; what a tool behind the agent has answered is told as the tool's own words. */
function taskResult(task: Task, agent: ExposedAgent, { next }: ToolInvocation): CallToolResult {
  const own = callsTools(agent.card) ? toolResultIn(task) : undefined;
  return own ? resultOfTool(own, task, agent) : resultOfTask(task, agent, next);
}

/** Cancels a task. That it is canceled is no failure of this call. */
export async function cancelTask(
  agent: ExposedAgent,
  given: JsonObject,
  calling: ToolInvocation,
): Promise<CallToolResult> {
  const { task_id: id } = readArguments(cancelTaskArguments, given);
  const reply = await agent.invoke('CancelTask', { id }, calling);
  if (isStream(reply)) throw new A2AError('invalidAgentResponse');
  const { isError: _, ...result } = resultOfTask(reply.value as Task, agent, calling.next);
  return result;
}

/** A page of the caller's tasks. */
export async function listTasks(
  agent: ExposedAgent,
  given: JsonObject,
  calling: ToolInvocation,
): Promise<CallToolResult> {
  const { context_id, state, page_size, page_token } = readArguments(listTasksArguments, given);
  const request = {
    pageSize: page_size ?? 20,
    historyLength: 0,
    ...(context_id !== undefined && { contextId: context_id }),
    ...(state !== undefined && { status: stateOfWord(state) }),
    ...(page_token !== undefined && { pageToken: page_token }),
  };
  const reply = await agent.invoke('ListTasks', request, calling);
  if (isStream(reply)) throw new A2AError('invalidAgentResponse');
  const { tasks = [], nextPageToken } = reply.value as { tasks?: Task[]; nextPageToken?: string };
  return resultOfList(tasks, nextPageToken, agent);
}
