import * as z from 'zod';
import type { Message, Part, TaskState } from '../../../core/model/a2a.ts';
import { A2AError } from '../../../core/model/errors.ts';
import { newId } from '../../../core/model/ids.ts';
import { defined } from '../../../core/model/json.ts';

/** The arguments of the tools, and their schemas for clients. */

/** Maximum number of files in one call. */
const mostFiles = 100;

const states = [
  'submitted',
  'working',
  'input-required',
  'auth-required',
  'completed',
  'failed',
  'canceled',
  'rejected',
] as const;

const taskId = z.string().min(1).describe('Id of the task.');

const waitSeconds = z
  .number()
  .min(0)
  .describe('Seconds to wait for the result; 0 does not wait. The task continues in any case.');

const file = z.strictObject({
  name: z.string().optional(),
  media_type: z.string().optional().describe('Such as image/png.'),
  base64: z.base64().optional().describe('The content, in base64.'),
  url: z.string().optional().describe('URL of the content, instead of base64.'),
});

export const messageArguments = z.strictObject({
  message: z.string().min(1).optional().describe('The message to the agent, in natural language.'),
  task_id: taskId.optional().describe('Id of a task that asked for input: this message answers it.'),
  context_id: z.string().min(1).optional().describe('Id of the conversation that this message continues.'),
  data: z.record(z.string(), z.unknown()).optional().describe('Structured data for the agent.'),
  files: z.array(file).max(mostFiles).optional().describe('Files for the agent.'),
  wait_seconds: waitSeconds.optional(),
});

export const getTaskArguments = z.strictObject({ task_id: taskId, wait_seconds: waitSeconds.optional() });

export const cancelTaskArguments = z.strictObject({ task_id: taskId });

export const listTasksArguments = z.strictObject({
  context_id: z.string().min(1).optional().describe('Only tasks of this conversation.'),
  state: z.enum(states).optional().describe('Only tasks in this state.'),
  page_size: z.int().min(1).max(100).optional(),
  page_token: z.string().optional().describe('Token of the previous page.'),
});

export const stateNamed = (name: (typeof states)[number]): TaskState =>
  `TASK_STATE_${name.replace('-', '_').toUpperCase()}` as TaskState;

/** JSON Schema of an object, as in tool definitions. */
export type ObjectSchema = { readonly type: 'object' } & Readonly<Record<string, unknown>>;

export function jsonSchemaOf(schema: z.ZodType): ObjectSchema {
  const { $schema: _, ...rest } = z.toJSONSchema(schema);
  return rest as unknown as ObjectSchema;
}

const invalid = (field: string, description: string): A2AError =>
  A2AError.invalidParams(`Invalid arguments: ${field} ${description}`, [{ field, description }]);

/**
 * Validates the arguments of a call.
 *
 * @throws A2AError `invalidParams` that names every invalid argument
 */
export function readArguments<T>(schema: z.ZodType<T>, given: unknown): T {
  const read = schema.safeParse(given);
  if (read.success) return read.data;
  const violations = read.error.issues.map(({ path, message }) => ({
    field: path.length === 0 ? 'arguments' : path.join('.'),
    description: message,
  }));
  const listed = violations.map(({ field, description }) => `${field}: ${description}`).join('; ');
  throw A2AError.invalidParams(`Invalid arguments: ${listed}`, violations);
}

function filePart({ name, media_type: mediaType, base64, url }: z.infer<typeof file>, index: number): Part {
  if ((base64 === undefined) === (url === undefined)) {
    throw invalid(`files.${index}`, 'must have either base64 or url');
  }
  return {
    ...(base64 !== undefined ? { raw: base64 } : { url: url as string }),
    ...defined({ filename: name, mediaType }),
  };
}

/**
 * Converts arguments to the message to send.
 *
 * @param skill id of the called skill, passed to the agent as `skillId` in the message's metadata
 * @throws A2AError `invalidParams` for an empty message
 */
export function messageOf(given: z.infer<typeof messageArguments>, skill: string | undefined): Message {
  const { message, data, files = [], task_id, context_id } = given;
  const parts: Part[] = [
    ...(message !== undefined ? [{ text: message }] : []),
    ...(data !== undefined ? [{ data }] : []),
    ...files.map(filePart),
  ];
  if (parts.length === 0) throw invalid('message', 'is required without data and files');
  return {
    messageId: newId(),
    role: 'ROLE_USER',
    parts,
    ...defined({
      taskId: task_id,
      contextId: context_id,
      metadata: skill === undefined ? undefined : { skillId: skill },
    }),
  };
}

/**
 * Finds an agent by name; the name may be omitted if there is only one agent.
 *
 * @throws A2AError `invalidParams` if no agent is found
 */
export function agentNamed<Agent extends { readonly name: string }>(agents: readonly Agent[], name: unknown): Agent {
  const found = name === undefined && agents.length === 1 ? agents[0] : agents.find((agent) => agent.name === name);
  if (found) return found;
  throw invalid('agent', `must be one of ${agents.map((agent) => agent.name).join(', ')}`);
}
