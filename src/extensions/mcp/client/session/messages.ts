import { isObject, type JsonObject } from '../../../../core/model/json.ts';
import { asResult } from '../../tool-result.ts';
import { ToolFailure } from '../failures.ts';
import { dataIn, isEventText } from './event-text.ts';
import { readHandshake, type Salvaged } from './handshake.ts';
import { repairedJson } from './repair-json.ts';
import { readToolList } from './tool-list.ts';

/** A request that was sent. */
export interface SentRequest {
  readonly id: unknown;
  readonly method: string;
}

/** A message of JSON-RPC 2.0, as the SDK takes it. */
export type Message = JsonObject & { readonly jsonrpc: '2.0' };

/** Gets what of the result of a method was left out, each time that one is read. */
export type OnProblems = (method: string, problems: readonly string[]) => void;

/** The ids of requests as the SDK compares them: some servers return numbers as texts. */
export const keyOf = (id: unknown): unknown => (Number.isNaN(Number(id)) ? id : Number(id));

/** A receiver of the answer to a request. */
export interface AnswerTaker {
  /** Takes the result as the server has written it: the SDK gets an empty one. Absent: the SDK gets the result. */
  readonly take?: ((result: JsonObject) => void) | undefined;
  readonly fail: (failure: ToolFailure) => void;
}

/**
 * Reads what a server writes as messages of JSON-RPC 2.0: null is absence, members that JSON-RPC does not have are left out, and the
 * results of the methods that the SDK checks get the form that it wants. Anything else, such as a line of a log or a sign
 * of life, is passed over. Results of tools do not pass the SDK, and are read where they are reported.
 */
export class MessageReader {
  /** Requests without an answer, by their ids. */
  readonly #sent = new Map<unknown, { readonly method: string; readonly taker: AnswerTaker | undefined }>();
  readonly #onProblems: OnProblems;

  constructor(onProblems: OnProblems = () => undefined) {
    this.#onProblems = onProblems;
  }

  sent({ id, method }: SentRequest, taker?: AnswerTaker): void {
    this.#sent.set(keyOf(id), { method, taker });
  }

  answered(id: unknown): void {
    this.#sent.delete(keyOf(id));
  }

  /**
   * The messages in a text. Empty where it has none.
   *
   * @param request which the text answers, where that is known: an answer without an id is its answer
   */
  read(text: string, request?: SentRequest): Message[] {
    return valuesIn(text).flatMap((value) => {
      const message = this.#readValue(value, request);
      return message ? [this.handOver(message)] : [];
    });
  }

  /** The message for the SDK, after its result was given to what has asked to take it. */
  handOver(message: Message): Message {
    const { result, id } = message;
    const take = result === undefined ? undefined : this.#sent.get(keyOf(id))?.taker?.take;
    if (!take) return message;
    take(result as JsonObject);
    return { ...message, result: { content: [] } };
  }

  /** The answer that the body of a refused request has; undefined where it has none. */
  readRefusal(text: string, request: SentRequest): Message | undefined {
    for (const value of valuesIn(isEventText(text) ? dataIn(text) : text)) {
      if (!isObject(value) || !hasOutcome(value) || !Object.keys(value).every((name) => members.has(name))) continue;
      return this.#readValue({ ...value, id: request.id }, request);
    }
    return undefined;
  }

  /** A message of a parsed value; undefined where it is none. */
  #readValue(value: unknown, request?: SentRequest): Message | undefined {
    if (!isObject(value)) return undefined;
    const { id = null, method, params } = value;
    if (typeof method === 'string' && method !== '' && !hasOutcome(value)) {
      const withId = typeof id === 'string' || typeof id === 'number' ? { id } : {};
      return { jsonrpc: '2.0', method, ...withId, ...(isObject(params) && { params: withoutNullMeta(params) }) };
    }
    const hasId = (typeof id === 'string' && id !== '') || typeof id === 'number';
    const answered = hasId ? id : request?.id;
    if (typeof answered !== 'string' && typeof answered !== 'number') return undefined;
    const known = this.#sent.get(keyOf(answered));
    const isPlain = Object.keys(value).every((name) => members.has(name));
    const isAnswer = Object.hasOwn(value, 'result') || errorIn(value) !== undefined;
    if (hasId ? isAnswer || (known && isPlain) : hasOutcome(value) && isPlain)
      return this.#answerOf(value, { id: answered, method: known?.method ?? '' });
    // Without an envelope.
    if (known?.method === 'tools/call' && isToolResult(value)) return { jsonrpc: '2.0', id: answered, result: value };
    if (hasId && known) known.taker?.fail(new ToolFailure('invalidResponse', noOutcome));
    return undefined;
  }

  #answerOf(value: JsonObject, { id, method }: SentRequest): Message {
    const error = errorIn(value);
    const { result = null } = value;
    if (!error) return { jsonrpc: '2.0', id, result: this.#resultOf(method, result) };
    return isToolResult(result)
      ? { jsonrpc: '2.0', id, result: failedResult(result, error) }
      : { jsonrpc: '2.0', id, error };
  }

  #resultOf(method: string, given: unknown): JsonObject {
    if (method === 'tools/call') return withoutNullMeta(asResult(given));
    if (method === 'tools/list') return this.#reported(method, readToolList(given));
    const result = isObject(given) ? withoutNullMeta(given) : {};
    if (method === 'initialize' || method === 'server/discover')
      return this.#reported(method, readHandshake(method, result));
    return result;
  }

  #reported(method: string, { value, problems }: Salvaged): JsonObject {
    this.#onProblems(method, problems);
    return value;
  }
}

/** The members of messages. */
const members: ReadonlySet<string> = new Set(['jsonrpc', 'id', 'result', 'error', 'method', 'params']);

const noOutcome = 'The server did not answer with JSON-RPC: its answer has neither a result nor an error';

/** Whether a message has a result or an error that is not null. */
const hasOutcome = (value: JsonObject): boolean =>
  (value.result !== undefined && value.result !== null) || errorIn(value) !== undefined;

/** Whether a value has what results of tools have. */
const isToolResult = (value: unknown): value is JsonObject =>
  isObject(value) && (Array.isArray(value.content) || isObject(value.structuredContent));

/** The JSON values of a text: one, the members of a batch, or one in each line. */
function valuesIn(text: string): unknown[] {
  // A byte order mark is white space here.
  const trimmed = text.trim();
  if (!/^[{[]/.test(trimmed)) return [];
  const whole = repairedJson(trimmed);
  if (whole !== undefined) return [whole].flat();
  const lines = trimmed.split(/[\r\n]+/);
  const values = lines.length > 1 ? lines.map(repairedJson) : [];
  return values.includes(undefined) ? [] : values.flat();
}

/** Without `_meta` that is not an object. */
function withoutNullMeta(value: JsonObject): JsonObject {
  if (value._meta === undefined || isObject(value._meta)) return value;
  const { _meta: _, ...others } = value;
  return others;
}

/** JSON-RPC's code of an error inside the server. */
const internalError = -32_603;

/**
 * The error of an answer in the form of JSON-RPC; undefined where there is none, also where one has the code 0 and no words, as
 * servers in Go write an error that has not happened.
 */
function errorIn({ error, result = null }: JsonObject): JsonObject | undefined {
  if (!error) return undefined;
  if (!isObject(error)) return { code: internalError, message: wordsOf(error, undefined) };
  const { code = null, message = null, data = null } = error;
  const isBlank = (message === null || message === '') && data === null;
  if (isBlank && (code === 0 || (code === null && result !== null))) return undefined;
  const number = typeof code === 'string' && /^-?\d{1,9}$/.test(code) ? Number(code) : code;
  return {
    code: typeof number === 'number' && Number.isInteger(number) ? number : internalError,
    message: wordsOf(message, code),
    ...(data !== null && { data }),
  };
}

/** A result that came beside an error: the tool has run, and its result says that it has failed. */
function failedResult(result: JsonObject, { message }: JsonObject): JsonObject {
  const content = Array.isArray(result.content) ? result.content : [];
  return { ...result, isError: true, content: [...content, { type: 'text', text: message }] };
}

function wordsOf(message: unknown, code: unknown): string {
  if (typeof message === 'string') return message;
  if (message !== null) return JSON.stringify(message);
  return typeof code === 'string' ? code : 'The server refused the request';
}
