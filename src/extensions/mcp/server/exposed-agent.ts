import type { OperationName, Part, RequestOf } from '../../../core/model/a2a.ts';
import type { AgentDescription } from '../../../core/model/agent.ts';
import { isStream, type Reply, type UnaryReply } from '../../../core/model/call.ts';
import { A2AError } from '../../../core/model/errors.ts';
import type { TraceContext } from '../../../core/telemetry/trace-context.ts';

/** The context of a tool call for the agent calls that it makes. */
export interface InvokeContext extends TraceContext {
  /** Aborts when the caller has gone. Never aborts the task. */
  readonly signal: AbortSignal;
  /** Number of gateways that the call has passed, by its `_meta`. */
  readonly hops: number;
  /** The path of the tree, by its `_meta`, not verified. */
  readonly path?: string;
}

/** An agent whose skills are offered as tools. */
export interface ExposedAgent {
  /** Its name in tools: lower-case letters, digits and dashes. */
  readonly name: string;
  /** The current card: the same object as long as it has not changed. */
  readonly card: AgentDescription;
  /** Whether the caller may call an operation, with a skill or with none: ''. Absent: every one. */
  readonly permits?: (operation: string, skill: string) => boolean;
  /** Whether its tasks can be listed. */
  readonly lists: boolean;
  /** Calls one of its operations on behalf of the tool's caller. Rejects with an A2AError. */
  invoke<K extends OperationName>(operation: K, request: RequestOf<K>, context: InvokeContext): Promise<Reply>;
  /** A URL that serves the bytes of a part of one of its tasks. Absent: they are not served. */
  readonly fileUrl?: (taskId: string, part: Part) => string;
}

/** A reply that is not a stream. */
export function unaryReply<T>(reply: Reply): Omit<UnaryReply, 'value'> & { readonly value: T } {
  if (isStream(reply)) throw new A2AError('invalidAgentResponse', 'The agent answered with a stream');
  return reply as UnaryReply & { readonly value: T };
}

export const unaryValue = <T>(reply: Reply): T => unaryReply<T>(reply).value;
