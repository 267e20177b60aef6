import type { OperationName, Part, RequestOf } from '../core/model/a2a.ts';
import type { AgentDescription } from '../core/model/agent.ts';
import type { Reply } from '../core/model/call.ts';
import type { TraceContext } from '../core/telemetry/trace-context.ts';

/** What is known of the call of a tool, for the calls of the agent that it leads to. */
export interface InvokeContext extends TraceContext {
  /** Aborts when nobody waits any longer. Never aborts the task. */
  readonly signal: AbortSignal;
  /** How many gateways the call has passed, as far as `_meta` says. */
  readonly hops: number;
}

/** An agent whose skills are offered as tools. */
export interface ExposedAgent {
  /** What tools call it: lower-case letters, digits and dashes. */
  readonly name: string;
  /** As it is at the moment: the same object as long as it has not changed. */
  readonly card: AgentDescription;
  /** Whether its tasks can be listed. */
  readonly lists: boolean;
  /** Calls one of its operations for whoever calls the tool. Rejects with an A2AError. */
  invoke<K extends OperationName>(operation: K, request: RequestOf<K>, facts: InvokeContext): Promise<Reply>;
  /** A URL at which the bytes of a part of one of its tasks are served. Absent: they are served nowhere. */
  readonly fileUrl?: (taskId: string, part: Part) => string;
}
