import type { JsonObject } from '../../../core/model/json.ts';
import type { ShownCredentials } from '../../../core/model/principal.ts';
import type { TraceContext } from '../../../core/telemetry/trace-context.ts';

/** Levels of nesting that are accepted; results get a few more around them, and receivers have limits too. */
const maxDepth = 56;

/**
 * Whether a JSON value is safe for everything that may process it: not nested too deeply, and without a key `__proto__`.
 */
export const isSafeJson = (value: unknown, depth: number = maxDepth): boolean =>
  typeof value !== 'object' ||
  value === null ||
  (depth > 0 &&
    !Object.hasOwn(value, '__proto__') &&
    Object.values(value).every((child) => isSafeJson(child, depth - 1)));

/** Answers `roots/list`. */
export const rootsResult = (roots: readonly string[]): JsonObject => ({ roots: roots.map((uri) => ({ uri })) });

/** A tool as its server describes it. */
export interface Tool {
  readonly name: string;
  readonly title?: string;
  readonly description?: string | undefined;
  readonly inputSchema?: JsonObject | undefined;
  readonly outputSchema?: JsonObject;
  /** The server's statements about its effects. */
  readonly annotations?: JsonObject;
  /** It can only be called as an MCP task (2025-11-25), which is polled. */
  readonly taskOnly?: true;
  /** Number of gateways that it was passed through, which stops a gateway from offering itself its own tools for ever. */
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
  /** The signed path of the tree, for another gateway. */
  readonly path?: string | undefined;
  /** Id of the principal. Absent for what no caller asked for. */
  readonly caller?: string | undefined;
  readonly credentials?: () => ShownCredentials;
}

/** The input with which a call is repeated after its server has asked for it (MCP 2026-07-28). */
export interface CallInput {
  /** By the names of the requests. */
  readonly inputResponses: JsonObject;
  readonly requestState?: string | undefined;
}

export interface ToolCall extends ToolCallContext {
  readonly name: string;
  readonly arguments: JsonObject;
  readonly input?: CallInput | undefined;
  /**
   * Resolves with the answer to a request of the server, while the call stays open (MCP 2025-11-25 and before). Rejects when the
   * server withdraws its request.
   */
  readonly onAsk?: (asked: ServerRequest, withdrawn: AbortSignal) => Promise<JsonObject>;
  /** Cancels the call, also at the server. */
  readonly signal: AbortSignal;
  readonly onProgress: (progress: ToolProgress) => void;
}

/** A request about a task that a tool call has become (tasks extension of MCP, SEP-2663; in 2025-11-25 a part of MCP). */
export interface ToolTaskRequest extends ToolCallContext, Pick<ToolCall, 'signal' | 'onAsk'> {
  readonly method: 'tasks/get' | 'tasks/update' | 'tasks/cancel';
  readonly taskId: string;
  /** Of `tasks/update`. */
  readonly inputResponses?: JsonObject;
}

/** The state of a server, for operators. */
export interface ToolServerHealth {
  readonly state: 'ok' | 'connecting' | 'unreachable';
  readonly reason?: string;
  /** Parts of its handshake or its list of tools that cannot be read, and were left out. */
  readonly problems?: readonly string[];
}

/** Whether a list has the wanted tool. */
export type ToolPredicate = (tools: readonly Tool[]) => boolean;

export interface ToolServer {
  /** The tools as last listed; another array when they have changed. Undefined if the server cannot list them. */
  readonly tools: readonly Tool[] | undefined;
  /**
   * The tools, once they are known; refreshes the list if it lacks the wanted tool. Rejects with a ToolFailure or the
   * signal's reason.
   */
  list(signal: AbortSignal, facts: ToolCallContext, wanted?: ToolPredicate): Promise<readonly Tool[] | undefined>;
  /**
   * The server's result, even if it has `isError`, or with `resultType: 'task'` the task that the call has become. Rejects with
   * a ToolFailure.
   */
  call(call: ToolCall): Promise<JsonObject>;
  /** The answer, that to `tasks/get` in the form of 2026-07-28. Absent: calls become no tasks. Rejects with a ToolFailure. */
  task?(request: ToolTaskRequest): Promise<JsonObject>;
  /** Begins to connect, in the background. */
  open(): void;
  close(): Promise<void>;
  readonly health: ToolServerHealth;
}
