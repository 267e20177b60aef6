import { ask, type Content } from '../../../agents/events.ts';
import { reasonOf, schemaCheck } from '../../../agents/schema-check.ts';
import type { Message, StreamResponse } from '../../../core/model/a2a.ts';
import { isObject, type JsonObject } from '../../../core/model/json.ts';
import { answerOf, propertiesOf } from '../../../core/model/question.ts';
import { shortened, ToolFailure } from './failures.ts';
import type { KeptCall } from './kept-call.ts';
import type { NamedServer } from './route.ts';
import { samplingMethod } from './sampling.ts';
import { isSafeJson, rootsResult } from './tool-server.ts';

/** Maximum number of times that one call may ask. */
export const maxRounds = 20;
/** Maximum characters of a schema, and maximum number of questions at once. */
const maxSchemaLength = 64 * 1024;
const maxQuestions = 50;

type Sample = readonly [name: string, params: JsonObject];

const refused = (text: string): ToolFailure => new ToolFailure('invalidResult', text);

const unsafeText = 'A question is nested too deeply, or has a key __proto__';

/**
 * Reads a result that asks for input (MCP 2026-07-28, multi round-trip requests), and answers the requests that the
 * configuration covers.
 *
 * @throws ToolFailure for requests that cannot be passed on
 */
export function readInputRequired(
  { inputRequests, requestState }: JsonObject,
  { roots, sampling }: Pick<NamedServer, 'roots' | 'sampling'>,
): Pick<KeptCall, 'questions' | 'responses' | 'requestState'> & { readonly samples: readonly Sample[] } {
  const questions: Record<string, JsonObject> = {};
  const responses: Record<string, unknown> = {};
  const samples: Sample[] = [];
  const requests = isObject(inputRequests) ? inputRequests : {};
  // A request named `__proto__` would be lost below.
  if (Object.hasOwn(requests, '__proto__')) throw refused(unsafeText);
  for (const [name, asked] of Object.entries(requests)) {
    const { method, params } = isObject(asked) ? asked : {};
    if (method === 'elicitation/create' && isObject(params)) questions[name] = params;
    else if (method === samplingMethod && sampling !== undefined && isObject(params)) samples.push([name, params]);
    else if (method === 'roots/list' && roots) responses[name] = rootsResult(roots);
    else throw refused(`The tool asks for ${shortened(String(method), 100)}, which the configuration does not allow`);
  }
  requireAskable(questions);
  return { questions, responses, samples, ...(typeof requestState === 'string' && { requestState }) };
}

/** @throws ToolFailure if questions are malformed, too many or too large, or if a schema is unusable */
export function requireAskable(questions: KeptCall['questions']): void {
  const all = Object.entries(questions);
  if (all.length > maxQuestions) throw refused(`The tool asks more than ${maxQuestions} questions at once`);
  if (!isSafeJson(questions)) throw refused(unsafeText);
  for (const [name, params] of all) {
    if (isUrl(params)) {
      const url = URL.parse(String(params.url));
      if (!url || !/^https?:$/.test(url.protocol))
        throw refused(`The tool asks the user to visit an invalid URL (${name})`);
      continue;
    }
    const schema = params.requestedSchema;
    const unusable = (why: string): ToolFailure => refused(`The schema of the tool's question cannot be used: ${why}`);
    if (!isObject(schema) || schema.type !== 'object') throw unusable('it does not describe an object');
    if (JSON.stringify(schema).length > maxSchemaLength) throw unusable(`it exceeds ${maxSchemaLength} characters`);
    try {
      schemaCheck(schema, { root: name, property: 'asked for' });
    } catch (thrown) {
      throw unusable(reasonOf(thrown));
    }
  }
}

const isUrl = ({ mode }: JsonObject): boolean => mode === 'url';

const openOf = ({ questions, responses }: KeptCall) => {
  const open = Object.entries(questions).filter(([name]) => !Object.hasOwn(responses, name));
  const forms = open.filter(([, params]) => !isUrl(params));
  return { forms, urls: open.filter(([, params]) => isUrl(params)) };
};

/**
 * Returns the schema of a form without the fields already answered. Required fields come first, since a text message
 * answers the first field.
 */
function openSchema({ requestedSchema }: JsonObject, answered: JsonObject): JsonObject {
  const { $schema: _, required, properties: __, ...rest } = isObject(requestedSchema) ? requestedSchema : {};
  const wanted = Array.isArray(required) ? required.filter((name) => !Object.hasOwn(answered, String(name))) : [];
  const open = Object.entries(propertiesOf(requestedSchema as JsonObject)).filter(
    ([name]) => !Object.hasOwn(answered, name),
  );
  const sorted = open.toSorted(([a], [b]) => Number(wanted.includes(b)) - Number(wanted.includes(a)));
  return { ...rest, properties: Object.fromEntries(sorted), required: wanted };
}

/** Returns the schema of all open forms: the schema of the only form, or an object with one property per form. */
function schemaOf(call: KeptCall): JsonObject | undefined {
  const { forms } = openOf(call);
  const schemas = forms.map(([name, params], i) => {
    const schema = openSchema(params, i === 0 ? call.partial : {});
    return [name, forms.length === 1 ? schema : { description: messageOf(params), ...schema }] as const;
  });
  const [first, ...others] = schemas;
  if (!first) return undefined;
  if (others.length === 0) return first[1];
  const properties: JsonObject = Object.fromEntries(schemas);
  // The others may be answered later.
  return { type: 'object', properties, minProperties: 1, additionalProperties: false };
}

const messageOf = ({ message }: JsonObject): string =>
  typeof message === 'string' && message !== '' ? shortened(message) : 'The tool asks for input';

/** Returns the event that asks the open questions; undefined if all are answered. Forms come before URLs. */
export function questionEvent(call: KeptCall): StreamResponse | undefined {
  const { forms, urls } = openOf(call);
  const [only, ...more] = forms.length > 0 ? forms : urls;
  const named = only && more.length === 0 && { name: only[0] };
  const facts = {
    ...named,
    round: call.round,
    by: call.server,
    ...(call.until !== undefined && { until: call.until }),
  };
  const schema = schemaOf(call);
  if (schema) {
    const [name, ...others] = Object.keys(propertiesOf(schema));
    const wanted = propertiesOf(schema)[name ?? ''];
    const { title, description } = isObject(wanted) ? wanted : {};
    const about = typeof description === 'string' ? ` (${shortened(description, 500)})` : '';
    const isForm = forms.length === 1 && (others.length > 0 || Object.keys(call.partial).length > 0);
    const first = isForm ? [`First: ${typeof title === 'string' ? shortened(title, 200) : name}${about}`] : [];
    return ask([...forms.map(([, params]) => messageOf(params)), ...first].join('\n'), { ...facts, schema });
  }
  if (urls.length === 0) return undefined;
  const text = urls.map(([, params]) => `${messageOf(params)}\n${params.url}`).join('\n');
  const content: Content = [text, ...urls.map(([, params]) => ({ url: String(params.url) }))];
  const event = ask(content, facts);
  if (event.statusUpdate) event.statusUpdate.status.state = 'TASK_STATE_AUTH_REQUIRED';
  return event;
}

export function withAnswer(call: KeptCall, message: Message): KeptCall {
  const { forms, urls } = openOf(call);
  const answer = answerOf(message, schemaOf(call));
  const answered = (list: typeof forms, response: (name: string) => JsonObject): KeptCall => ({
    ...call,
    partial: {},
    responses: { ...call.responses, ...Object.fromEntries(list.map(([name]) => [name, response(name)])) },
  });
  const [first, ...others] = forms;
  if (answer.action !== 'accept') return answered(first ? forms : urls, () => ({ action: answer.action }));
  // Any message confirms that the URLs were visited.
  if (!first) return answered(urls, () => ({ action: 'accept' }));
  const given = isObject(answer.value) ? answer.value : {};
  if (others.length > 0) {
    const known = forms.filter(([name]) => Object.hasOwn(given, name));
    const contentOf = (name: string): JsonObject => {
      const content = isObject(given[name]) ? given[name] : {};
      return name === first[0] ? { ...call.partial, ...content } : content;
    };
    return answered(known, (name) => ({ action: 'accept', content: contentOf(name) }));
  }
  const content = { ...call.partial, ...given };
  const isComplete = (openSchema(first[1], content).required as unknown[]).length === 0;
  return isComplete ? answered([first], () => ({ action: 'accept', content })) : { ...call, partial: content };
}
