import {
  InsufficientScopeError,
  ProtocolError,
  SdkError,
  SdkErrorCode,
  SdkHttpError,
  SseError,
} from '@modelcontextprotocol/client';
import * as z from 'zod';
import { hopsMeta } from '../../../../core/model/call.ts';
import { defined, isObject, type JsonObject, parsedJson } from '../../../../core/model/json.ts';
import { ToolFailure } from '../failures.ts';
import type { Tool } from '../tool-server.ts';
import { dataIn, isEventText } from './event-text.ts';

/** The session in which a request failed. */
export interface FailedIn {
  /** Time-out of the request in milliseconds. */
  readonly timeout: number;
  /** Why the session has ended. */
  readonly ending: ToolFailure | undefined;
  /** Whether the session had been opened. */
  readonly isLive: boolean;
}

/** Converts an error of the SDK to a failure. */
export function failureFrom(thrown: unknown, session: FailedIn): ToolFailure {
  if (thrown instanceof ProtocolError) return protocolFailure(thrown);
  if (thrown instanceof SdkHttpError) return httpFailure(thrown.status, thrown.data.text);
  if (thrown instanceof InsufficientScopeError) return httpFailure(403);
  if (thrown instanceof SdkError) return sdkFailure(thrown, session);
  if (thrown instanceof SseError) return httpFailure(thrown.code, undefined, thrown.message);
  if (thrown instanceof SyntaxError) return new ToolFailure('invalidResponse', 'The server did not answer with JSON');
  if (thrown instanceof z.core.$ZodError) {
    return new ToolFailure('invalidResponse', 'The server did not answer with JSON-RPC');
  }
  const refusal = thrown instanceof Error ? postError.exec(thrown.message) : null;
  if (refusal) return httpFailure(Number(refusal[1]), refusal[2]);
  const failure = ToolFailure.from(thrown);
  if (failure.condition !== 'internal') return failure;
  if (session.ending) return session.ending;
  if (session.isLive) return failure;
  return new ToolFailure('connection', `Cannot open a session: ${(thrown as Error).message}`);
}

/** Matches the SDK's error for a message that was refused over SSE. */
const postError = /^Error POSTing to endpoint \(HTTP (\d{3})\): (.*)/s;

function protocolFailure({ code, message, data }: ProtocolError): ToolFailure {
  return new ToolFailure('protocolError', message, {
    code: String(code),
    answer: `${code} ${message}`,
    ...(data !== undefined && { details: { mcp_protocol_error_data: data } }),
  });
}

function sdkFailure(error: SdkError, session: FailedIn): ToolFailure {
  const { code, message, cause } = error;
  // The cause marks a server that did not answer the probe for its era (`faultOf` in connect.ts).
  const options = session.isLive ? {} : { cause: error };
  if (code === SdkErrorCode.RequestTimeout) {
    return new ToolFailure('timeout', `The server did not answer within ${session.timeout} ms`, options);
  }
  if (code === SdkErrorCode.EraNegotiationFailed) {
    if (cause !== undefined) return failureFrom(cause, session);
    return new ToolFailure('connection', session.ending?.message ?? message, options);
  }
  if (code === SdkErrorCode.ClientHttpUnexpectedContent) return new ToolFailure('invalidResponse', message);
  if (code === SdkErrorCode.InvalidResult) return new ToolFailure('invalidResult', 'The result is not valid MCP');
  if (code === SdkErrorCode.UnsupportedResultType) {
    return new ToolFailure('invalidResult', message);
  }
  return session.ending ?? new ToolFailure('connection', message);
}

/** HTTP statuses for an unknown session: 404 in the specification, 400 from many servers. */
const sessionStatuses: ReadonlySet<number> = new Set([400, 404]);
const deniedStatuses: ReadonlySet<number> = new Set([401, 403]);

function httpFailure(status = 0, body?: unknown, message = ''): ToolFailure {
  if (status === 0) return new ToolFailure('connection', message);
  const answer = `HTTP ${status} ${typeof body === 'string' ? body : ''}`;
  // JSON-RPC errors are meant for people. Other bodies may repeat the request including its credentials.
  const { id, error: said } = deniedStatuses.has(status) ? {} : errorIn(body);
  // Request ids are numbers. Errors that do not concern the request have no id, or a text chosen by the server.
  const answersRequest = said !== undefined && Number.isInteger(Number(id ?? 'none'));
  const details = { http_status: status, ...(said && { mcp_protocol_error: said }) };
  if (deniedStatuses.has(status)) {
    return new ToolFailure('refused', `The server denies the gateway access (HTTP ${status})`, { details, answer });
  }
  const condition = sessionStatuses.has(status) ? 'sessionLost' : 'connection';
  const words = typeof said?.message === 'string' ? `: ${said.message}` : '';
  return new ToolFailure(condition, `The server answered with HTTP status ${status}${words}`, {
    details,
    answer,
    answersRequest,
  });
}

function errorIn(body: unknown): { readonly id?: unknown; readonly error?: JsonObject } {
  const text = String(body);
  const answer = parsedJson(isEventText(text) ? dataIn(text) : text);
  return isObject(answer) && isObject(answer.error) ? { id: answer.id, error: answer.error } : {};
}

/** Returns the tools of a list that `readToolList` has read. */
export const readTools = ({ tools }: JsonObject): Tool[] =>
  (Array.isArray(tools) ? tools : []).flatMap((tool: unknown) => (isObject(tool) ? toolOf(tool) : []));

function toolOf({
  name,
  title,
  description,
  inputSchema,
  outputSchema,
  annotations,
  execution,
  _meta,
}: JsonObject): Tool {
  const hints = isObject(annotations) ? annotations : undefined;
  const gateways = isObject(_meta) ? _meta[hopsMeta] : undefined;
  const facts = {
    // MCP defines two members for titles.
    title: text(title) ?? text(hints?.title),
    description: text(description),
    inputSchema: object(inputSchema),
    outputSchema: object(outputSchema),
    annotations: hints,
    taskOnly: isObject(execution) && execution.taskSupport === 'required' ? (true as const) : undefined,
    gateways: typeof gateways === 'number' ? gateways : undefined,
  };
  return { name: String(name), ...defined(facts) };
}

const text = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);
const object = (value: unknown): JsonObject | undefined => (isObject(value) ? value : undefined);
