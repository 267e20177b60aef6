import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import type { RequestHandlerExtra } from '@modelcontextprotocol/sdk/shared/protocol.js';
import {
  CallToolRequestSchema,
  type CallToolResult,
  ErrorCode,
  ListToolsRequestSchema,
  McpError,
  type ServerNotification,
  type ServerRequest,
} from '@modelcontextprotocol/sdk/types.js';
import type { jsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/types.js';
import * as z from 'zod';
import { hopsMeta } from '../core/model/call.ts';
import { A2AError } from '../core/model/errors.ts';
import { readTrace } from '../core/telemetry/trace-context.ts';
import { followUpTools } from './builtin-tools.ts';
import type { ToolInvocation, WaitLimits } from './calls.ts';
import { offerTools, type Scope } from './catalog.ts';
import type { ExposedAgent } from './exposed-agent.ts';
import { resultOfError } from './results.ts';

export type { Scope } from './catalog.ts';

/** Whose skills are offered. */
export interface Offer {
  readonly scope: Scope;
  /** In their order. */
  readonly agents: readonly ExposedAgent[];
}

/** What a server of tools is made of. */
export interface McpServerOptions {
  /** Version of this program. */
  readonly version: string;
  /** Whose skills are offered at the moment. Rejects with an A2AError when that cannot be found out. */
  readonly offer: () => Offer | Promise<Offer>;
  readonly patience: WaitLimits;
  /** Ends waits as if their time were up. */
  readonly stopping: AbortSignal;
  /** Told what went wrong in a call. */
  readonly onFailure: (error: A2AError) => void;
}

/** The server asks clients nothing, so that there are no answers of theirs to be checked. */
const noValidator: jsonSchemaValidator = {
  getValidator: () => () => ({ valid: false, data: undefined, errorMessage: 'Nothing was asked' }),
};

const instructions =
  'Each tool is a skill of an A2A agent, or send_message, which reaches any of them. Results bear a task_id and a ' +
  'context_id: pass context_id to go on with a conversation, and task_id to answer a task whose state is input-required. ' +
  'A task whose state is working goes on after the call; get_task has its result, cancel_task stops it.';

/** Calls that are not as they should be reach the server, which refuses them for their parameters. */
const anyCall = z.looseObject({ method: z.literal('tools/call'), params: z.unknown() });

type Extra = RequestHandlerExtra<ServerRequest, ServerNotification>;

/** A server of MCP whose tools are the skills of agents. It keeps nothing between two calls. */
export function createMcpServer(options: McpServerOptions): Server {
  const { version, offer, onFailure } = options;
  const server = new Server(
    { name: 'a2a-gateway', title: 'Agents of a2a-gateway', version },
    { capabilities: { tools: { listChanged: true } }, instructions, jsonSchemaValidator: noValidator },
  );
  server.setRequestHandler(ListToolsRequestSchema, async () => {
    try {
      const { agents, scope } = await offer();
      return { tools: [...offerTools(agents, scope).values()].map(({ definition }) => definition) };
    } catch (thrown) {
      throw protocolError(thrown, onFailure);
    }
  });

  server.setRequestHandler(anyCall, async (request, extra): Promise<CallToolResult> => {
    const { params } = CallToolRequestSchema.parse(request);
    try {
      const { agents, scope } = await offer();
      const tool = offerTools(agents, scope).get(params.name);
      if (!tool) throw new McpError(ErrorCode.InvalidParams, `Unknown tool: ${params.name.slice(0, 128)}`);
      return await tool.run(params.arguments ?? {}, callingOf(options, scope, extra));
    } catch (thrown) {
      if (thrown instanceof McpError) throw thrown;
      const error = A2AError.from(thrown);
      if (!extra.signal.aborted) onFailure(error);
      return resultOfError(error);
    }
  });
  return server;
}

function protocolError(thrown: unknown, onFailure: (error: A2AError) => void): McpError {
  const error = A2AError.from(thrown);
  onFailure(error);
  return new McpError(ErrorCode.InternalError, error.message);
}

function callingOf({ stopping, patience }: McpServerOptions, scope: Scope, extra: Extra): ToolInvocation {
  const { signal, _meta = {}, sendNotification } = extra;
  const { progressToken, traceparent, tracestate, [hopsMeta]: hops } = _meta as Record<string, unknown> & typeof _meta;
  const report = (progress: number, message: string): void => {
    if (progressToken === undefined) return;
    const params = { progressToken, progress, message };
    sendNotification({ method: 'notifications/progress', params }).catch(() => undefined);
  };
  return {
    signal,
    stopping,
    patience,
    hops: typeof hops === 'number' && Number.isInteger(hops) && hops > 0 ? hops : 0,
    ...readTrace(traceparent, tracestate),
    report: progressToken === undefined ? undefined : report,
    next: { ...followUpTools, namesAgent: scope === 'many' },
  };
}
