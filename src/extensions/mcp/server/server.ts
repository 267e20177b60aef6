import {
  type CallToolResult,
  CLIENT_CAPABILITIES_META_KEY,
  type InputRequiredResult,
  isInputRequiredResult,
  McpServer,
  type ProtocolEra,
  ProtocolError,
  ProtocolErrorCode,
  type Server,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { hopsMeta, pathMeta } from '../../../core/model/call.ts';
import { A2AError } from '../../../core/model/errors.ts';
import type { JsonObject } from '../../../core/model/json.ts';
import { readTrace } from '../../../core/telemetry/trace-context.ts';
import { tasksExtension } from '../tasks-extension.ts';
import { noValidator } from '../validator.ts';
import { type Asking, type CallState, openState } from './asking.ts';
import { followUpTools, operationOf, type ToolInvocation, type WaitLimits } from './builtin-tools.ts';
import { type Offer, offerTools, type Scope } from './catalog.ts';
import { type Elicitation, elicitationOf } from './questions.ts';
import { resultOfError } from './results.ts';
import {
  asksOf,
  createTask,
  needsTasks,
  serveTasks,
  type TaskRetention,
  takesTasks,
  taskOperations,
  waitBeforeTask,
} from './tasks.ts';

export type { Offer, Scope } from './catalog.ts';
export { listenFault } from './tasks.ts';

export interface McpServerOptions {
  readonly version: string;
  /** The era of MCP that is served: `modern` is 2026-07-28. */
  readonly era: ProtocolEra;
  /** Title of the server. Default: the gateway's title. */
  readonly title?: string | undefined;
  /**
   * Returns the current offer; a promise only over stdio. Rejects with an A2AError if the offer cannot be determined.
   */
  readonly offer: () => Offer | Promise<Offer>;
  readonly waitLimits: WaitLimits;
  /** Whether progress is reported, which requires a stream. Default true. */
  readonly reportsProgress?: boolean;
  readonly retention?: TaskRetention;
  /** Means of asking clients the questions of tasks. */
  readonly asking: Pick<Asking, 'states' | 'elicit'> & {
    /** Kinds of questions that the client supports, if it declared them in another request. */
    readonly declared?: Elicitation;
  };
  /** Ends waits as if their time had passed. */
  readonly stopping: AbortSignal;
  /** Called when a call begins and when it ends. */
  readonly onRunning?: (change: 1 | -1) => void;
  readonly onFailure: (error: A2AError) => void;
}

const instructions =
  'Each tool is a skill of an A2A agent, or send_message, which reaches any of them. Results have a task_id and a ' +
  'context_id: pass context_id to continue a conversation, and task_id to answer a task whose state is input-required. ' +
  'A task whose state is working continues after the call; get_task returns its result, cancel_task stops it.';

/**
 * Milliseconds for which clients may cache responses (MCP 2026-07-28, server/utilities/caching). The list of tools
 * depends on the caller; the response to `server/discover` is the same for all.
 */
const cacheHints = {
  'tools/list': { ttlMs: 60_000, cacheScope: 'private' },
  'server/discover': { ttlMs: 300_000, cacheScope: 'public' },
} as const;

const gatewayTitle = 'Agents of a2a-gateway';

/** Gives the SDK the schemas of tools over HTTP, with which it compares `Mcp-Param-*` headers and arguments. */
class AgentServer extends McpServer {
  readonly #offer: McpServerOptions['offer'];

  constructor({ version, era, offer, asking: { states }, title = gatewayTitle }: McpServerOptions) {
    const extensions = { [tasksExtension]: {} };
    const capabilities = { tools: { listChanged: true }, ...(era === 'modern' && { extensions }) };
    super(
      { name: 'a2a-gateway', title, version },
      {
        capabilities,
        instructions,
        jsonSchemaValidator: noValidator,
        cacheHints,
        requestState: { verify: (state) => openState(states, state) },
      },
    );
    this.#offer = offer;
  }

  override toolInputSchemaJson(name: string): Record<string, unknown> | undefined {
    const offer = this.#offer();
    return offer instanceof Promise
      ? undefined
      : offerTools(offer.agents, offer.scope).get(name)?.definition.inputSchema;
  }
}

/** Returns the A2A operation whose scope a request requires; undefined if it requires none. */
export const operationFor = (method: string | undefined, tool: unknown): string | undefined =>
  method === 'tools/call' ? operationOf(tool) : taskOperations.get(method);

/**
 * Whether a request waits for the result of its call. A call that can only become a task is answered, or refused with
 * an HTTP status, at once.
 */
export function waits(offer: () => Offer, method: string | undefined, tool: unknown): boolean {
  if (method !== 'tools/call') return false;
  const { agents, scope } = offer();
  return offerTools(agents, scope).get(String(tool))?.taskOnly !== true;
}

/** Creates an MCP server whose tools are the skills of agents. It keeps no state between calls. */
export function createMcpServer(options: McpServerOptions): McpServer {
  const { era, offer, retention, onFailure, onRunning } = options;
  const agents = new AgentServer(options);
  const { server } = agents;
  server.setRequestHandler('tools/list', async () => {
    try {
      const { agents, scope } = await offer();
      return { tools: [...offerTools(agents, scope).values()].map(({ definition }) => definition) };
    } catch (thrown) {
      const error = A2AError.from(thrown);
      onFailure(error);
      throw new ProtocolError(ProtocolErrorCode.InternalError, error.message);
    }
  });

  server.setRequestHandler('tools/call', async ({ params }, context): Promise<CallToolResult | InputRequiredResult> => {
    onRunning?.(1);
    try {
      const { agents, scope } = await offer();
      const tool = offerTools(agents, scope).get(params.name);
      if (!tool) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Unknown tool: ${params.name.slice(0, 128)}`);
      if (tool.taskOnly && era === 'modern' && !takesTasks(context)) throw needsTasks();
      const asking = askingOf(options, server, params.name, context);
      const result = await tool.run(params.arguments ?? {}, { ...callingOf(options, scope, context), asking });
      if (isInputRequiredResult(result) || result.resultType === 'task') return result;
      // Before 2026-07-28, structured content had to be an object.
      return server.projectCallToolResult(result, undefined);
    } catch (thrown) {
      if (thrown instanceof ProtocolError) throw thrown;
      const error = A2AError.from(thrown);
      if (!context.mcpReq.signal.aborted) onFailure(error);
      return resultOfError(error);
    } finally {
      onRunning?.(-1);
    }
  });
  if (era === 'modern') {
    const open = async (context: ServerContext) => {
      const current = await offer();
      const calling = callingOf(options, current.scope, context);
      return { offer: current, calling };
    };
    serveTasks(server, { open, retention, answerer: options.asking.states, onFailure });
  }
  return agents;
}

/**
 * Returns the means of asking a call's client.
 *
 * @throws ProtocolError if the state belongs to a call of another tool
 */
function askingOf(
  { asking: { declared, ...asking } }: McpServerOptions,
  server: Server,
  tool: string,
  { mcpReq: { envelope, inputResponses: responses, requestState } }: ServerContext,
): Asking | undefined {
  const capabilities =
    (envelope as JsonObject | undefined)?.[CLIENT_CAPABILITIES_META_KEY] ?? server.getClientCapabilities();
  const elicitation = declared ?? elicitationOf(capabilities);
  const state = requestState<CallState>();
  if (state && state.tool !== tool) {
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, `The requestState belongs to a call of ${state.tool}`);
  }
  const takesNothing = !elicitation.form && !elicitation.url;
  return takesNothing && !state ? undefined : { ...asking, elicitation, tool, state, responses };
}

function callingOf(options: McpServerOptions, scope: Scope, context: ServerContext): Omit<ToolInvocation, 'asking'> {
  const { stopping, waitLimits } = options;
  const { mcpReq } = context;
  const { signal, _meta = {}, notify } = mcpReq;
  const { progressToken, traceparent, tracestate } = _meta as Record<string, unknown> & typeof _meta;
  const { [hopsMeta]: hops, [pathMeta]: path } = _meta as Record<string, unknown>;
  const report = (progress: number, message: string): void => {
    const params = { progressToken: progressToken as string, progress, message };
    notify({ method: 'notifications/progress', params }).catch(() => undefined);
  };
  const calling = {
    signal,
    stopping,
    hops: typeof hops === 'number' && Number.isInteger(hops) && hops > 0 ? hops : 0,
    ...(typeof path === 'string' && { path }),
    ...readTrace(traceparent, tracestate),
    report: progressToken === undefined || options.reportsProgress === false ? undefined : report,
    next: { ...followUpTools, namesAgent: scope === 'many' },
  };
  if (options.era === 'legacy' || !takesTasks(context)) return { ...calling, waitLimits, asTask: undefined };
  return {
    ...calling,
    waitLimits: { ...waitLimits, default: Math.min(waitBeforeTask, waitLimits.most) },
    asTask: (agent, id) => createTask(agent, id, { ...calling, asks: asksOf(context) }, options.retention),
  };
}
