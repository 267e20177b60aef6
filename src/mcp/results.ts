import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import * as z from 'zod';
import type { Message, Part, Task } from '../core/model/a2a.ts';
import type { A2AError } from '../core/model/errors.ts';
import { isTerminal, stateWord } from '../core/model/lifecycle.ts';
import { jsonSchemaOf, type ObjectSchema } from './arguments.ts';
import { convertParts, type McpContent } from './content.ts';
import type { ExposedAgent } from './exposed-agent.ts';

/** What results say: content for models, the same as structured content for programs, and how to go on. */

const file = z.looseObject({
  name: z.string().optional(),
  media_type: z.string().optional(),
  url: z.string().optional().describe('Where it is, if it is not in the content.'),
});

const outcome = z.looseObject({
  state: z
    .string()
    .describe('completed, working, input-required, auth-required, failed, canceled, rejected, submitted'),
  agent: z.string(),
  task_id: z.string().optional().describe('Absent where the agent answered without making a task.'),
  context_id: z.string().optional().describe('Pass it on to go on with the conversation.'),
  text: z.string().optional().describe('What the agent answered, asks or says, in words.'),
  data: z.array(z.unknown()).optional().describe('Structured data of the answer.'),
  files: z.array(file).optional(),
});

const list = z.looseObject({ tasks: z.array(outcome), next_page_token: z.string().optional() });

type TaskOutcome = z.infer<typeof outcome>;

/** What tools that answer with a task promise of their structured content. */
export const outcomeSchema: ObjectSchema = jsonSchemaOf(outcome);
/** What `list_tasks` promises. */
export const listSchema: ObjectSchema = jsonSchemaOf(list);

/** What the tools are called that go on with a task. */
export interface FollowUpTools {
  readonly send: string;
  readonly get: string;
  /** Whether they must be told which agent is meant. */
  readonly namesAgent: boolean;
}

/** What the parts of a converted answer come to, without what there is none of. */
const contentOf = ({ text, data, files }: McpContent): Pick<TaskOutcome, 'text' | 'data' | 'files'> => ({
  ...(text !== '' && { text }),
  ...(data.length > 0 && { data }),
  ...(files.length > 0 && { files }),
});

/** A direct answer. */
export function resultOfMessage({ parts, contextId }: Message, agent: ExposedAgent): CallToolResult {
  const converted = convertParts(parts, { uri: `a2a://${agent.name}/messages` });
  const structured: TaskOutcome = {
    state: 'completed',
    agent: agent.name,
    ...(contextId !== undefined && { context_id: contextId }),
    ...contentOf(converted),
  };
  const note = contextId === undefined ? [] : [`context_id: ${contextId}`];
  return { content: [...converted.content, ...noted(note)], structuredContent: { ...structured } };
}

const noted = (notes: readonly string[]): CallToolResult['content'] =>
  notes.length === 0 ? [] : [{ type: 'text', text: `[${notes.join(', ')}]` }];

/** What a task has to say: its artifacts, and its status where that is the answer, the question or the reason. */
function partsOf({ artifacts = [], status, history = [] }: Task): Part[] {
  const parts = artifacts.flatMap((artifact) => artifact.parts);
  if (status.state === 'TASK_STATE_COMPLETED' && parts.length > 0) return parts;
  // Generations without status messages say it in the history.
  const last = history.at(-1);
  const said = status.message ?? (parts.length === 0 && last?.role === 'ROLE_AGENT' ? last : undefined);
  return [...parts, ...(said?.parts ?? [])];
}

const unhappy: ReadonlySet<string> = new Set(['TASK_STATE_FAILED', 'TASK_STATE_REJECTED']);

/** A task as it stands, with what its caller can do now. */
export function resultOfTask(task: Task, agent: ExposedAgent, next: FollowUpTools): CallToolResult {
  const structured = structuredTask(task, agent);
  const { fileUrl } = agent;
  const place = {
    uri: `a2a://${agent.name}/tasks/${task.id}`,
    fileUrl: fileUrl && ((part: Part) => fileUrl(task.id, part)),
  };
  const converted = convertParts(partsOf(task), place);
  const { state } = task.status;
  const notes = [`task_id: ${task.id}`, ...(task.contextId ? [`context_id: ${task.contextId}`] : [])];
  const content = [...converted.content, ...noted([...notes, `state: ${stateWord(state)}`])];
  const advice = adviceFor(task, agent, next);
  if (advice !== undefined) content.push({ type: 'text', text: advice });
  return {
    content,
    structuredContent: { ...structured, ...contentOf(converted) },
    ...((unhappy.has(state) || state === 'TASK_STATE_CANCELED') && { isError: true }),
  };
}

/** What a tool behind an agent has answered, and the task that it was called by. */
export function resultOfTool(own: CallToolResult, task: Task, agent: ExposedAgent): CallToolResult {
  const texts = own.content.flatMap((block) => (block.type === 'text' ? [block.text] : []));
  const structured: TaskOutcome = {
    ...structuredTask(task, agent),
    ...(own.structuredContent ? { data: [own.structuredContent] } : { text: texts.join('\n') }),
  };
  return { ...own, content: [...own.content, ...noted([`task_id: ${task.id}`])], structuredContent: { ...structured } };
}

const structuredTask = ({ id, contextId, status }: Task, { name }: ExposedAgent): TaskOutcome => ({
  state: stateWord(status.state),
  agent: name,
  task_id: id,
  ...(contextId !== undefined && { context_id: contextId }),
});

function adviceFor({ id, status: { state } }: Task, { name }: ExposedAgent, next: FollowUpTools): string | undefined {
  const which = `${next.namesAgent ? `agent "${name}", ` : ''}task_id "${id}"`;
  if (isTerminal(state)) return undefined;
  if (state === 'TASK_STATE_INPUT_REQUIRED') {
    return `The agent asks for input. To answer, call ${next.send} with ${which} and the answer as message.`;
  }
  if (state === 'TASK_STATE_AUTH_REQUIRED') {
    return `The agent waits for an authorization, which a person has to give. Then call ${next.get} with ${which}.`;
  }
  return `The task is still under way and goes on. For its result, call ${next.get} with ${which} and wait_seconds 50.`;
}

/** A page of tasks. */
export function resultOfList(
  tasks: readonly Task[],
  nextPageToken: string | undefined,
  agent: ExposedAgent,
): CallToolResult {
  const rows = tasks.map((task) => ({
    ...structuredTask(task, agent),
    ...contentOf(convertParts(partsOf(task), { uri: `a2a://${agent.name}/tasks/${task.id}` })),
  }));
  const structuredContent = { tasks: rows, ...(nextPageToken && { next_page_token: nextPageToken }) };
  const short = rows.map(({ text, ...row }) => ({ ...row, ...(text !== undefined && { text: text.slice(0, 200) }) }));
  const text = JSON.stringify({ ...structuredContent, tasks: short }, undefined, 2);
  return { content: [{ type: 'text', text }], structuredContent };
}

/** What went wrong, in words that a model can do something with (MCP 2025-11-25, tools: error handling). */
export function resultOfError(error: A2AError): CallToolResult {
  const { message, kind, violations, retryAfter, metadata } = error;
  const fields = violations
    .filter(({ field }) => !message.includes(field))
    .map(({ field, description }) => `${field} ${description}`);
  const later = retryAfter === undefined ? [] : [`try again in ${Math.max(1, Math.ceil(retryAfter))} s`];
  const text = [message, ...fields, ...later].join('; ');
  const told = { kind, reason: error.row.reason, ...(Object.keys(metadata).length > 0 && { metadata }) };
  return { content: [{ type: 'text', text }], isError: true, _meta: { 'a2a-gateway/error': told } };
}
