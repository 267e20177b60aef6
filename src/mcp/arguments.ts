import * as z from 'zod';
import type { Message, Part, TaskState } from '../core/model/a2a.ts';
import { A2AError } from '../core/model/errors.ts';
import { newId } from '../core/model/ids.ts';
import { stateWord } from '../core/model/lifecycle.ts';

/** What the tools take, as it is checked and as it is told to clients. */

/** Files that one call may bring. */
const mostFiles = 100;

/** States that lists can be narrowed to, in words. */
const states = {
  submitted: 'TASK_STATE_SUBMITTED',
  working: 'TASK_STATE_WORKING',
  'input-required': 'TASK_STATE_INPUT_REQUIRED',
  'auth-required': 'TASK_STATE_AUTH_REQUIRED',
  completed: 'TASK_STATE_COMPLETED',
  failed: 'TASK_STATE_FAILED',
  canceled: 'TASK_STATE_CANCELED',
  rejected: 'TASK_STATE_REJECTED',
} as const satisfies Record<string, TaskState>;

const stateWords = Object.keys(states) as (keyof typeof states)[];

const taskId = z.string().min(1).describe('Id of the task.');

const waitSeconds = z
  .number()
  .min(0)
  .describe('Seconds to wait for the result; 0 does not wait. The task goes on in any case.');

const file = z.strictObject({
  name: z.string().optional(),
  media_type: z.string().optional().describe('Such as image/png.'),
  base64: z.base64().optional().describe('The content, in base64.'),
  url: z.string().optional().describe('Where the content is, instead of base64.'),
});

/** Arguments of what sends a message. */
export const messageArguments = z.strictObject({
  message: z.string().min(1).optional().describe('What to say to the agent, in plain words.'),
  task_id: taskId.optional().describe('Id of a task that asked for input: this message answers it.'),
  context_id: z.string().min(1).optional().describe('Id of the conversation that this message goes on with.'),
  data: z.record(z.string(), z.unknown()).optional().describe('Structured data for the agent.'),
  files: z.array(file).max(mostFiles).optional().describe('Files for the agent.'),
  wait_seconds: waitSeconds.optional(),
});

/** Arguments of what looks at a task. */
export const getTaskArguments = z.strictObject({ task_id: taskId, wait_seconds: waitSeconds.optional() });

/** Arguments of what cancels a task. */
export const cancelTaskArguments = z.strictObject({ task_id: taskId });

/** Arguments of what lists tasks. */
export const listTasksArguments = z.strictObject({
  context_id: z.string().min(1).optional().describe('Only tasks of this conversation.'),
  state: z.enum(stateWords).optional().describe('Only tasks in this state.'),
  page_size: z.int().min(1).max(100).optional(),
  page_token: z.string().optional().describe('From the page before.'),
});

/** What {@link messageArguments} read. */
export type MessageArguments = z.infer<typeof messageArguments>;

/** The state that a word of `list_tasks` means. */
export const stateOfWord = (word: keyof typeof states): TaskState => states[word];

/** Words for the states of tasks, as results bear them. */
export const wordOfState = stateWord;

/** A JSON Schema of an object, as tools bear it. */
export type ObjectSchema = { readonly type: 'object' } & Readonly<Record<string, unknown>>;

/** What a schema of arguments looks like to clients. */
export function jsonSchemaOf(schema: z.ZodType): ObjectSchema {
  const { $schema: _, ...rest } = z.toJSONSchema(schema);
  return rest as unknown as ObjectSchema;
}

/**
 * The arguments of a call as they were declared.
 *
 * @throws A2AError `invalidParams` that names every faulty argument
 */
export function readArguments<T>(schema: z.ZodType<T>, given: unknown): T {
  const read = schema.safeParse(given);
  if (read.success) return read.data;
  const violations = read.error.issues.map(({ path, message }) => ({
    field: path.length === 0 ? 'arguments' : path.join('.'),
    description: message,
  }));
  const said = violations.map(({ field, description }) => `${field}: ${description}`).join('; ');
  throw A2AError.invalidParams(`Invalid arguments: ${said}`, violations);
}

type File = NonNullable<MessageArguments['files']>[number];

function partOfFile({ name, media_type: mediaType, base64, url }: File, index: number): Part {
  if ((base64 === undefined) === (url === undefined)) {
    const violation = { field: `files.${index}`, description: 'must have either base64 or url' };
    throw A2AError.invalidParams(`Invalid arguments: ${violation.field} ${violation.description}`, [violation]);
  }
  return {
    ...(base64 !== undefined ? { raw: base64 } : { url: url as string }),
    ...(name !== undefined && { filename: name }),
    ...(mediaType !== undefined && { mediaType }),
  };
}

/**
 * The message that arguments mean.
 *
 * @param skill id of the skill that was asked for, which agents find in the message's metadata as `skillId`
 * @throws A2AError `invalidParams` for one that says nothing
 */
export function messageOf(given: MessageArguments, skill: string | undefined): Message {
  const { message, data, files = [], task_id, context_id } = given;
  const parts: Part[] = [
    ...(message !== undefined ? [{ text: message }] : []),
    ...(data !== undefined ? [{ data }] : []),
    ...files.map(partOfFile),
  ];
  if (parts.length === 0) {
    const violation = { field: 'message', description: 'is required where there are neither data nor files' };
    throw A2AError.invalidParams(`Invalid arguments: message ${violation.description}`, [violation]);
  }
  return {
    messageId: newId(),
    role: 'ROLE_USER',
    parts,
    ...(task_id !== undefined && { taskId: task_id }),
    ...(context_id !== undefined && { contextId: context_id }),
    ...(skill !== undefined && { metadata: { skillId: skill } }),
  };
}
