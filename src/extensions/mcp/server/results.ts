import type { CallToolResult, ContentBlock } from '@modelcontextprotocol/server';
import * as z from 'zod';
import type { Message, Part, Task, TaskState } from '../../../core/model/a2a.ts';
import { openAskOf } from '../../../core/model/ask.ts';
import type { A2AError } from '../../../core/model/errors.ts';
import { defined } from '../../../core/model/json.ts';
import { isTerminal, stateWord } from '../../../core/model/lifecycle.ts';
import { createJoiner } from '../../../core/model/text.ts';
import { jsonSchemaOf, type ObjectSchema } from './arguments.ts';
import type { ExposedAgent } from './exposed-agent.ts';

/**
 * Results of tools: content for models, the same information as structured content for programs, and how to continue.
 */

const file = z.looseObject({
  name: z.string().optional(),
  media_type: z.string().optional(),
  url: z.string().optional().describe('URL of the file, if the file is not in the content.'),
});

const outcome = z.looseObject({
  state: z
    .string()
    .describe('completed, working, input-required, auth-required, failed, canceled, rejected, submitted'),
  agent: z.string(),
  task_id: z.string().optional().describe('Absent if the agent answered without creating a task.'),
  context_id: z.string().optional().describe('Pass it to continue the conversation.'),
  text: z.string().optional().describe("The agent's answer or question, as text."),
  data: z.array(z.unknown()).optional().describe('Structured data of the answer.'),
  files: z.array(file).optional(),
});

const list = z.looseObject({ tasks: z.array(outcome), next_page_token: z.string().optional() });

type TaskOutcome = z.infer<typeof outcome>;

/** Schema of the structured content of tools that return a task. */
export const outcomeSchema: ObjectSchema = jsonSchemaOf(outcome);
/** Schema of the structured content of `list_tasks`. */
export const listSchema: ObjectSchema = jsonSchemaOf(list);

/** Names of the tools with which clients continue a task. */
export interface FollowUpTools {
  readonly send: string;
  readonly get: string;
  readonly namesAgent: boolean;
}

/** Returns the non-empty parts of a converted response. */
const contentOf = ({ text, data, files }: McpContent): Pick<TaskOutcome, 'text' | 'data' | 'files'> => ({
  ...(text !== '' && { text }),
  ...(data.length > 0 && { data }),
  ...(files.length > 0 && { files }),
});

const note = (notes: readonly string[]): CallToolResult['content'] =>
  notes.length === 0 ? [] : [{ type: 'text', text: `[${notes.join(', ')}]` }];

/** Returns the result for a direct response. */
export function resultOfMessage({ parts, contextId }: Message, { name }: ExposedAgent): CallToolResult {
  const converted = convertParts(parts, { uri: `a2a://${name}/messages` });
  const context = contextId === undefined ? {} : { context_id: contextId };
  const notes = note(contextId === undefined ? [] : [`context_id: ${contextId}`]);
  return {
    content: [...converted.content, ...notes],
    structuredContent: { state: 'completed', agent: name, ...context, ...contentOf(converted) } satisfies TaskOutcome,
  };
}

/**
 * Converts the content of a task: its artifacts, and its status message if that is the response, the question or the
 * reason.
 */
function convertTask(
  { id, artifacts = [], status, history = [] }: Task,
  { name, fileUrl }: Pick<ExposedAgent, 'name' | 'fileUrl'>,
): McpContent {
  const parts = artifacts.flatMap((artifact) => artifact.parts);
  const place = {
    uri: `a2a://${name}/tasks/${id}`,
    fileUrl: fileUrl && ((part: Part) => fileUrl(id, part)),
  };
  if (status.state === 'TASK_STATE_COMPLETED' && parts.length > 0) return convertParts(parts, place);
  // In dialects without status messages, the message is in the history.
  const last = history.at(-1);
  const message = status.message ?? (parts.length === 0 && last?.role === 'ROLE_AGENT' ? last : undefined);
  return convertParts([...parts, ...(message?.parts ?? [])], place);
}

const errorStates: readonly TaskState[] = ['TASK_STATE_FAILED', 'TASK_STATE_REJECTED', 'TASK_STATE_CANCELED'];

/** Returns a task in its current state, with advice on how its caller can continue. */
export function resultOfTask(task: Task, agent: ExposedAgent, next: FollowUpTools): CallToolResult {
  const converted = convertTask(task, agent);
  const { id, contextId, status } = task;
  const notes = [`task_id: ${id}`, ...(contextId ? [`context_id: ${contextId}`] : [])];
  const advice = adviceFor(task, agent, next);
  return {
    content: [
      ...converted.content,
      ...note([...notes, `state: ${stateWord(status.state)}`]),
      ...(advice === undefined ? [] : [{ type: 'text', text: advice } as const]),
    ],
    structuredContent: { ...structuredTask(task, agent), ...contentOf(converted) },
    ...(errorStates.includes(status.state) && { isError: true }),
  };
}

export function resultOfTool(own: CallToolResult, task: Task, agent: ExposedAgent): CallToolResult {
  const texts = own.content.flatMap((block) => (block.type === 'text' ? [block.text] : []));
  const structuredContent = {
    ...structuredTask(task, agent),
    ...(own.structuredContent ? { data: [own.structuredContent] } : { text: texts.join('\n') }),
  };
  return { ...own, content: [...own.content, ...note([`task_id: ${task.id}`])], structuredContent };
}

const structuredTask = ({ id, contextId, status }: Task, { name }: ExposedAgent): TaskOutcome => ({
  state: stateWord(status.state),
  agent: name,
  task_id: id,
  ...(contextId !== undefined && { context_id: contextId }),
});

function adviceFor(task: Task, { name }: ExposedAgent, next: FollowUpTools): string | undefined {
  const { id, status } = task;
  const { state } = status;
  const which = `${next.namesAgent ? `agent "${name}", ` : ''}task_id "${id}"`;
  if (isTerminal(state)) return undefined;
  if (state === 'TASK_STATE_INPUT_REQUIRED') {
    return `The agent asks for input. To answer, call ${next.send} with ${which} and the answer as message.`;
  }
  if (openAskOf(task)) {
    return `A person must approve this call before the agent receives it; no tool can approve it. To see the outcome, call ${next.get} with ${which} later.`;
  }
  if (state === 'TASK_STATE_AUTH_REQUIRED') {
    return `The agent waits for an authorization by a person. After that, call ${next.get} with ${which}.`;
  }
  return `The task is still working. For its result, call ${next.get} with ${which} and wait_seconds 50.`;
}

/** Returns the result for a page of tasks. */
export function resultOfList(
  tasks: readonly Task[],
  nextPageToken: string | undefined,
  { fileUrl: _, ...agent }: ExposedAgent,
): CallToolResult {
  const rows = tasks.map((task) => ({ ...structuredTask(task, agent), ...contentOf(convertTask(task, agent)) }));
  const structuredContent = { tasks: rows, ...(nextPageToken && { next_page_token: nextPageToken }) };
  const short = rows.map(({ text, ...row }) => ({ ...row, ...(text !== undefined && { text: text.slice(0, 200) }) }));
  const text = JSON.stringify({ ...structuredContent, tasks: short }, undefined, 2);
  return { content: [{ type: 'text', text }], structuredContent };
}

/** Returns the result for an error, worded so that a model can act on it (MCP 2025-11-25, tools: error handling). */
export function resultOfError(error: A2AError): CallToolResult {
  const { kind, row, metadata } = error;
  const details = { kind, reason: row.reason, ...(Object.keys(metadata).length > 0 && { metadata }) };
  return {
    content: [{ type: 'text', text: errorText(error) }],
    isError: true,
    _meta: { 'a2a-gateway/error': details },
  };
}

/** Returns the text of an error, including the invalid fields. */
export function errorText({ message, violations, retryAfter }: A2AError): string {
  const fields = violations
    .filter(({ field }) => !message.includes(field))
    .map(({ field, description }) => `${field} ${description}`);
  const later = retryAfter === undefined ? [] : [`try again in ${Math.max(1, Math.ceil(retryAfter))} s`];
  return [message, ...fields, ...later].join('; ');
}

/** Maximum bytes that are sent within a result. Larger files become links if they are served. */
const mostInline = 1 << 20;

interface PartLocation {
  /** Prefix of the URI for a part without a URL. */
  readonly uri: string;
  /** Returns a URL for the part's bytes. Absent: the bytes are sent in the result. */
  readonly fileUrl?: ((part: Part) => string) | undefined;
}

/** A file in structured content. */
type FileFacts = z.infer<typeof file>;

/** Parts converted to MCP content and to structured content. */
interface McpContent {
  readonly content: ContentBlock[];
  readonly text: string;
  readonly data: unknown[];
  readonly files: FileFacts[];
}

/** Types of content blocks for binary parts, by the first half of their media type. */
const blockTypes = { image: 'image', audio: 'audio' } as const;

const isText = (mediaType: string): boolean => /^text\/|^application\/(?:[\w.-]+\+)?(?:json|xml|yaml)$/.test(mediaType);

/** Converts parts. Consecutive texts become one block; every other part becomes a block. */
function convertParts(parts: readonly Part[], place: PartLocation): McpContent {
  const converted: McpContent = { content: [], text: '', data: [], files: [] };
  const joiner = createJoiner(({ text = '' }) => text);
  let text = '';
  let whole = '';
  const endText = (): void => {
    if (text !== '') converted.content.push({ type: 'text', text });
    text = '';
  };
  for (const [index, part] of parts.entries()) {
    if (part.text !== undefined) {
      const more = joiner.push(part);
      text += text === '' ? more.replace(/^\n/, '') : more;
      whole += more;
      continue;
    }
    endText();
    if (part.data !== undefined) {
      converted.data.push(part.data);
      converted.content.push({ type: 'text', text: JSON.stringify(part.data, undefined, 2) });
    } else {
      const { block, facts } = fileBlock(part, index, place);
      converted.content.push(block);
      converted.files.push(facts);
    }
  }
  endText();
  return { ...converted, text: whole };
}

function fileBlock(part: Part, index: number, place: PartLocation): { block: ContentBlock; facts: FileFacts } {
  const { filename, mediaType, raw = '' } = part;
  const large = Buffer.byteLength(raw, 'base64') > mostInline;
  const url = part.url ?? (large ? place.fileUrl?.(part) : undefined);
  const facts = defined({ name: filename, media_type: mediaType, url });
  return { block: url === undefined ? inline(part, index, place) : linkTo(url, part), facts };
}

const linkTo = (uri: string, { filename, mediaType }: Part): ContentBlock => ({
  type: 'resource_link',
  uri,
  name: filename ?? uri.split(/[?#]/, 1)[0]?.split('/').at(-1) ?? 'file',
  ...(mediaType !== undefined && { mimeType: mediaType }),
});

function inline(
  { raw = '', mediaType = 'application/octet-stream', filename }: Part,
  index: number,
  place: PartLocation,
) {
  const kind = blockTypes[mediaType.split('/', 1)[0] as keyof typeof blockTypes];
  if (kind) return { type: kind, data: raw, mimeType: mediaType } as const;
  const uri = `${place.uri}/${encodeURIComponent(filename ?? String(index))}`;
  const content = isText(mediaType) ? { text: Buffer.from(raw, 'base64').toString('utf8') } : { blob: raw };
  return { type: 'resource', resource: { uri, mimeType: mediaType, ...content } } as const;
}
