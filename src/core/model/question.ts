import type { Message, StreamResponse, Task } from './a2a.ts';
import { newId } from './ids.ts';
import { isObject, type JsonObject, parsedJson } from './json.ts';
import { isInterrupted } from './lifecycle.ts';

// A task that waits for its client asks a question, in the message of its status. What is known of it besides the text is in
// that message's metadata, and therefore in the task's log.

/** Metadata of the message that asks. Callers cannot set the gateway's own keys. */
export const questionKey = 'a2a-gateway/question';
/** Metadata of the message that answers, where the owner of the task has not sent it over A2A. */
export const answerKey = 'a2a-gateway/answer';

/** What is known of a question besides its text. */
export interface QuestionFacts {
  /** JSON Schema of the answer. An object with several properties asks several questions at once. */
  readonly schema?: JsonObject;
  /** What the one who asks calls it. Of several questions at once, the schema's properties have the names. */
  readonly name?: string;
  /** Number of the request, of one that asks several questions and goes on asking those that an answer leaves out. */
  readonly round?: number;
  /** Who asks, where it is not the agent itself: a tool server, or another agent. */
  readonly by?: string;
  /** Time after which it takes no answer any more (RFC 3339). The gateway acts on it where `otherwise` says how. */
  readonly until?: string;
  /** What the gateway does when nobody has answered in time. Absent: nothing, `until` is only shown. */
  readonly otherwise?: Otherwise;
  /** Who may answer besides the task's owner: a caller's name in the configuration, or the id of its principal. */
  readonly for?: string;
  /** When the gateway reminds of it, unless it has been answered (RFC 3339). */
  readonly remind?: string;
}

/** What the gateway does with a question that nobody has answered in time: it fails the task, or gives a default answer. */
export type Otherwise = 'fail' | { readonly answer: unknown };

/** Who answered a question, and in which way. */
export interface AnswerFacts {
  /** Id of the principal. */
  readonly by: string;
  readonly way: 'admin' | 'deadline' | 'delegate' | 'link' | 'mcp';
}

/** A time of a question in milliseconds; infinity where there is none, or none that can be read. */
export function timeOf(text: string | undefined): number {
  const time = text === undefined ? Number.NaN : Date.parse(text);
  return Number.isNaN(time) ? Number.POSITIVE_INFINITY : time;
}

/** Milliseconds as a time of a question, at the latest in the year 9999: RFC 3339 has no later one. */
export const timeText = (ms: number): string => new Date(Math.min(ms, 253_402_300_799_999)).toISOString();

/** Whether the time for answers is over, where the gateway acts on it. */
export const isOverdue = ({ until, otherwise }: QuestionFacts, now: number): boolean =>
  otherwise !== undefined && timeOf(until) <= now;

/** A question that a task asks. */
export interface Question extends QuestionFacts {
  readonly text: string;
}

/** The open question of a task; undefined where it does not wait for its client. */
export function questionOf({ status }: Pick<Task, 'status'>): Question | undefined {
  if (!isInterrupted(status.state)) return undefined;
  return { ...factsOf(status.message), text: textsOf(status.message) };
}

/** The question that an event asks. */
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

/** What a message says of its question. Agents elsewhere may write anything there: what is not of its type is left out. */
function factsOf(message: Pick<Message, 'metadata'> | undefined): QuestionFacts {
  const facts = message?.metadata?.[questionKey];
  if (!isObject(facts)) return {};
  const isFact = (name: string): name is keyof QuestionFacts => Object.hasOwn(isReadable, name);
  return Object.fromEntries(Object.entries(facts).filter(([name, value]) => isFact(name) && isReadable[name](value)));
}

/** Who sent a message, where it was not the task's owner over A2A: callers cannot say it. */
export const answererOf = (message: Pick<Message, 'metadata'> | undefined): AnswerFacts | undefined =>
  message?.metadata?.[answerKey] as AnswerFacts | undefined;

/** The event of a task that asks, with other facts of its question: those that `change` makes of the known ones. */
export function withFacts(event: StreamResponse, change: (facts: QuestionFacts) => QuestionFacts): StreamResponse {
  const { task, statusUpdate } = event;
  const status = (task ?? statusUpdate)?.status;
  if (!status) return event;
  const {
    message = { messageId: newId(), role: 'ROLE_AGENT' as const, parts: [{ text: 'The agent waits for an answer' }] },
  } = status;
  const facts = { ...change(factsOf(message)) };
  if (message.metadata?.[questionKey] === undefined && Object.keys(facts).length === 0) return event;
  const asked = { ...status, message: { ...message, metadata: { ...message.metadata, [questionKey]: facts } } };
  return task ? { task: { ...task, status: asked } } : { statusUpdate: { ...statusUpdate, status: asked } as never };
}

const textsOf = (message: Pick<Message, 'parts'> | undefined): string =>
  (message?.parts ?? []).flatMap(({ text }) => text ?? []).join('\n');

/** What a message answers to a question. */
export type Answer =
  | { readonly action: 'accept'; readonly value: unknown; readonly schema: JsonObject | undefined }
  /** The one who was asked does not want to answer. */
  | { readonly action: 'decline' | 'cancel' };

/**
 * Reads the answer in a message: its data, or its text, converted as the schema wants it. Of several questions, a text answers
 * the first; then `schema` is of this one alone. As in MCP's elicitation, data may be `{ action: 'accept', content }`, or an
 * `action` `decline` or `cancel`, unless the schema has a property of that name.
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

/** The properties of a schema of an object, each a question of its own. */
export const propertiesOf = (schema: JsonObject | undefined): JsonObject =>
  isObject(schema?.properties) ? schema.properties : {};

/** A text as a schema wants it; the text itself where it cannot be that. */
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
      // As of several questions, a text answers the first property.
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

/** The value of a choice that the text names, in any case, by its value or its title. */
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
