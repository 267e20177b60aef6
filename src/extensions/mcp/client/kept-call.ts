import type { AgentContext } from '../../../core/model/agent.ts';
import type { JsonObject } from '../../../core/model/json.ts';
import type { ToolRequest } from '../../../core/model/tool-choice.ts';
import type { PolledTask } from './task-polling.ts';

/** A stored tool call that waits for answers or for its task at the server. Part of the state of its task. */
export interface KeptCall {
  readonly request: ToolRequest;
  readonly server: string;
  /** Name of the tool at the server. */
  readonly name: string;
  /** Position of the message in whose turn the call was stored. */
  readonly turn?: number;
  /** Number of times that the call has asked so far. */
  readonly round: number;
  /** Parameters of `elicitation/create`, by request name. */
  readonly questions: Readonly<Record<string, JsonObject>>;
  /** Answers so far, by request name. */
  readonly responses: JsonObject;
  /** Answers from text messages to the first form that is incomplete. */
  readonly partial: JsonObject;
  readonly requestState?: string;
  /**
   * Whether the call is open in a session of this process. In MCP 2025-11-25 and earlier, servers ask within the
   * session.
   */
  readonly held?: true;
  /** Deadline for the answer (RFC 3339). */
  readonly until?: string;
  /** Task at the server that the call has become. */
  readonly polled?: PolledTask;
}

/** Key of a call that waits for answers, in the state of its task. */
export const askedKey = 'asked';
/** Key of a call whose task at the server is polled, in the state of the call's own task. */
export const polledKey = 'polled';

/** Removes the call that waits for an answer from the state, so that each answer is used once. */
export async function takeAsked(
  { key, state }: Pick<AgentContext, 'key' | 'state'>,
  /** Keys of the tasks whose answers are being read. */
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
