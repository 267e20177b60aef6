import { hash } from 'node:crypto';
import type { InputRequiredResult } from '@modelcontextprotocol/server';
import type { Message, Part, Task } from '../../../core/model/a2a.ts';
import { A2AError } from '../../../core/model/errors.ts';
import { newId } from '../../../core/model/ids.ts';
import { isObject, type JsonObject } from '../../../core/model/json.ts';
import { isInterrupted } from '../../../core/model/lifecycle.ts';
import { type AnswerFacts, answerKey, questionOf } from '../../../core/model/question.ts';
import type { SealedTokens } from '../../../net/credentials/sealed-tokens.ts';
import type { AskedRequests, Elicit } from './elicitations.ts';
import { type ExposedAgent, type InvokeContext, unaryReply } from './exposed-agent.ts';
import { answerPartsOf, type Elicitation, inputRequestsOf } from './questions.ts';
import { type SendResult, sendAndWait, type WaitOptions, waitForTask } from './wait.ts';

// If a call's task asks a question, the call is answered with this question (MCP 2026-07-28, multi round-trip
// requests). The client then repeats the call, at any replica, with its responses and the `requestState`, which is the
// call's entire state.

/** Content of a `requestState`. */
export interface CallState {
  /** Id of the principal. The state is refused for any other. */
  readonly caller: string;
  readonly tool: string;
  readonly agent: string;
  readonly task: string;
  /** Identifies the question, which can be answered only once. */
  readonly question: string;
  /** Time of the status that asks, if that status has a message. An answer removes the message. */
  readonly asked?: string | undefined;
  /** Time after which the state is refused, in milliseconds since the epoch. */
  readonly expires: number;
}

/** Milliseconds that a client may take to answer, if the question states no deadline. */
const timeToAnswer = 24 * 3_600_000;

export interface CallStates {
  /** Id of the principal; empty if the agent knows the caller by its credentials. */
  readonly caller: string;
  /** Called when a call asks or is answered. */
  readonly tokens: () => Promise<SealedTokens<CallState>>;
}

/** Opens the state that a client sends back. Rejects if it was modified, belongs to another caller, or has expired. */
export async function openState({ caller, tokens }: CallStates, token: string): Promise<CallState> {
  const state = (await tokens()).open(token);
  if (state?.caller !== caller) throw new Error('The requestState does not belong to this caller');
  if (state.expires < Date.now()) throw new Error('The requestState has expired');
  return state;
}

/** Means by which a call can ask its client. */
export interface Asking {
  readonly states: CallStates;
  /** Kinds of questions that the client supports. */
  readonly elicitation: Elicitation;
  /** Name of the called tool. */
  readonly tool: string;
  /** State of a repeated call. */
  readonly state: CallState | undefined;
  readonly responses: JsonObject | undefined;
  /** Asks the client during the call. Absent: the questions are returned as the result of the call. */
  readonly elicit?: Elicit | undefined;
}

/** The outcome of a call, or the questions that it asks. */
export type Reached = (SendResult | { readonly asked: InputRequiredResult }) & {
  /** Note for the client. */
  readonly note?: string;
};

/** A task and the question that it asks. */
interface Current extends Pick<CallState, 'question' | 'asked'> {
  readonly task: Task;
  /** Absent if the gateway does not keep the task. */
  readonly generation?: string;
}

/** Maximum number of questions that one call asks its client. */
const maxRounds = 20;

/**
 * Begins a call, or continues one that has asked, and waits for its outcome. If the task asks, ends with the questions
 * for the client.
 *
 * @param asking absent if the client cannot be asked
 */
export async function reach(
  agent: ExposedAgent,
  asking: Asking | undefined,
  wait: WaitOptions,
  begin: () => Promise<SendResult>,
): Promise<Reached> {
  if (!asking) return begin();
  const { state, responses } = asking;
  let reached: Reached = state ? await proceed(agent, asking, state, wait) : await begin();
  // A client that knows the names of the questions may send responses with its first call.
  if (!state && responses && asks(reached)) {
    const current = await readCurrent(agent, reached.task.id, wait);
    reached = (await answer(agent, current, responses, asking, wait)) ?? reached;
  }
  for (let round = 1; asks(reached) && round <= maxRounds; round += 1) {
    const current = await readCurrent(agent, reached.task.id, wait);
    const asked = await ask(current, agent, asking, reached.note);
    if (!asked) return { ...reached, task: current.task };
    if (!asking.elicit) {
      const { requests: inputRequests, state: requestState } = asked;
      return { asked: { resultType: 'input_required', inputRequests, requestState } };
    }
    const given = await elicit(agent, current, asked, asking.elicit, wait);
    if (!given) return { task: current.task };
    reached =
      given === 'changed'
        ? await answeredAlready(agent, await readCurrent(agent, current.task.id, wait), current.asked, wait)
        : ((await answer(agent, current, given, asking, wait)) ?? { task: current.task });
  }
  return reached;
}

/** Asks the client during the call, until the client has responded or the question has been answered otherwise. */
async function elicit(
  agent: ExposedAgent,
  { task: { id }, question, generation }: Current,
  asked: AskedRequests,
  ask: Elicit,
  wait: WaitOptions,
): Promise<JsonObject | 'changed' | undefined> {
  const over = new AbortController();
  const signal = AbortSignal.any([over.signal, wait.signal, wait.stopping]);
  const changed = async (): Promise<'changed' | undefined> => {
    for (let known = generation; known !== undefined && !signal.aborted; ) {
      await agent.invoke('GetTask', { id, currentGeneration: known, historyLength: 0 }, { ...wait, signal });
      const now = await readCurrent(agent, id, wait);
      if (now.question !== question) return 'changed';
      known = now.generation;
    }
    return undefined;
  };
  // If the task cannot be followed, a late response is refused.
  const other = changed().catch(() => undefined);
  const responses = ask(asked, signal);
  const first = await Promise.race([responses, other.then(async (found) => found ?? (await responses))]);
  over.abort();
  return first;
}

const asks = (reached: Reached): reached is { readonly task: Task; readonly note?: string } =>
  'task' in reached && isInterrupted(reached.task.status.state);

/** Number of latest messages in the history that are searched for the last answer. */
const recent = 10;

async function readCurrent(agent: ExposedAgent, id: string, context: InvokeContext): Promise<Current> {
  const reply = await agent.invoke('GetTask', { id, historyLength: recent }, context);
  const { value: task, facts } = unaryReply<Task>(reply);
  const { state, timestamp, message } = task.status;
  const generation = facts?.generation ? `${facts.generation}` : undefined;
  // Some dialects have no message ids, and some agents keep the message of a question after the question is over.
  const asked = generation === undefined ? [timestamp, message?.parts] : message?.messageId || generation;
  const question = hash('sha256', JSON.stringify([state, asked]), 'base64url');
  return { task, question, asked: message && timestamp, ...(generation !== undefined && { generation }) };
}

/** Continues the call with the client's responses. */
async function proceed(agent: ExposedAgent, asking: Asking, state: CallState, wait: WaitOptions): Promise<Reached> {
  if (state.agent !== agent.name) throw A2AError.invalidField('requestState', 'belongs to a call of another agent');
  const current = await readCurrent(agent, state.task, wait);
  if (current.question !== state.question) return answeredAlready(agent, current, state.asked, wait);
  return (await answer(agent, current, asking.responses ?? {}, asking, wait)) ?? { task: current.task };
}

/** Returns the message that answers a task. */
export const answerTo = (
  { id, contextId }: Task,
  parts: readonly Part[],
  { caller }: Pick<CallStates, 'caller'>,
): Message => ({
  messageId: newId(),
  role: 'ROLE_USER',
  parts: [...parts],
  taskId: id,
  ...(contextId !== undefined && { contextId }),
  ...(caller !== '' && { metadata: { [answerKey]: { by: caller, way: 'mcp' } satisfies AnswerFacts } }),
});

/** Sends the responses to the task. Undefined if one is missing. */
async function answer(
  agent: ExposedAgent,
  current: Current,
  responses: JsonObject,
  { states }: Pick<Asking, 'states'>,
  wait: WaitOptions,
): Promise<Reached | undefined> {
  const { task, generation, asked } = current;
  const parts = answerPartsOf(task, responses);
  if (!parts) return undefined;
  try {
    return await sendAndWait(agent, answerTo(task, parts, states), wait, generation);
  } catch (thrown) {
    const error = A2AError.from(thrown);
    if (error.kind === 'taskGenerationMismatch') {
      return answeredAlready(agent, await readCurrent(agent, task.id, wait), asked, wait);
    }
    // The client is asked again, together with the reason.
    if (error.kind !== 'invalidParams' || error.violations.length === 0) throw thrown;
    return { task, note: error.violations.map(({ field, description }) => `${field} ${description}`).join('; ') };
  }
}

/** States in which a question may have ended without an answer. */
const unanswered: ReadonlySet<string> = new Set(['TASK_STATE_CANCELED', 'TASK_STATE_FAILED', 'TASK_STATE_REJECTED']);

/**
 * Returns the outcome if another answer came first or the question has ended: the task once it has progressed, with a
 * note that names the author of the answer.
 */
async function answeredAlready(
  agent: ExposedAgent,
  { task: { id, history = [] } }: Current,
  asked: string | undefined,
  wait: WaitOptions,
): Promise<Reached> {
  const facts = history.findLast(({ role }) => role === 'ROLE_USER')?.metadata?.[answerKey];
  const by = isObject(facts) ? `, by ${facts.by}` : '';
  const task = await waitForTask(agent, id, wait, asked);
  const isOver = unanswered.has(task.status.state);
  return { task, note: isOver ? 'The question is no longer open' : `The question has been answered${by}` };
}

/**
 * Returns the questions for the client with the state that continues the call. Undefined if the client cannot be asked.
 */
async function ask(
  { task, question, asked }: Current,
  { name: agent }: ExposedAgent,
  { elicitation, states: { caller, tokens }, tool }: Asking,
  note: string | undefined,
): Promise<AskedRequests | undefined> {
  const requests = inputRequestsOf(task, elicitation, note && `${note}\n`);
  if (!requests) return undefined;
  const until = Date.parse(questionOf(task)?.until ?? '');
  const expires = Number.isNaN(until) ? Date.now() + timeToAnswer : until;
  const state: CallState = { caller, tool, agent, task: task.id, question, asked, expires };
  return { requests, state: (await tokens()).seal(state) };
}

/**
 * Answers the only question of a call that waits in another process, where the call then continues.
 *
 * @throws A2AError if the response does not answer the question
 */
export async function answerElsewhere(
  agent: ExposedAgent,
  { task: id, question }: CallState,
  response: JsonObject,
  states: CallStates,
  wait: WaitOptions,
): Promise<void> {
  const current = await readCurrent(agent, id, wait);
  const [name] = Object.keys(inputRequestsOf(current.task, { form: true, url: true }) ?? {});
  if (current.question !== question || name === undefined) return;
  await answer(agent, current, { [name]: response }, { states }, wait);
}
