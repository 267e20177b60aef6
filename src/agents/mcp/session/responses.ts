import { SseError } from '@modelcontextprotocol/sdk/client/sse.js';
import { StreamableHTTPError } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { isJSONRPCErrorResponse, isJSONRPCResultResponse, McpError } from '@modelcontextprotocol/sdk/types.js';
import { ZodError } from 'zod';
import { hopsMeta } from '../../../core/model/call.ts';
import { isObject, type JsonObject } from '../../../core/model/json.ts';
import { ToolFailure } from '../failures.ts';
import { isSafeJson, type Tool } from '../tool-server.ts';

/** An answer, and what is wrong with it, if the SDK would take no notice of it. */
export type CheckedResponse =
  | { readonly id: number; readonly failure?: ToolFailure }
  | { readonly id: undefined; readonly failure: ToolFailure };

/**
 * What a message answers; undefined where it is none.
 *
 * @param newest the id of the newest request
 */
export function checkResponse(message: unknown, newest: number): CheckedResponse | undefined {
  if (!isObject(message) || 'method' in message || !('id' in message)) return undefined;
  const { result } = message;
  // Some servers give ids back as text, and the SDK reads them.
  const id = typeof message.id === 'string' && message.id !== '' ? Number(message.id) : message.id;
  if (typeof id !== 'number' || !Number.isInteger(id) || id < 0 || id > newest) {
    const failure = new ToolFailure('invalidResponse', 'The server answered with an id that it was not asked with');
    return { id: undefined, failure };
  }
  if (isJSONRPCErrorResponse(message) || isJSONRPCResultResponse(message)) return { id };
  const failure =
    result !== undefined && !isObject(result)
      ? new ToolFailure('invalidResult', 'The result is not an object')
      : new ToolFailure('invalidResponse', 'The server answered with something that is not JSON-RPC');
  return { id, failure };
}

/** What the SDK threw, as a failure. */
export function failureFrom(thrown: unknown): ToolFailure {
  if (thrown instanceof McpError) return protocolFailure(thrown);
  if (thrown instanceof StreamableHTTPError || thrown instanceof SseError) return httpFailure(thrown);
  if (thrown instanceof ZodError) return new ToolFailure('invalidResult', 'The result does not fit MCP');
  if (thrown instanceof SyntaxError) return new ToolFailure('invalidResponse', 'The server answered with no JSON');
  const refusal = thrown instanceof Error ? posting.exec(thrown.message)?.[1] : undefined;
  return refusal === undefined ? ToolFailure.from(thrown) : httpFailure({ code: Number(refusal), message: '' });
}

/** How the SDK says over the older transport that a message was refused. */
const posting = /^Error POSTing to endpoint \(HTTP (\d{3})\)/;

/** What the SDK puts before an error's message. */
const prefix = /^MCP error -?\d+: /;

function protocolFailure({ code, message, data }: McpError): ToolFailure {
  return new ToolFailure('protocolError', message.replace(prefix, ''), {
    code: String(code),
    ...(data !== undefined && { details: { mcp_protocol_error_data: data } }),
  });
}

/** Statuses with which a server says that it does not know the session (the spec says 404, many say 400). */
const sessionless: ReadonlySet<number> = new Set([400, 404]);
const unwelcome: ReadonlySet<number> = new Set([401, 403]);

function httpFailure({ code: status = 0, message }: Pick<SseError, 'code' | 'message'>): ToolFailure {
  if (status < 0) return new ToolFailure('invalidResponse', message);
  if (status === 0) return new ToolFailure('connection', message);
  const details = { http_status: status };
  if (unwelcome.has(status)) {
    return new ToolFailure('refused', `The server does not let the gateway in (HTTP ${status})`, { details });
  }
  const condition = sessionless.has(status) ? 'sessionLost' : 'connection';
  return new ToolFailure(condition, `The server answered with the HTTP status ${status}`, { details });
}

/** The longest name that counts as one, in characters. */
const longestName = 256;

/** Levels of a schema that is read: a card that it stands in has more of them. */
const deepestSchema = 48;

const text = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);
const object = (value: unknown): JsonObject | undefined =>
  isObject(value) && isSafeJson(value, deepestSchema) ? value : undefined;

function readTool(value: unknown): Tool[] {
  if (!isObject(value)) return [];
  const name = text(value.name);
  if (name === undefined || name.length > longestName) return [];
  const { annotations, execution, _meta } = value;
  const gateways = isObject(_meta) ? _meta[hopsMeta] : undefined;
  const facts = {
    // MCP has had titles in two places.
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

/** The tools of one page of `tools/list`. What is no tool is passed over, so that the others can be used. */
export const readTools = ({ tools }: JsonObject): Tool[] => (Array.isArray(tools) ? tools.flatMap(readTool) : []);
