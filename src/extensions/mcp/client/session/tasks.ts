import { isObject, type JsonObject } from '../../../../core/model/json.ts';
import { ToolFailure } from '../failures.ts';
import type { ToolTaskRequest } from '../tool-server.ts';

/** Sends one request over the session. */
type Ask = (method: string, params: JsonObject) => Promise<JsonObject>;

/** Sends a request about a task to a server of 2026-07-28. */
export const requestTask = (
  { method, taskId, inputResponses }: Pick<ToolTaskRequest, 'method' | 'taskId' | 'inputResponses'>,
  ask: Ask,
): Promise<JsonObject> => ask(method, { taskId, ...(inputResponses && { inputResponses }) });

/**
 * Calls a tool as a task of MCP 2025-11-25 (utilities/tasks). In this version, the caller decides whether a call
 * becomes a task.
 *
 * @param ttl milliseconds for which the server is asked to keep the task
 */
export async function callAsLegacyTask(params: JsonObject, ttl: number, ask: Ask): Promise<JsonObject> {
  const { task } = await ask('tools/call', { ...params, task: { ttl } });
  if (!isObject(task)) throw new ToolFailure('invalidResponse', 'The server created no task for the tool');
  return { ...inNewForm(task), resultType: 'task' };
}

/**
 * Sends a request about a task to a server of 2025-11-25. For a task that has ended or asks, the result is fetched too;
 * in this version that is a separate request, during which the server asks.
 */
export async function requestLegacyTask(
  { method, taskId }: Pick<ToolTaskRequest, 'method' | 'taskId'>,
  ask: Ask,
): Promise<JsonObject> {
  if (method === 'tasks/update')
    throw new ToolFailure('invalidResponse', 'The server accepts answers only within a session');
  const task = await ask(method, { taskId });
  if (method === 'tasks/cancel' || task.status === 'working' || task.status === 'cancelled') return inNewForm(task);
  return { ...task, status: 'completed', result: await ask('tasks/result', { taskId }) };
}

const inNewForm = ({ pollInterval, ...task }: JsonObject): JsonObject => ({ ...task, pollIntervalMs: pollInterval });
