import type { Message, StreamResponse, Task } from './a2a.ts';
import { newId, type TaskOwner } from './ids.ts';
import { isObject, type JsonObject, parsedJson } from './json.ts';
import { isInterrupted } from './lifecycle.ts';

// A task that waits for its client asks a question, in the message of its status. Facts about the question besides the
// text are in that message's metadata, and therefore in the task's log.

/** Metadata of the message that asks. Callers cannot set the gateway's own keys. */
export const questionKey = 'a2a-gateway/question';
/** Metadata of the message that answers, if the answer did not come from the task's owner over A2A. */
export const answerKey = 'a2a-gateway/answer';

/** Facts about a question besides its text. */
export interface QuestionFacts {
  /** JSON Schema of the answer. An object with several properties asks several questions at once. */
  readonly schema?: JsonObject;
  /**
   * Name of the question, chosen by its author. If several questions are asked at once, the schema's properties have
   * the names.
   */
  readonly name?: string;
  /** Number of the request, if it asks several questions and asks again for answers that are missing. */
  readonly round?: number;
  /** Author of the question, if it is not the agent itself: a tool server, or another agent. */
  readonly by?: string;
  /** Deadline for answers (RFC 3339). The gateway acts on it if `otherwise` is set. */
  readonly until?: string;
  /** Action of the gateway if no answer arrives in time. Absent: none, `until` is only displayed. */
  readonly otherwise?: Otherwise;
  /** Caller who may answer in addition to the task's owner: a name in the configuration, or the id of a principal. */
  readonly for?: string;
  /** Time of a reminder, sent unless the question has been answered (RFC 3339). */
  readonly remind?: string;
}

/** Action for a question without an answer in time: the task fails, or receives a default answer. */
export type Otherwise = 'fail' | { readonly answer: unknown };

/** Author of an answer, and the way it arrived. */
export interface AnswerFacts {
  /** Id of the principal. */
  readonly by: string;
  readonly way: 'admin' | 'chat' | 'deadline' | 'delegate' | 'link' | 'mcp';
  /** Position of the message of the task that the agent may get now: people have agreed to it. */
  readonly releases?: number;
}

/** Author of an answer, and the way it arrived. `message`: from the task's owner, with a message. */
export type GivenAnswer = Pick<AnswerFacts, 'by' | 'releases'> & { readonly way: AnswerFacts['way'] | 'message' };

/** The task that a question belongs to. */
export interface AskingTask extends TaskOwner {
  readonly key: string;
  readonly id: string;
  readonly contextId: string;
}

/** Converts a question's time to milliseconds; infinity if it is missing or cannot be read. */
export function timeOf(text: string | undefined): number {
  const time = text === undefined ? Number.NaN : Date.parse(text);
  return Number.isNaN(time) ? Number.POSITIVE_INFINITY : time;
}

/** Converts milliseconds to a question's time, at the latest in the year 9999: RFC 3339 has no later one. */
export const timeText = (ms: number): string => new Date(Math.min(ms, 253_402_300_799_999)).toISOString();

/** Whether the deadline for answers has passed and the gateway acts on it. */
export const isOverdue = ({ until, otherwise }: QuestionFacts, now: number): boolean =>
  otherwise !== undefined && timeOf(until) <= now;

/** A question that a task asks. */
export interface Question extends QuestionFacts {
  readonly text: string;
}

/** Returns the open question of a task; undefined if the task does not wait for its client. */
export function questionOf({ status }: Pick<Task, 'status'>): Question | undefined {
  if (!isInterrupted(status.state)) return undefined;
  return { ...factsOf(status.message), text: textsOf(status.message) };
}

/** Returns the question that an event asks. */
export function questionIn({ task, statusUpdate }: StreamResponse): Question | undefined {
  const status = (task ?? statusUpdate)?.status;
  return status && questionOf({ status });
}

const isText = (value: unknown): boolean => typeof value === 'string';
const isTime = (value: unknown): boolean =>
  typeof value === 'string' && /^\d{4}-\d\d-\d\dT/.test(value) && Number.isFinite(timeOf(value));

const isReadable: Readonly<Record<keyof QuestionFacts, (value: unknown) => boolean>> = {
  schema: isObject,
  name: isText,
  round: Number.isSafeInteger,
  by: isText,
  until: isTime,
  for: isText,
  remind: isTime,
  otherwise: (value) => value === 'fail' || (isObject(value) && value.answer !== undefined),
};

/**
 * Reads the facts of a message's question. Other agents may write anything there: values of another type are left out.
 */
function factsOf(message: Pick<Message, 'metadata'> | undefined): QuestionFacts {
  const facts = message?.metadata?.[questionKey];
  if (!isObject(facts)) return {};
  const isFact = (name: string): name is keyof QuestionFacts => Object.hasOwn(isReadable, name);
  return Object.fromEntries(Object.entries(facts).filter(([name, value]) => isFact(name) && isReadable[name](value)));
}

/** Returns the sender of a message, if it did not come from the task's owner over A2A. Callers cannot set it. */
export const answererOf = (message: Pick<Message, 'metadata'> | undefined): AnswerFacts | undefined =>
  message?.metadata?.[answerKey] as AnswerFacts | undefined;

/** Returns an event that asks a question, with the facts of the question replaced by the result of `change`. */
export function withFacts(event: StreamResponse, change: (facts: QuestionFacts) => QuestionFacts): StreamResponse {
  const { task, statusUpdate } = event;
  const status = (task ?? statusUpdate)?.status;
  if (!status) return event;
  const {
    message = { messageId: newId(), role: 'ROLE_AGENT' as const, parts: [{ text: 'The agent waits for an answer' }] },
  } = status;
  const facts = { ...change(factsOf(message)) };
  if (message.metadata?.[questionKey] === undefined && Object.keys(facts).length === 0) return event;
  const asking = { ...status, message: { ...message, metadata: { ...message.metadata, [questionKey]: facts } } };
  return task ? { task: { ...task, status: asking } } : { statusUpdate: { ...statusUpdate, status: asking } as never };
}

const textsOf = (message: Pick<Message, 'parts'> | undefined): string =>
  (message?.parts ?? []).flatMap(({ text }) => text ?? []).join('\n');

/** Answer to a question, read from a message. */
export type Answer =
  | { readonly action: 'accept'; readonly value: unknown; readonly schema: JsonObject | undefined }
  /** The person asked does not want to answer. */
  | { readonly action: 'decline' | 'cancel' };

/**
 * Reads the answer in a message: its data, or its text, converted to the type in the schema. Of several questions, a
 * text answers the first; then `schema` is of this one alone. As in MCP's elicitation, data may be `{ action: 'accept',
 * content }`, or an `action` `decline` or `cancel`, unless the schema has a property of that name.
 */
export function answerOf(message: Pick<Message, 'parts'>, schema: JsonObject | undefined): Answer {
  const properties = propertiesOf(schema);
  const part = message.parts.find(({ data }) => data !== undefined);
  if (part) {
    const { data } = part;
    const action = isObject(data) && !Object.hasOwn(properties, 'action') ? data.action : undefined;
    if (action === 'decline' || action === 'cancel') return { action };
    const value = action === 'accept' && isObject(data) ? (data.content ?? {}) : data;
    return { action: 'accept', value, schema };
  }
  const text = textsOf(message);
  const [name] = Object.keys(properties);
  if (!schema || name === undefined) return { action: 'accept', value: answerValue(text, schema), schema };
  const whole = text.trimStart().startsWith('{') ? parsedJson(text) : undefined;
  if (isObject(whole)) return { action: 'accept', value: whole, schema };
  const value = { [name]: answerValue(text, properties[name]) };
  return { action: 'accept', value, schema: { ...schema, properties: { [name]: properties[name] }, required: [name] } };
}

/** Returns the properties of an object schema, each a question of its own. */
export const propertiesOf = (schema: JsonObject | undefined): JsonObject =>
  isObject(schema?.properties) ? schema.properties : {};

/** Converts a text to the type in a schema; returns the text itself if it cannot be converted. */
export function answerValue(text: string, schema: unknown): unknown {
  if (!isObject(schema)) return text;
  const trimmed = text.trim();
  switch (schema.type) {
    case 'number':
    case 'integer':
      return trimmed !== '' && Number.isFinite(Number(trimmed)) ? Number(trimmed) : text;
    case 'boolean':
      return booleans.get(trimmed.toLowerCase()) ?? text;
    case 'array':
      return parsedJson(trimmed) ?? text;
    case 'object': {
      // As with several questions, a text answers the first property.
      const [name] = Object.keys(propertiesOf(schema));
      const first = name === undefined ? text : { [name]: answerValue(text, propertiesOf(schema)[name]) };
      return parsedJson(trimmed) ?? first;
    }
    default:
      return choiceOf(trimmed, schema) ?? text;
  }
}

const booleans: ReadonlyMap<string, boolean> = new Map(
  [true, false].flatMap((value) => (value ? ['true', 'yes', 'y'] : ['false', 'no', 'n']).map((word) => [word, value])),
);

/** Returns the value of the choice that the text names, in any case, by its value or its title. */
function choiceOf(text: string, { enum: values, enumNames: titles, oneOf, anyOf }: JsonObject): unknown {
  const named = [oneOf, anyOf].flatMap((list) => (Array.isArray(list) ? list.filter(isObject) : []));
  const choices = [
    ...(Array.isArray(values) ? values.map((value, i) => [value, Array.isArray(titles) ? titles[i] : value]) : []),
    ...named.filter((each) => 'const' in each).map(({ const: value, title }) => [value, title]),
  ];
  const wanted = text.toLowerCase();
  const isMeant = (name: unknown): boolean => typeof name === 'string' && name.toLowerCase() === wanted;
  return choices.find((names) => names.some(isMeant))?.[0];
}
