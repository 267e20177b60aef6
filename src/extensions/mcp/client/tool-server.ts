import type { JsonObject } from '../../../core/model/json.ts';
import type { ShownCredentials } from '../../../core/model/principal.ts';
import type { TraceContext } from '../../../core/telemetry/trace-context.ts';

/** Maximum accepted nesting depth. Results are wrapped in a few more levels, and receivers have limits too. */
const maxDepth = 56;

/**
 * Whether a JSON value is safe for all software that may process it: not nested too deeply, and without a key
 * `__proto__`.
 */
export const isSafeJson = (value: unknown, depth: number = maxDepth): boolean =>
  typeof value !== 'object' ||
  value === null ||
  (depth > 0 &&
    !Object.hasOwn(value, '__proto__') &&
    Object.values(value).every((child) => isSafeJson(child, depth - 1)));

/** Returns the result of `roots/list`. */
export const rootsResult = (roots: readonly string[]): JsonObject => ({ roots: roots.map((uri) => ({ uri })) });

/** A tool as its server describes it. */
export interface Tool {
  readonly name: string;
  readonly title?: string;
  readonly description?: string | undefined;
  readonly inputSchema?: JsonObject | undefined;
  readonly outputSchema?: JsonObject;
  /** The server's statements about the tool's effects. */
  readonly annotations?: JsonObject;
  /** Set if the tool can be called only as an MCP task (2025-11-25), which is polled. */
  readonly taskOnly?: true;
  /**
   * Number of gateways through which the tool is offered. Keeps gateways from offering each other's tools in a loop.
   */
  readonly gateways?: number;
}

/** Progress of a call, as in `notifications/progress`. */
export interface ToolProgress {
  readonly progress?: number | undefined;
  readonly total?: number | undefined;
  readonly message?: string | undefined;
}

export interface ServerRequest {
  readonly method: 'elicitation/create' | 'sampling/createMessage';
  readonly params: JsonObject;
}

export interface ToolCallContext extends TraceContext {
  /** Number of gateways that the call has passed, including this one. */
  readonly hops: number;
  /** Signed path of the tree, for another gateway. */
  readonly path?: string | undefined;
  /** Id of the principal. Absent for requests that no caller has made. */
  readonly caller?: string | undefined;
  readonly credentials?: () => ShownCredentials;
}

/** Input with which a call is repeated after its server has asked for it (MCP 2026-07-28). */
export interface CallInput {
  /** Responses by request name. */
  readonly inputResponses: JsonObject;
  readonly requestState?: string | undefined;
}

export interface ToolCall extends ToolCallContext {
  readonly name: string;
  readonly arguments: JsonObject;
  readonly input?: CallInput | undefined;
  /**
   * Resolves with the answer to a request from the server while the call stays open (MCP 2025-11-25 and earlier).
   * Rejects if the server withdraws its request.
   */
  readonly onAsk?: (asked: ServerRequest, withdrawn: AbortSignal) => Promise<JsonObject>;
  /** Cancels the call in the gateway and at the server. */
  readonly signal: AbortSignal;
  readonly onProgress: (progress: ToolProgress) => void;
}

/**
 * A request about a task that a tool call has become (tasks extension of MCP, SEP-2663; part of MCP itself in
 * 2025-11-25).
 */
export interface ToolTaskRequest extends ToolCallContext, Pick<ToolCall, 'signal' | 'onAsk'> {
  readonly method: 'tasks/get' | 'tasks/update' | 'tasks/cancel';
  readonly taskId: string;
  /** Only for `tasks/update`. */
  readonly inputResponses?: JsonObject;
}

/** State of a server, for operators. */
export interface ToolServerHealth {
  readonly state: 'ok' | 'connecting' | 'unreachable';
  readonly reason?: string;
  /** Parts of the handshake or the list of tools that could not be read and were omitted. */
  readonly problems?: readonly string[];
}

/** Whether a list contains the required tool. */
export type ToolPredicate = (tools: readonly Tool[]) => boolean;

export interface ToolServer {
  /** The tools last listed. A changed list is a new array. Undefined if the server cannot list its tools. */
  readonly tools: readonly Tool[] | undefined;
  /**
   * Resolves with the tools once they are known. Refreshes the list if it lacks the required tool. Rejects with a
   * ToolFailure or the signal's reason.
   */
  list(signal: AbortSignal, facts: ToolCallContext, wanted?: ToolPredicate): Promise<readonly Tool[] | undefined>;
  /**
   * Resolves with the server's result, even if `isError` is set. With `resultType: 'task'` the result names the task
   * that the call has become. Rejects with a ToolFailure.
   */
  call(call: ToolCall): Promise<JsonObject>;
  /**
   * Resolves with the server's response; for `tasks/get`, in the form of 2026-07-28. Absent if calls never become
   * tasks. Rejects with a ToolFailure.
   */
  task?(request: ToolTaskRequest): Promise<JsonObject>;
  /** Starts connecting in the background. */
  open(): void;
  close(): Promise<void>;
  readonly health: ToolServerHealth;
}
