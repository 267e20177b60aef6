import type { Message, SendMessageRequest, Struct, Task, TaskStatus } from './a2a.ts';
import { newId } from './ids.ts';
import { isObject, type JsonObject } from './json.ts';
import { type QuestionFacts, questionKey, timeText } from './question.ts';

// A call may have to wait until people agree to it. Until then its agent does not get it. Its message is appended with the asks,
// and the task waits with a status that says who is asked, and who has agreed so far. A message of the gateway releases it.

/**
 * Metadata key of a message that its agent does not get yet, and of the status message of a task that waits. Callers cannot set
 * it.
 */
export const askKey = 'a2a-gateway/ask';

/** People who are asked before an agent gets a message. */
export interface Ask {
  /** Name of the rule that asks, as people see it: `policy NAME` or `guard NAME`. */
  readonly by: string;
  /** Reason, as people see it. */
  readonly reason?: string;
  /** The people who may agree: names in the configuration, or ids of principals. */
  readonly of: readonly string[];
  /** A person who may agree in place of any of them: a name in the configuration, or the id of a principal. */
  readonly delegate?: string;
  /** Number of people who must agree. */
  readonly quorum: number;
  /** Whether callers may agree to their own calls if they are among these people. */
  readonly self: boolean;
  /** Milliseconds to wait for the agreement. */
  readonly wait: number;
  /** Outcome when the wait is over. */
  readonly otherwise: 'deny' | 'allow';
}

/** A person's agreement. */
export interface Agreement {
  /** Id of the principal. */
  readonly by: string;
  readonly way: string;
  /** Time of the agreement (RFC 3339). */
  readonly at: string;
}

/** The open asks of one message. */
export interface OpenAsk {
  /** Position of the message that waits. It identifies the asks within the task. */
  readonly seq: number;
  /** Time when people were asked: milliseconds since the epoch, by the store's clock. */
  readonly since: number;
  readonly asks: readonly (Ask & { readonly given: readonly Agreement[] })[];
}

/** A message that waits, with its asks and the parts of its call that the agent gets with it. */
export interface HeldCall {
  readonly asks: readonly Ask[];
  readonly parts: Omit<SendMessageRequest, 'message' | 'tenant'>;
  readonly extensions: readonly string[];
  readonly hops: number;
  /** Id of the skill for which the call was authorized. */
  readonly skill?: string;
  /** Whether the message began a new context. */
  readonly newContext?: true;
}

const isAsks = (facts: unknown): boolean => isObject(facts) && Array.isArray(facts.asks);

/** The asks of a message that its agent does not get yet. Undefined if the message does not wait. */
export function heldCallOf({ metadata }: Pick<Message, 'metadata'>): HeldCall | undefined {
  const facts = metadata?.[askKey];
  return isAsks(facts) ? (facts as unknown as HeldCall) : undefined;
}

/** The message with its asks. */
export const heldMessage = (message: Message, held: HeldCall): Message => ({
  ...message,
  metadata: { ...message.metadata, [askKey]: held as unknown as Struct },
});

/** The message without its asks, as its agent gets it. */
export function withoutAsks(message: Message): Message {
  const { metadata: { [askKey]: _, ...metadata } = {}, ...rest } = message;
  return Object.keys(metadata).length > 0 ? { ...rest, metadata } : rest;
}

/** The open asks of a task that waits for people. */
export function openAskOf({ status }: Pick<Task, 'status'>): OpenAsk | undefined {
  if (status.state !== 'TASK_STATE_AUTH_REQUIRED') return undefined;
  const facts = status.message?.metadata?.[askKey];
  return isAsks(facts) && isObject(facts) && Number.isSafeInteger(facts.seq)
    ? (facts as unknown as OpenAsk)
    : undefined;
}

/** JSON Schema of the answer to an ask, in the form of questions. */
const decisionSchema: JsonObject = {
  type: 'object',
  properties: {
    decision: { title: 'Decision', type: 'string', enum: ['approve', 'deny'] },
    reason: { title: 'Reason', type: 'string' },
  },
  required: ['decision'],
};

/** The asks of the message at a position, before any agreement. */
export const opened = ({ asks }: HeldCall, seq: number, since: number): OpenAsk => ({
  seq,
  since,
  asks: asks.map((ask) => ({ ...ask, given: [] })),
});

/**
 * Time at which the wait ends by itself, and its outcome. The first ask that denies, and whose people have not agreed, decides;
 * without one, the call waits as long as its longest ask. The time never moves earlier.
 */
function endOf({ asks, since }: OpenAsk): Required<Pick<QuestionFacts, 'until' | 'otherwise'>> {
  const denying = asks.filter(({ otherwise, quorum, given }) => otherwise === 'deny' && given.length < quorum);
  if (denying.length > 0) {
    return { until: timeText(since + Math.min(...denying.map(({ wait }) => wait))), otherwise: 'fail' };
  }
  const longest = Math.max(...asks.map(({ wait }) => wait));
  return { until: timeText(since + longest), otherwise: { answer: { decision: 'approve' } } };
}

/** The status of a task that waits for people. @param now milliseconds since the epoch, by the store's clock */
export function askingStatus(open: OpenAsk, ids: Pick<Message, 'taskId' | 'contextId'>, now: number): TaskStatus {
  const { asks } = open;
  const facts: QuestionFacts = { schema: decisionSchema, by: asks.map(({ by }) => by).join(', '), ...endOf(open) };
  const message: Message = {
    messageId: newId(),
    role: 'ROLE_AGENT',
    parts: [{ text: asks.map(textOf).join('\n') }],
    ...ids,
    metadata: { [questionKey]: facts as unknown as Struct, [askKey]: open as unknown as Struct },
  };
  return { state: 'TASK_STATE_AUTH_REQUIRED', timestamp: timeText(now), message };
}

function textOf({ by, reason, of, delegate, quorum, given }: OpenAsk['asks'][number]): string {
  const people = of.length > 1 ? `${quorum} of ${of.join(', ')}` : of.join('');
  const instead = delegate === undefined ? '' : ` (or ${delegate} in place of any of them)`;
  const soFar = given.length > 0 ? ` Agreed so far: ${given.map((one) => one.by).join(', ')}.` : '';
  const why = reason === undefined ? '' : ` ${reason}`;
  return `The agent gets this call when ${people}${instead} ${quorum > 1 ? 'agree' : 'agrees'} (${by}).${why}${soFar}`;
}
