import { A2AError } from '../../core/model/errors.ts';
import { isSafeJson } from './tool-server.ts';

/** Facts about what went wrong, for programs. */
export type FailureDetails = Readonly<Record<string, unknown>>;

/**
 * Why a call of a tool has no result: the source and the code that the caller is told. The first rows are those of
 * AgentVault's proxy, the last ones are the gateway's own.
 */
const conditions = {
  // A server that speaks method-per-tool says so by HTTP 404; one that lists its tools does not have this one.
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
} as const satisfies Record<string, readonly [source: string, code: string]>;

/** Names of the conditions. */
export type FailureCondition = keyof typeof conditions;

/** The `error` of what a call of a tool comes to. */
export interface ToolErrorOutput {
  readonly source: string;
  readonly code: string;
  readonly message: string;
  readonly details?: FailureDetails;
}

/** The longest text of another side that is passed on, in characters. */
const longestWords = 2_000;

/** Words of another side, cut where they are too long to be passed on. */
export const shortened = (text: string, length: number = longestWords): string =>
  text.length > length ? `${text.slice(0, length)}…` : text;

/** A result is larger than it may be, in bytes. */
export const tooLarge = (limit: number): ToolFailure =>
  new ToolFailure('tooLarge', `The result is larger than ${limit} bytes`);

/** A call of a tool that has no result. The message is for callers: it holds no secret. */
export class ToolFailure extends Error {
  override readonly name = 'ToolFailure';
  readonly condition: FailureCondition;
  readonly code: string;
  readonly details: FailureDetails | undefined;

  /** @param code the code of a server's own, in the place of the condition's */
  constructor(
    condition: FailureCondition,
    message: string,
    options: { readonly details?: FailureDetails; readonly code?: string; readonly cause?: unknown } = {},
  ) {
    super(shortened(message), options.cause === undefined ? undefined : { cause: options.cause });
    this.condition = condition;
    this.code = options.code ?? conditions[condition][1];
    this.details = options.details;
  }

  get source(): string {
    return conditions[this.condition][0];
  }

  /** As callers get it, without keys that say nothing. */
  get output(): ToolErrorOutput {
    const { source, code, message, details } = this;
    return { source, code, message, ...(isSafeJson(details) && details && { details }) };
  }

  /** Whatever was thrown on the way to a server. What is no failure of the network is `internal`, and kept as the cause. */
  static from(thrown: unknown): ToolFailure {
    if (thrown instanceof ToolFailure) return thrown;
    if (!(thrown instanceof A2AError)) return new ToolFailure('internal', 'The call failed here', { cause: thrown });
    const { kind, message, cause } = thrown;
    if (kind === 'upstreamTimeout') return new ToolFailure('timeout', message, { cause });
    if (kind === 'invalidAgentResponse') return new ToolFailure('invalidResponse', message, { cause });
    return new ToolFailure('connection', message, { cause });
  }
}
