import { SseError } from '@modelcontextprotocol/sdk/client/sse.js';
import { StreamableHTTPError } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { McpError } from '@modelcontextprotocol/sdk/types.js';
import { ZodError } from 'zod';
import { ToolFailure } from './failures.ts';

/** What the SDK threw, as a failure. */
export function explain(thrown: unknown): ToolFailure {
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
