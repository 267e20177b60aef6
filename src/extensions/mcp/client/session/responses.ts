import { SseError } from '@modelcontextprotocol/sdk/client/sse.js';
import { StreamableHTTPError } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { isJSONRPCErrorResponse, isJSONRPCResultResponse, McpError } from '@modelcontextprotocol/sdk/types.js';
import { ZodError } from 'zod';
import { hopsMeta } from '../../../../core/model/call.ts';
import { isObject, type JsonObject } from '../../../../core/model/json.ts';
import { ToolFailure } from '../failures.ts';
import { isSafeJson, type Tool } from '../tool-server.ts';

/** The id of a response, and what is wrong with it if the SDK ignores it. */
export type CheckedResponse =
  | { readonly id: number; readonly failure?: ToolFailure }
  | { readonly id: undefined; readonly failure: ToolFailure };

/**
 * Checks a response; undefined for other messages.
 *
 * @param newest the id of the newest request
 */
export function checkResponse(message: unknown, newest: number): CheckedResponse | undefined {
  if (!isObject(message) || 'method' in message || !('id' in message)) return undefined;
  const { result } = message;
  // Some servers return ids as strings, which the SDK accepts.
  const id = typeof message.id === 'string' && message.id !== '' ? Number(message.id) : message.id;
  if (typeof id !== 'number' || !Number.isInteger(id) || id < 0 || id > newest) {
    const failure = new ToolFailure('invalidResponse', 'The server answered with an unknown request id');
    return { id: undefined, failure };
  }
  if (isJSONRPCErrorResponse(message) || isJSONRPCResultResponse(message)) return { id };
  const failure =
    result !== undefined && !isObject(result)
      ? new ToolFailure('invalidResult', 'The result is not an object')
      : new ToolFailure('invalidResponse', 'The server did not answer with JSON-RPC');
  return { id, failure };
}

/** An error of the SDK as a failure. */
export function failureFrom(thrown: unknown): ToolFailure {
  if (thrown instanceof McpError) return protocolFailure(thrown);
  if (thrown instanceof StreamableHTTPError || thrown instanceof SseError) return httpFailure(thrown);
  if (thrown instanceof ZodError) return new ToolFailure('invalidResult', 'The result is not valid MCP');
  if (thrown instanceof SyntaxError) return new ToolFailure('invalidResponse', 'The server did not answer with JSON');
  const refusal = thrown instanceof Error ? postError.exec(thrown.message)?.[1] : undefined;
  return refusal === undefined ? ToolFailure.from(thrown) : httpFailure({ code: Number(refusal), message: '' });
}

/** The SDK's error for a message that was refused over SSE. */
const postError = /^Error POSTing to endpoint \(HTTP (\d{3})\)/;

/** The SDK's prefix of error messages. */
const prefix = /^MCP error -?\d+: /;

function protocolFailure({ code, message, data }: McpError): ToolFailure {
  return new ToolFailure('protocolError', message.replace(prefix, ''), {
    code: String(code),
    ...(data !== undefined && { details: { mcp_protocol_error_data: data } }),
  });
}

/** HTTP statuses for an unknown session: 404 in the specification, 400 in many servers. */
const sessionStatuses: ReadonlySet<number> = new Set([400, 404]);
const deniedStatuses: ReadonlySet<number> = new Set([401, 403]);

function httpFailure({ code: status = 0, message }: Pick<SseError, 'code' | 'message'>): ToolFailure {
  if (status < 0) return new ToolFailure('invalidResponse', message);
  if (status === 0) return new ToolFailure('connection', message);
  const details = { http_status: status };
  if (deniedStatuses.has(status)) {
    return new ToolFailure('refused', `The server denies the gateway access (HTTP ${status})`, { details });
  }
  const condition = sessionStatuses.has(status) ? 'sessionLost' : 'connection';
  return new ToolFailure(condition, `The server answered with HTTP status ${status}`, { details });
}

/** Characters of a tool's name at the most. */
const maxNameLength = 256;

/** Levels of a schema at the most; a card adds more around it. */
const maxSchemaDepth = 48;

const text = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);
const object = (value: unknown): JsonObject | undefined =>
  isObject(value) && isSafeJson(value, maxSchemaDepth) ? value : undefined;

function readTool(value: unknown): Tool[] {
  if (!isObject(value)) return [];
  const name = text(value.name);
  if (name === undefined || name.length > maxNameLength) return [];
  const { annotations, execution, _meta } = value;
  const gateways = isObject(_meta) ? _meta[hopsMeta] : undefined;
  const facts = {
    // MCP has two places for titles.
    title: text(value.title) ?? (isObject(annotations) ? text(annotations.title) : undefined),
    description: text(value.description),
    inputSchema: object(value.inputSchema),
    outputSchema: object(value.outputSchema),
    annotations: object(annotations),
    taskOnly: isObject(execution) && execution.taskSupport === 'required' ? (true as const) : undefined,
    gateways: typeof gateways === 'number' ? gateways : undefined,
  };
  return [{ name, ...Object.fromEntries(Object.entries(facts).filter(([, fact]) => fact !== undefined)) }];
}

/** The tools of one page of `tools/list`. Invalid tools are skipped. */
export const readTools = ({ tools }: JsonObject): Tool[] => (Array.isArray(tools) ? tools.flatMap(readTool) : []);
