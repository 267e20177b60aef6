import { A2AError } from '../../../core/model/errors.ts';
import { mapTexts } from '../../../core/model/json.ts';
import { isSafeJson } from './tool-server.ts';

type FailureDetails = Readonly<Record<string, unknown>>;

/**
 * Failure conditions of tool calls, each with source and code. The first rows are those of AgentVault's proxy, the last
 * rows are specific to the gateway.
 */
const conditions = {
  // HTTP 404 from a method-per-tool server, or a tool that is missing from the server's list.
  unknownTool: ['MCP_PROTOCOL', '-32601'],
  protocolError: ['MCP_PROTOCOL', 'MCP_UNKNOWN_PROTOCOL_ERROR'],
  toolError: ['MCP_TOOL', 'TOOL_EXECUTION_FAILED'],
  invalidResponse: ['A2A_PROXY', 'MCP_INVALID_RESPONSE'],
  invalidResult: ['A2A_PROXY', 'MCP_INVALID_RESULT'],
  timeout: ['A2A_PROXY', 'MCP_TIMEOUT'],
  connection: ['A2A_PROXY', 'MCP_CONNECTION_ERROR'],
  internal: ['A2A_PROXY', 'PROXY_INTERNAL_ERROR'],

  invalidArguments: ['MCP_PROTOCOL', '-32602'],
  unknownServer: ['A2A_PROXY', 'MCP_UNKNOWN_SERVER'],
  noServer: ['A2A_PROXY', 'MCP_NO_SERVER_NAMED'],
  denied: ['A2A_PROXY', 'MCP_TOOL_DENIED'],
  refused: ['A2A_PROXY', 'MCP_UNAUTHORIZED'],
  tooLarge: ['A2A_PROXY', 'MCP_RESULT_TOO_LARGE'],
  sessionLost: ['A2A_PROXY', 'MCP_SESSION_LOST'],
  taskLost: ['A2A_PROXY', 'MCP_TASK_LOST'],
  canceled: ['MCP_TOOL', 'TASK_CANCELED'],
} as const satisfies Record<string, readonly [source: string, code: string]>;

type FailureCondition = keyof typeof conditions;

/** Maximum characters of a server's text that are passed on. */
const maxTextLength = 2_000;

export const shortened = (text: string, length: number = maxTextLength): string =>
  text.length > length ? `${text.slice(0, length)}…` : text;

/** Returns the failure for a result that exceeds the limit in bytes. */
export const tooLarge = (limit: number): ToolFailure =>
  new ToolFailure('tooLarge', `The result is larger than ${limit} bytes`);

/** Removes the server's address from a text, since only operators may see it. */
const withoutAddresses = (text: string): string =>
  text
    .replaceAll(/cannot reach \S+: /g, 'The server cannot be reached: ')
    .replaceAll(/\bhttps?:\/\/[^\s"'<>]*[^\s"'<>.,:;)]/g, 'the server');

interface FailureFacts {
  readonly details?: FailureDetails | undefined;
  readonly code?: string;
  readonly cause?: unknown;
  readonly answer?: string | undefined;
  readonly answersRequest?: boolean;
}

/** A failed tool call. Its message contains no secrets, because callers see it. */
export class ToolFailure extends Error {
  override readonly name = 'ToolFailure';
  readonly condition: FailureCondition;
  readonly code: string;
  readonly details: FailureDetails | undefined;

  readonly source: string;
  /**
   * The server's response, by which two refusals are compared. Not shown to callers. Undefined if there was no
   * response.
   */
  readonly answer: string | undefined;
  /** Whether the response carries the request's id, so that it concerns the request and not the session. */
  readonly answersRequest: boolean;

  /** @param code code from the server, which replaces the condition's code */
  constructor(
    condition: FailureCondition,
    message: string,
    { details, code, cause, answer, answersRequest = false }: FailureFacts = {},
  ) {
    super(shortened(message), cause === undefined ? undefined : { cause });
    this.answer = answer;
    this.answersRequest = answersRequest;
    this.condition = condition;
    this.details = details;
    const [source, ownCode] = conditions[condition];
    this.source = source;
    this.code = code ?? ownCode;
  }

  /** Value of `error` in the result of a tool call, without empty members. */
  get output() {
    const { source, code, message, details } = this;
    return { source, code, message, ...(isSafeJson(details) && details && { details }) };
  }

  /** Returns a copy of the failure with secrets removed from its texts. */
  hiding(hide: (text: string) => string): ToolFailure {
    const { condition, code, details, cause, answer, answersRequest } = this;
    return new ToolFailure(condition, hide(this.message), {
      details: mapTexts(details, hide) as FailureDetails,
      code,
      cause,
      answer,
      answersRequest,
    });
  }

  /**
   * Converts an error of a call to a server. Errors that did not occur on the network become `internal`, with a cause.
   */
  static from(thrown: unknown): ToolFailure {
    if (thrown instanceof ToolFailure) return thrown;
    if (!(thrown instanceof A2AError))
      return new ToolFailure('internal', 'The gateway failed to make the call', { cause: thrown });
    const { kind } = thrown;
    const message = withoutAddresses(thrown.message);
    const condition =
      kind === 'upstreamTimeout' ? 'timeout' : kind === 'invalidAgentResponse' ? 'invalidResponse' : 'connection';
    // Only the log shows the cause, which includes the address.
    return new ToolFailure(condition, message, { cause: thrown });
  }
}
