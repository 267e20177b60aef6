import type { JsonObject } from '../../core/model/json.ts';
import type { ShownCredentials } from '../../core/model/principal.ts';
import type { TraceContext } from '../../core/telemetry/trace-context.ts';

/** Levels of objects and lists that are taken in: what is made of them has a few more, and must be read by others. */
const deepest = 56;

/**
 * Whether a value of JSON can be handled by everything that it may come to: it is not nested too deeply, and has no key
 * that means something to JavaScript.
 */
export const isSafeJson = (value: unknown, depth: number = deepest): boolean =>
  typeof value !== 'object' ||
  value === null ||
  (depth > 0 &&
    !Object.hasOwn(value, '__proto__') &&
    Object.values(value).every((child) => isSafeJson(child, depth - 1)));

/** A tool as its server describes it. */
export interface Tool {
  readonly name: string;
  readonly title?: string;
  readonly description?: string | undefined;
  readonly inputSchema?: JsonObject | undefined;
  readonly outputSchema?: JsonObject;
  /** What the server says of its effects. */
  readonly annotations?: JsonObject;
  /** It can only be called as a task of MCP (2025-11-25), which is asked for again and again. */
  readonly taskOnly?: true;
  /** How many gateways it comes through: one that offers itself its own tools would see ever more of them. */
  readonly gateways?: number;
}

/** How far a call has come, as `notifications/progress` says it. */
export interface ToolProgress {
  readonly progress?: number | undefined;
  readonly total?: number | undefined;
  readonly message?: string | undefined;
}

/** What of the caller goes with a call. */
export interface ToolCallContext extends TraceContext {
  /** How many gateways the call has passed, this one included. */
  readonly hops: number;
  readonly credentials?: () => ShownCredentials;
}

/** One call of one tool. */
export interface ToolCall extends ToolCallContext {
  readonly name: string;
  readonly arguments: JsonObject;
  /** Gives the call up; the server is told. */
  readonly signal: AbortSignal;
  readonly onProgress: (progress: ToolProgress) => void;
}

/** How a server is, for those who look after the gateway. */
export interface ToolServerHealth {
  readonly state: 'ok' | 'connecting' | 'unreachable';
  readonly reason?: string;
}

/** Whether the tool that is looked for is among these. */
export type ToolPredicate = (tools: readonly Tool[]) => boolean;

/** A server of tools, whatever it speaks. */
export interface ToolServer {
  /** Its tools as they were last listed; another array whenever they have changed. Undefined: it cannot be known. */
  readonly tools: readonly Tool[] | undefined;
  /**
   * Its tools, once they are known; asks again where the wanted one is not among them. Rejects with a ToolFailure, or the
   * signal's reason.
   */
  list(signal: AbortSignal, facts: ToolCallContext, wanted?: ToolPredicate): Promise<readonly Tool[] | undefined>;
  /** The result as the server sent it, also when it says `isError`. Rejects with a ToolFailure. */
  call(call: ToolCall): Promise<JsonObject>;
  /** Begins to connect. Waits for nobody. */
  open(): void;
  close(): Promise<void>;
  readonly health: ToolServerHealth;
}
