import type { AgentCapabilities, SendMessageRequest, Task } from '../model/a2a.ts';
import { type Agent, unreadExtension } from '../model/agent.ts';
import type { CallContext } from '../model/call.ts';
import type { RuledField } from '../model/errors.ts';
import { A2AError, type ErrorKind } from '../model/errors.ts';
import { stateWord } from '../model/lifecycle.ts';
import type { LiveTask } from '../tasks/live-tasks.ts';
import type { SendInput } from './send-input.ts';

/** Checks before an operation is carried out. Each throws the error that A2A 1.0.1 has for it. */

/** The error for invalid parameters, which describes one faulty field. */
export const fault = (field: RuledField, description: string, metadata?: Readonly<Record<string, string>>): A2AError =>
  A2AError.invalidField(field, description, metadata);

const refusals = {
  streaming: ['unsupportedOperation', 'The agent does not support streaming'],
  pushNotifications: ['pushNotificationNotSupported', 'The agent does not support push notifications'],
  extendedAgentCard: ['unsupportedOperation', 'The agent has no extended card'],
} as const;

/** Throws unless the agent's card declares the capability (section 3.3.4). */
export function requireCapability(agent: Agent, flag: keyof typeof refusals): void {
  const capabilities: AgentCapabilities = agent.card.capabilities;
  if (capabilities[flag] === true) return;
  const [kind, message] = refusals[flag];
  throw new A2AError(kind, message);
}

/** Throws unless the caller has declared the agent's required extensions. Activates them (sections 3.3.4 and 4.6). */
export function requireExtensions(agent: Agent, context: CallContext): void {
  for (const { uri, required } of agent.card.capabilities.extensions ?? []) {
    if (!required || !uri) continue;
    const isNamed = context.extensions.includes(uri) && uri !== unreadExtension;
    if (!isNamed && agent.enforcesExtensions !== false) throw requiredExtension(uri);
    if (isNamed) context.notes.extensions.add(uri);
  }
}

function requiredExtension(uri: string): A2AError {
  const message =
    uri === unreadExtension
      ? "The agent requires an extension, and its card does not say which in a form that can be read: the agent's operator can name it with card, or pass calls on with extensions: { enforce: false }"
      : `The agent requires the extension ${uri}`;
  return new A2AError('extensionSupportRequired', message, { metadata: { extension: uri } });
}

/** Checks that a value, if given, is a whole number from `min` to `max`. */
export function requireRange(field: RuledField, value: number | undefined, min: number, max?: number): void {
  if (value === undefined || (Number.isSafeInteger(value) && value >= min && value <= (max ?? value))) return;
  const description = max === undefined ? `must be at least ${min}` : `must be from ${min} to ${max}`;
  throw fault(field, description);
}

/** The largest int64. */
const maxGeneration = 2n ** 63n - 1n;

/** The generation of a task in a parameter, an int64; undefined if it is absent. Throws `invalidParams`. */
export function generationIn(field: RuledField, value: string | undefined): bigint | undefined {
  if (value === undefined) return undefined;
  const generation = /^\d{1,19}$/.test(value) ? BigInt(value) : -1n;
  if (generation >= 0n && generation <= maxGeneration) return generation;
  throw fault(field, `must be a whole number from 0 to ${maxGeneration}`);
}

/** The generation that a message expects its task to have; undefined: any. Throws `invalidParams`. */
export const expectedGenerationOf = ({ configuration }: SendMessageRequest): bigint | undefined =>
  generationIn('configuration.ifGenerationMatch', configuration?.ifGenerationMatch);

/** Checks the rules for messages that the schema cannot express. */
export function requireMessage(request: SendMessageRequest): void {
  requireText('message.messageId', request.message.messageId);
  if (request.message.parts.length === 0) throw fault('message.parts', 'must have at least one part');
  requireRange('configuration.historyLength', request.configuration?.historyLength, 0);
  expectedGenerationOf(request);
}

export function requireText(field: RuledField, value: string | undefined): asserts value is string {
  if (!value) throw fault(field, 'must not be empty');
}

export function requireNotOver(
  { log, record }: Pick<LiveTask, 'log' | 'record'>,
  kind: ErrorKind,
  message = 'The task is over',
): void {
  if (!log.isTerminal) return;
  throw new A2AError(kind, `${message}: ${stateWord(log.state)}`, { metadata: { taskId: record.id } });
}

/** Throws unless the message names the task's own context, or none (section 3.4.3). */
export function requireSameContext(request: SendMessageRequest, task: Task): void {
  const named = request.message.contextId;
  if (!named || named === task.contextId) return;
  throw fault('message.contextId', 'is not the context of this task', { taskId: task.id });
}

/** Milliseconds to wait for a direct Message if the caller does not wait for the task. */
const immediateTimeout = 250;
/** Milliseconds to wait for a refusal if the caller gets only the id of the task. */
const refusalTimeout = 1_000;

/** Milliseconds after which an agent that has not answered gets a task. */
export function answerTimeout({ request, context, deps }: SendInput): number {
  const { returnImmediately } = request.configuration ?? {};
  if (context.semantics.answersWithId) return Math.min(refusalTimeout, deps.limits.answer);
  if (context.semantics.tasksOnly || (context.semantics.namesTask && request.message.taskId)) {
    // The answer is a task in any case. A short wait lets an agent that answers at once open the task itself.
    return returnImmediately ? 0 : Math.min(immediateTimeout, deps.limits.answer);
  }
  return returnImmediately ? immediateTimeout : deps.limits.answer;
}

export const isStreaming = ({ operation }: SendInput): boolean => operation === 'SendStreamingMessage';

/** The request without the generation that it expects: agents count the generations of their tasks in another way. */
export function withoutCondition(request: SendMessageRequest): SendMessageRequest {
  if (request.configuration?.ifGenerationMatch === undefined) return request;
  const { ifGenerationMatch: _, ...configuration } = request.configuration;
  return { ...request, configuration };
}
