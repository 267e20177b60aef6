import type { OperationName, Part, RequestOf } from '../../../core/model/a2a.ts';
import type { AgentDescription } from '../../../core/model/agent.ts';
import { isStream, type Reply, type UnaryReply } from '../../../core/model/call.ts';
import { A2AError } from '../../../core/model/errors.ts';
import type { TraceContext } from '../../../core/telemetry/trace-context.ts';

/** Context that a tool call passes to the agent calls that it makes. */
export interface InvokeContext extends TraceContext {
  /** Aborts when the caller disconnects. Never cancels the task. */
  readonly signal: AbortSignal;
  /** Number of gateways that the call has passed, from its `_meta`. */
  readonly hops: number;
  /** Path of the tree from the call's `_meta`, not verified. */
  readonly path?: string;
}

/** An agent whose skills are offered as tools. */
export interface ExposedAgent {
  /** Name in tools: lower-case letters, digits and dashes. */
  readonly name: string;
  /** The current card; the same object until it changes. */
  readonly card: AgentDescription;
  /** Whether the caller may call an operation, with a skill or without one (''). Absent: every operation. */
  readonly permits?: (operation: string, skill: string) => boolean;
  /** Whether the agent's tasks can be listed. */
  readonly lists: boolean;
  /** Calls an operation of the agent on behalf of the tool's caller. Rejects with an A2AError. */
  invoke<K extends OperationName>(operation: K, request: RequestOf<K>, context: InvokeContext): Promise<Reply>;
  /** Returns a URL that serves the bytes of a part of a task. Absent if they are not served. */
  readonly fileUrl?: (taskId: string, part: Part) => string;
}

/**
 * Returns a reply that must not be a stream.
 *
 * @throws A2AError `invalidAgentResponse` for a stream
 */
export function unaryReply<T>(reply: Reply): Omit<UnaryReply, 'value'> & { readonly value: T } {
  if (isStream(reply)) throw new A2AError('invalidAgentResponse', 'The agent answered with a stream');
  return reply as UnaryReply & { readonly value: T };
}

export const unaryValue = <T>(reply: Reply): T => unaryReply<T>(reply).value;
