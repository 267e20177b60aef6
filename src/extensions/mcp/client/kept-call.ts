import type { AgentContext } from '../../../core/model/agent.ts';
import type { JsonObject } from '../../../core/model/json.ts';
import type { ToolRequest } from '../../../core/model/tool-choice.ts';
import type { PolledTask } from './task-polling.ts';

/** A tool call that waits for answers, or for its task at the server, as it is kept in the state of its task. */
export interface KeptCall {
  readonly request: ToolRequest;
  readonly server: string;
  /** The tool's name at the server. */
  readonly name: string;
  /** Position of the message in whose turn it was kept. */
  readonly turn?: number;
  /** Times that the call has asked. */
  readonly round: number;
  /** The params of `elicitation/create` by the names of the requests. */
  readonly questions: Readonly<Record<string, JsonObject>>;
  /** Answers so far, by the same names. */
  readonly responses: JsonObject;
  /** Answers of texts to the first form that is not answered in full. */
  readonly partial: JsonObject;
  readonly requestState?: string;
  /** Whether the call is open in a session of this process, which is asked in MCP 2025-11-25 and before. */
  readonly held?: true;
  /** Time by which it must be answered (RFC 3339). */
  readonly until?: string;
  /** The task that the call has become at the server. */
  readonly polled?: PolledTask;
}

/** Key in the state of the task of a call that waits for answers. */
export const askedKey = 'asked';
/** Key in the state of the task of a call whose task at the server is polled. */
export const polledKey = 'polled';

/** Takes the call that waits for an answer, which it does no longer then: each answer is used once. */
export async function takeAsked(
  { key, state }: Pick<AgentContext, 'key' | 'state'>,
  /** Keys of tasks whose answer is being read. */
  answering: Set<string>,
): Promise<KeptCall | undefined> {
  if (answering.has(key)) return undefined;
  answering.add(key);
  try {
    const asked = await state.task.get<KeptCall>(askedKey);
    if (asked) await state.task.delete(askedKey);
    return asked;
  } finally {
    answering.delete(key);
  }
}
