import type { CallToolResult, Tool } from '@modelcontextprotocol/sdk/types.js';
import type { z } from 'zod';
import { A2AError } from '../core/model/errors.ts';
import type { JsonObject } from '../core/model/json.ts';
import {
  cancelTaskArguments,
  getTaskArguments,
  jsonSchemaOf,
  listTasksArguments,
  messageArguments,
  type ObjectSchema,
} from './arguments.ts';
import { cancelTask, getTask, listTasks, sendMessage, type ToolInvocation } from './calls.ts';
import type { ExposedAgent } from './exposed-agent.ts';
import { listSchema, outcomeSchema } from './results.ts';

/** A tool that there is whatever skills agents have. */
export interface BuiltinTool {
  readonly definition: Tool;
  readonly run: (
    agents: readonly ExposedAgent[],
    given: JsonObject,
    calling: ToolInvocation,
  ) => Promise<CallToolResult>;
}

interface ToolRow {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly schema: z.ZodType;
  readonly outputSchema: ObjectSchema;
  readonly annotations: NonNullable<Tool['annotations']>;
  readonly run: (agent: ExposedAgent, given: JsonObject, calling: ToolInvocation) => Promise<CallToolResult>;
  /** Whether there is anything that it could be called for. */
  readonly useful?: (agents: readonly ExposedAgent[]) => boolean;
}

/** What the tools are called that results tell of. */
export const followUpTools = { send: 'send_message', get: 'get_task' } as const;

const rows: readonly ToolRow[] = [
  {
    name: followUpTools.send,
    title: 'Send a message to an agent',
    description:
      'Sends a message to an agent and waits for its answer. To go on with a conversation, give its context_id; to answer ' +
      'what a task asks, its task_id. Work that takes longer goes on, and get_task has its result.',
    schema: messageArguments,
    outputSchema: outcomeSchema,
    annotations: { openWorldHint: true },
    run: (agent, given, calling) => sendMessage(agent, given, calling),
  },
  {
    name: followUpTools.get,
    title: 'Look at a task',
    description: 'Tells how a task stands, and its result once there is one. With wait_seconds it waits for that.',
    schema: getTaskArguments,
    outputSchema: outcomeSchema,
    annotations: { readOnlyHint: true },
    run: getTask,
  },
  {
    name: 'cancel_task',
    title: 'Cancel a task',
    description: 'Cancels a task that is under way or waits for input.',
    schema: cancelTaskArguments,
    outputSchema: outcomeSchema,
    annotations: { destructiveHint: true, idempotentHint: true },
    run: cancelTask,
  },
  {
    name: 'list_tasks',
    title: 'List tasks',
    description: 'Lists the tasks of an agent, those first that changed last.',
    schema: listTasksArguments,
    outputSchema: listSchema,
    annotations: { readOnlyHint: true },
    run: listTasks,
    useful: (agents) => agents.some(({ lists }) => lists),
  },
];

/** Names that no skill's tool has. */
export const builtinNames: readonly string[] = rows.map(({ name }) => name);

const schemas = new Map(rows.map((row) => [row.name, jsonSchemaOf(row.schema)]));

/**
 * The tools that there are for these agents.
 *
 * @param named whether calls say which agent is meant
 */
export function builtinTools(agents: readonly ExposedAgent[], named: boolean): readonly BuiltinTool[] {
  const told = rows.filter(({ useful }) => useful?.(agents) ?? true);
  return told.map(({ name, title, description, outputSchema, annotations, run }) => ({
    definition: {
      name,
      title,
      description: named ? `${description}\n${namesOf(agents)}` : `${description} (${agents[0]?.card.name})`,
      inputSchema: inputSchema(schemas.get(name) as ObjectSchema, agents, named) as Tool['inputSchema'],
      outputSchema: outputSchema as NonNullable<Tool['outputSchema']>,
      annotations,
    },
    run: (all, given, calling) => {
      if (!named) return run(all[0] as ExposedAgent, given, calling);
      const { agent: wanted, ...rest } = given;
      return run(agentOf(all, wanted), rest, calling);
    },
  }));
}

/** Characters of what is told of an agent beside its name. */
const longestIntroduction = 120;

const namesOf = (agents: readonly ExposedAgent[]): string =>
  `Agents: ${agents.map(({ name, card }) => `${name} (${card.description.slice(0, longestIntroduction)})`).join('; ')}`;

function inputSchema(schema: ObjectSchema, agents: readonly ExposedAgent[], named: boolean): ObjectSchema {
  if (!named) return schema;
  const agent = { type: 'string', enum: agents.map(({ name }) => name), description: 'Which agent.' };
  const required = (schema.required ?? []) as readonly string[];
  return {
    ...schema,
    properties: { agent, ...(schema.properties as JsonObject) },
    required: agents.length === 1 ? required : ['agent', ...required],
  };
}

/** @throws A2AError `invalidParams` for an agent that there is not, or none where it is not plain which is meant */
function agentOf(agents: readonly ExposedAgent[], wanted: unknown): ExposedAgent {
  const found = wanted === undefined && agents.length === 1 ? agents[0] : agents.find(({ name }) => name === wanted);
  if (found) return found;
  const names = agents.map(({ name }) => name).join(', ');
  const violation = { field: 'agent', description: `must be one of ${names}` };
  throw A2AError.invalidParams(`Invalid arguments: agent ${violation.description}`, [violation]);
}
