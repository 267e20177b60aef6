import type { ElicitRequest, InputRequests, PrimitiveSchemaDefinition } from '@modelcontextprotocol/server';
import type { Part, Task } from '../../../core/model/a2a.ts';
import { openAskOf } from '../../../core/model/ask.ts';
import { isObject, type JsonObject } from '../../../core/model/json.ts';
import { answerValue, propertiesOf, questionOf } from '../../../core/model/question.ts';

// Converts questions of tasks to MCP elicitations, and the responses of clients to messages to the task. A form in MCP
// has flat properties of simple types (MCP 2026-07-28, elicitation); anything else is requested as text that contains
// JSON.

/** Kinds of elicitation that a client has declared. */
export interface Elicitation {
  readonly form: boolean;
  readonly url: boolean;
}

/** Reads the capabilities of a client. Declaring elicitation without a kind means forms. */
export function elicitationOf(capabilities: unknown): Elicitation {
  const declared = isObject(capabilities) ? capabilities.elicitation : undefined;
  if (!isObject(declared)) return { form: false, url: false };
  return { form: declared.form !== undefined || declared.url === undefined, url: declared.url !== undefined };
}

/** Name of the only request and the only property of a question without names. */
const unnamed = 'answer';

interface Form {
  readonly message: string;
  readonly schema: JsonObject | undefined;
}

const isForm = (schema: unknown): schema is JsonObject => Object.keys(propertiesOf(schema as JsonObject)).length > 0;

/** Whether a schema asks several questions at once: each property is a separate form. */
function asksSeveral(schema: JsonObject | undefined): boolean {
  const properties = Object.values(propertiesOf(schema));
  return properties.length > 1 && properties.every((one) => isObject(one) && isForm(one));
}

/** Returns the forms of a task's question, by name. */
function formsOf(task: Pick<Task, 'status'>): ReadonlyMap<string, Form> {
  const { text = '', schema, name = unnamed } = questionOf(task) ?? {};
  if (!asksSeveral(schema)) return new Map([[name, { message: text, schema }]]);
  const forms = Object.entries(propertiesOf(schema) as Record<string, JsonObject>);
  return new Map(forms.map(([key, one]) => [key, { message: String(one.description ?? text), schema: one }]));
}

/** Returns the URLs that a task asks the user to visit, by request name. */
function urlsOf(task: Pick<Task, 'status'>): ReadonlyMap<string, string> {
  if (task.status.state !== 'TASK_STATE_AUTH_REQUIRED') return new Map();
  const urls = (task.status.message?.parts ?? []).flatMap(({ url }) => url ?? []);
  const name = questionOf(task)?.name ?? 'url';
  return new Map(urls.map((url, index) => [index === 0 ? name : `${name}-${index + 1}`, url]));
}

/**
 * Returns the questions for a client about a task that waits for its caller.
 *
 * @param preface text before each question
 * @returns undefined if the task asks nothing, or nothing that the client supports
 */
export function inputRequestsOf(
  task: Pick<Task, 'status'>,
  client: Elicitation,
  preface = '',
): InputRequests | undefined {
  const question = questionOf(task);
  // Callers cannot approve their own calls here.
  if (!question || openAskOf(task)) return undefined;
  const request = (params: ElicitRequest['params']): ElicitRequest => ({ method: 'elicitation/create', params });
  const urls = urlsOf(task);
  if (urls.size > 0 && client.url) {
    const message = preface + question.text;
    // Only MCP 2025-11-25 has ids of elicitations.
    const visit = (url: string) => request({ mode: 'url', message, url } as ElicitRequest['params']);
    return Object.fromEntries([...urls].map(([name, url]) => [name, visit(url)]));
  }
  if (task.status.state === 'TASK_STATE_AUTH_REQUIRED' || !client.form) return undefined;
  const forms = [...formsOf(task)].map(([name, { message, schema }]) => {
    const asked = { mode: 'form', message: preface + message, requestedSchema: requestedSchema(schema) } as const;
    return [name, request(asked)] as const;
  });
  return Object.fromEntries(forms);
}

function requestedSchema(schema: JsonObject | undefined) {
  const properties = isForm(schema) ? propertiesOf(schema) : { [unnamed]: schema ?? {} };
  const required = isForm(schema) ? schema.required : [unnamed];
  const simple = Object.entries(properties).map(([name, one]) => [name, simpleSchema(one) ?? textFor(one)]);
  return {
    type: 'object' as const,
    properties: Object.fromEntries(simple) as Record<string, PrimitiveSchemaDefinition>,
    ...(Array.isArray(required) && { required: required.map(String) }),
  };
}

/** Keywords of simple schemas by type, in addition to those of all types. */
const keywords: Readonly<Record<string, readonly string[]>> = {
  string: ['minLength', 'maxLength', 'format', 'enum', 'enumNames', 'oneOf'],
  number: ['minimum', 'maximum'],
  integer: ['minimum', 'maximum'],
  boolean: [],
  array: ['minItems', 'maxItems', 'items'],
};
const formats: readonly unknown[] = ['email', 'uri', 'date', 'date-time'];

const isText = (value: unknown): boolean => typeof value === 'string';
const areTexts = (values: unknown): boolean => Array.isArray(values) && values.every(isText);
const areTitled = (values: unknown): boolean =>
  Array.isArray(values) && values.every((one) => isObject(one) && isText(one.const) && isText(one.title));

/** Keywords whose values MCP restricts. Other values are omitted. */
const allowed: Readonly<Record<string, (value: unknown) => boolean>> = {
  format: (value) => formats.includes(value),
  enum: areTexts,
  enumNames: areTexts,
  oneOf: areTitled,
};

/** Returns a schema with only the keywords of MCP; undefined if the schema is not simple. */
function simpleSchema(schema: unknown): JsonObject | undefined {
  if (!isObject(schema)) return undefined;
  const type = schema.type ?? (areTexts(schema.enum) || areTitled(schema.oneOf) ? 'string' : undefined);
  if (typeof type !== 'string' || !Object.hasOwn(keywords, type)) return undefined;
  const { items } = schema;
  // The only lists in MCP's forms are multiple choices.
  if (type === 'array' && !(isObject(items) && (areTexts(items.enum) || areTitled(items.anyOf)))) return undefined;
  const kept = ['title', 'description', 'default', ...(keywords[type] as readonly string[])].filter(
    (key) => schema[key] !== undefined && (allowed[key]?.(schema[key]) ?? true),
  );
  return { type, ...Object.fromEntries(kept.map((key) => [key, schema[key]])) };
}

/** Returns a text field for a schema that is not simple. */
function textFor(schema: unknown): JsonObject {
  const { title, description, type } = isObject(schema) ? schema : {};
  const asJson = type === 'object' || type === 'array' ? 'As JSON.' : '';
  const about = [description, asJson].filter((text) => typeof text === 'string' && text !== '').join(' ');
  return { type: 'string', ...(isText(title) && { title }), ...(about !== '' && { description: about }) };
}

/**
 * Returns the message parts that answer a task's question with the responses of a client: data by field name, a text if
 * the question has no schema, or `{ action }` if the client declines or cancels a request, or has visited the URLs.
 * Responses to unknown questions are ignored.
 *
 * @param inPart whether responses may be missing
 * @returns undefined if a response is missing or malformed, or if the task waits for an approval
 */
export function answerPartsOf(task: Pick<Task, 'status'>, responses: JsonObject, inPart = false): Part[] | undefined {
  if (openAskOf(task)) return undefined;
  const urls = urlsOf(task);
  const given = (name: string): JsonObject => {
    const response = Object.hasOwn(responses, name) ? responses[name] : undefined;
    return isObject(response) && actions.includes(response.action) ? response : {};
  };
  const forms = formsOf(task);
  const isVisit = urls.size > 0;
  const asked = [...(isVisit ? urls : forms).keys()];
  const all = asked.map((name) => [name, given(name)] as const).filter(([, { action }]) => action !== undefined);
  if (all.length === 0 || (all.length < asked.length && !inPart)) return undefined;
  const refused = all.find(([, { action }]) => action !== 'accept')?.[1].action;
  if (refused !== undefined || isVisit) return [{ data: { action: (refused ?? 'accept') as string } }];
  const values = all.map(([name, { content }]) => [name, contentOf(content, forms.get(name)?.schema)] as const);
  const value = forms.size > 1 ? Object.fromEntries(values) : values[0]?.[1];
  return typeof value === 'string' ? [{ text: value }] : [{ data: value as NonNullable<Part['data']> }];
}

const actions: readonly unknown[] = ['accept', 'decline', 'cancel'];

/** Returns the answer in a form's content, in the form that the schema requires. */
function contentOf(content: unknown, schema: JsonObject | undefined): unknown {
  const given = isObject(content) ? content : {};
  const fieldOf = (name: string, wanted: unknown): unknown => {
    const value = given[name];
    return typeof value === 'string' && !simpleSchema(wanted) ? answerValue(value, wanted) : value;
  };
  if (!isForm(schema)) return fieldOf(unnamed, schema) ?? '';
  const known = Object.entries(propertiesOf(schema)).filter(([name]) => Object.hasOwn(given, name));
  return Object.fromEntries(known.map(([name, wanted]) => [name, fieldOf(name, wanted)]));
}
