import type { CallToolResult, InputRequiredResult, Tool } from '@modelcontextprotocol/server';
import type { Task } from '../../../core/model/a2a.ts';
import { openAskOf } from '../../../core/model/ask.ts';
import { newId } from '../../../core/model/ids.ts';
import { defined, type JsonObject } from '../../../core/model/json.ts';
import { isResting } from '../../../core/model/lifecycle.ts';
import {
  agentNamed,
  cancelTaskArguments,
  getTaskArguments,
  jsonSchemaOf,
  listTasksArguments,
  messageArguments,
  messageOf,
  type ObjectSchema,
  readArguments,
  stateNamed,
} from './arguments.ts';
import { type Asking, type Reached, reach } from './asking.ts';
import { type ExposedAgent, type InvokeContext, unaryValue } from './exposed-agent.ts';
import { reportProgress, type SendProgress } from './progress.ts';
import { beganWithTool, callPart, callsTools, type ProxiedTool, toolResultIn } from './proxied-tools.ts';
import {
  type FollowUpTools,
  listSchema,
  outcomeSchema,
  resultOfList,
  resultOfMessage,
  resultOfTask,
  resultOfTool,
} from './results.ts';
import { sendAndWait, type WaitOptions, waitForTask } from './wait.ts';

/** Limits of waiting calls in milliseconds. */
export interface WaitLimits {
  readonly default: number;
  /** Maximum, even if the call requests more. */
  readonly most: number;
}

export interface ToolInvocation extends InvokeContext {
  /** Ends waits as if their time had passed. */
  readonly stopping: AbortSignal;
  /** Reports progress. Absent if the client does not request it. */
  readonly report: SendProgress | undefined;
  readonly waitLimits: WaitLimits;
  readonly next: FollowUpTools;
  /** Returns an MCP task as the result of a call whose work continues. Absent if the client does not support tasks. */
  readonly asTask: ((agent: ExposedAgent, id: string) => Promise<CallToolResult>) | undefined;
  /** Absent if the client cannot be asked. */
  readonly asking: Asking | undefined;
}

type ToolResult = CallToolResult | InputRequiredResult;

/** Runs a tool for one agent. Rejects with an A2AError. */
type RunTool = (agent: ExposedAgent, given: JsonObject, calling: ToolInvocation) => Promise<ToolResult>;

export interface OfferedTool {
  readonly definition: Tool;
  /** Whether only clients that support MCP tasks can call the tool. */
  readonly taskOnly?: boolean | undefined;
  readonly run: (given: JsonObject, calling: ToolInvocation) => Promise<ToolResult>;
}

/** Runs `work` with the waiting time that the call requests, and reports progress. */
async function withProgress<T>(
  calling: ToolInvocation,
  seconds: number | undefined,
  work: (wait: WaitOptions) => Promise<T>,
): Promise<T> {
  const { report, waitLimits } = calling;
  const time = Math.min(waitLimits.most, seconds === undefined ? waitLimits.default : seconds * 1_000);
  const progress = report && reportProgress(report);
  try {
    return await work({ ...calling, time, onEvent: progress?.onEvent ?? (() => {}) });
  } finally {
    progress?.stop();
  }
}

type ShowTask = (task: Task, agent: ExposedAgent, next: FollowUpTools) => CallToolResult;

/** Returns a task in its current state. If the agent calls tools, the tool's own result is returned. */
const taskResult: ShowTask = (task, agent, next) => {
  const own = callsTools(agent.card) ? toolResultIn(task) : undefined;
  return own ? resultOfTool(own, task, agent) : resultOfTask(task, agent, next);
};

/** Returns the task of a tool that was called by its own name, as the tool's own result. */
const proxiedResult: ShowTask = (task, agent, next) => toolResultIn(task) ?? resultOfTask(task, agent, next);

/** Returns the result of the call that began a task. The task must include its history. */
export const resultOfCall: ShowTask = (task, agent, next) =>
  (callsTools(agent.card) && beganWithTool(task) ? proxiedResult : taskResult)(task, agent, next);

function resultOf(reached: Reached, agent: ExposedAgent, { next }: ToolInvocation, show: ShowTask): ToolResult {
  if ('asked' in reached) return reached.asked;
  if ('message' in reached) return resultOfMessage(reached.message, agent);
  const { task, note } = reached;
  const result = show(task, agent, next);
  return note === undefined ? result : { ...result, content: [{ type: 'text', text: `[${note}]` }, ...result.content] };
}

function sentResult(
  reached: Reached,
  agent: ExposedAgent,
  calling: ToolInvocation,
  show: ShowTask,
): ToolResult | Promise<CallToolResult> {
  const { asTask } = calling;
  const goesOn = 'task' in reached && (!isResting(reached.task.status.state) || openAskOf(reached.task) !== undefined);
  return asTask && goesOn ? asTask(agent, reached.task.id) : resultOf(reached, agent, calling, show);
}

/**
 * Creates the tool of a skill, which sends a message to the agent and waits for the response.
 *
 * @param skill undefined if the call is for no particular skill
 */
export const messageTool =
  (skill: string | undefined): RunTool =>
  async (agent, given, calling) => {
    const read = readArguments(messageArguments, given);
    const message = messageOf(read, skill);
    const reached = await withProgress(calling, read.wait_seconds, (wait) =>
      reach(agent, calling.asking, wait, () => sendAndWait(agent, message, wait)),
    );
    return sentResult(reached, agent, calling, taskResult);
  };

/** Creates the tool of a skill that is itself a tool, and whose own result is returned. */
export const proxyTool =
  (tool: ProxiedTool): RunTool =>
  async (agent, given, calling) => {
    const message = { messageId: newId(), role: 'ROLE_USER' as const, parts: [callPart(tool, given)] };
    const reached = await withProgress(calling, undefined, (wait) =>
      reach(agent, calling.asking, wait, () => sendAndWait(agent, message, wait)),
    );
    return sentResult(reached, agent, calling, proxiedResult);
  };

const getTask: RunTool = async (agent, given, calling) => {
  const { task_id, wait_seconds = 0 } = readArguments(getTaskArguments, given);
  const reached = await withProgress(calling, wait_seconds, (wait) =>
    reach(agent, calling.asking, wait, async () => ({ task: await waitForTask(agent, task_id, wait) })),
  );
  return resultOf(reached, agent, calling, taskResult);
};

const cancelTask: RunTool = async (agent, given, calling) => {
  const { task_id: id } = readArguments(cancelTaskArguments, given);
  const task = unaryValue<Task>(await agent.invoke('CancelTask', { id }, calling));
  // A canceled task is not a failure of this call.
  const { isError: _, ...result } = resultOfTask(task, agent, calling.next);
  return result;
};

const listTasks: RunTool = async (agent, given, calling) => {
  const { context_id, state, page_size, page_token } = readArguments(listTasksArguments, given);
  const status = state && stateNamed(state);
  const filter = defined({ contextId: context_id, status, pageToken: page_token });
  const request = { pageSize: page_size ?? 20, historyLength: 0, ...filter };
  const page = unaryValue<{ tasks?: Task[]; nextPageToken?: string }>(
    await agent.invoke('ListTasks', request, calling),
  );
  return resultOfList(page.tasks ?? [], page.nextPageToken, agent);
};

interface ToolRow {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: ObjectSchema;
  readonly outputSchema: ObjectSchema;
  readonly annotations: NonNullable<Tool['annotations']>;
  /** A2A operation whose scope a call requires. */
  readonly operation: string;
  readonly run: RunTool;
}

/** Names of the tools that results refer to. */
export const followUpTools = { send: 'send_message', get: 'get_task' } as const;

/** A2A operation of `send_message` and the tools of skills. */
export const sending = 'SendMessage';

const rows: readonly ToolRow[] = [
  {
    name: followUpTools.send,
    title: 'Send a message to an agent',
    description:
      'Sends a message to an agent and waits for its answer. To continue a conversation, give its context_id; to answer ' +
      "a task's question, its task_id. Work that takes longer continues, and get_task returns its result.",
    inputSchema: jsonSchemaOf(messageArguments),
    outputSchema: outcomeSchema,
    annotations: { openWorldHint: true },
    operation: sending,
    run: messageTool(undefined),
  },
  {
    name: followUpTools.get,
    title: 'Get a task',
    description: 'Returns the state of a task, and its result once there is one. Set wait_seconds to wait for it.',
    inputSchema: jsonSchemaOf(getTaskArguments),
    outputSchema: outcomeSchema,
    annotations: { readOnlyHint: true },
    operation: 'GetTask',
    run: getTask,
  },
  {
    name: 'cancel_task',
    title: 'Cancel a task',
    description: 'Cancels a task that is working or waits for input.',
    inputSchema: jsonSchemaOf(cancelTaskArguments),
    outputSchema: outcomeSchema,
    annotations: { destructiveHint: true, idempotentHint: true },
    operation: 'CancelTask',
    run: cancelTask,
  },
  {
    name: 'list_tasks',
    title: 'List tasks',
    description: 'Lists the tasks of an agent, the most recently changed first.',
    inputSchema: jsonSchemaOf(listTasksArguments),
    outputSchema: listSchema,
    annotations: { readOnlyHint: true },
    operation: 'ListTasks',
    run: listTasks,
  },
];

/** Names that tools of skills must not have. */
export const builtinNames: readonly string[] = rows.map(({ name }) => name);

/** Returns the A2A operation whose scope a call of a tool requires. */
export const operationOf = (tool: unknown): string => rows.find(({ name }) => name === tool)?.operation ?? sending;

/**
 * Returns the built-in tools.
 *
 * @param named whether calls name the agent
 */
export function builtinTools(agents: readonly ExposedAgent[], named: boolean): readonly OfferedTool[] {
  const offered = rows.filter(({ run }) => run !== listTasks || agents.some(({ lists }) => lists));
  return offered.flatMap((row) => {
    const able = agents.filter(({ permits }) => permits?.(row.operation, '') ?? true);
    const [first] = able;
    if (!first) return [];
    const definition = {
      name: row.name,
      title: row.title,
      description: named ? `${row.description}\n${namesOf(able)}` : `${row.description} (${first.card.name})`,
      inputSchema: inputSchema(row.inputSchema, able, named) as Tool['inputSchema'],
      outputSchema: row.outputSchema as NonNullable<Tool['outputSchema']>,
      annotations: row.annotations,
    };
    const run: OfferedTool['run'] = async (given, calling) => {
      if (!named) return row.run(first, given, calling);
      const { agent, ...rest } = given;
      return row.run(agentNamed(able, agent), rest, calling);
    };
    return [{ definition, run }];
  });
}

/** Characters of an agent's description that follow its name. */
const longestIntroduction = 120;

const namesOf = (agents: readonly ExposedAgent[]): string =>
  `Agents: ${agents.map(({ name, card }) => `${name} (${card.description.slice(0, longestIntroduction)})`).join('; ')}`;

function inputSchema(schema: ObjectSchema, agents: readonly ExposedAgent[], named: boolean): ObjectSchema {
  if (!named) return schema;
  const agent = { type: 'string', enum: agents.map(({ name }) => name), description: 'Name of the agent.' };
  const required = (schema.required ?? []) as readonly string[];
  return {
    ...schema,
    properties: { agent, ...(schema.properties as JsonObject) },
    required: agents.length === 1 ? required : ['agent', ...required],
  };
}
