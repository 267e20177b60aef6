import { isObject, type JsonObject } from '../../../../core/model/json.ts';
import { asResult } from '../../tool-result.ts';
import { ToolFailure } from '../failures.ts';
import { dataIn, isEventText } from './event-text.ts';
import { readHandshake, type Salvaged } from './handshake.ts';
import { repairedJson } from './repair-json.ts';
import { readToolList } from './tool-list.ts';

/** A request that has been sent. */
export interface SentRequest {
  readonly id: unknown;
  readonly method: string;
}

/** A JSON-RPC 2.0 message in the form that the SDK accepts. */
export type Message = JsonObject & { readonly jsonrpc: '2.0' };

/** Called for each result that is read, with the parts of it that were omitted. */
export type OnProblems = (method: string, problems: readonly string[]) => void;

/** Returns a request id as the SDK compares it: some servers return numbers as strings. */
export const keyOf = (id: unknown): unknown => (Number.isNaN(Number(id)) ? id : Number(id));

/** Receives the response to a request. */
export interface AnswerTaker {
  /** Receives the result as the server sent it; the SDK then gets an empty one. Absent: the SDK gets the result. */
  readonly take?: ((result: JsonObject) => void) | undefined;
  readonly fail: (failure: ToolFailure) => void;
}

/**
 * Reads JSON-RPC 2.0 messages leniently: null counts as absent, members unknown to JSON-RPC are dropped, and results
 * that the SDK checks are converted to the form that it requires. Anything else, such as log lines and keep-alive
 * messages, is ignored. The results of tools bypass the SDK, and are read where they are reported.
 */
export class MessageReader {
  /** Unanswered requests by id. */
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
   * Returns the messages in a text; empty if there are none.
   *
   * @param request request that the text answers, if known: a response without an id belongs to it
   */
  read(text: string, request?: SentRequest): Message[] {
    return valuesIn(text).flatMap((value) => {
      const message = this.#readValue(value, request);
      return message ? [this.handOver(message)] : [];
    });
  }

  /** Returns the message for the SDK. If the request has a `take` function, the result is passed to it instead. */
  handOver(message: Message): Message {
    const { result, id } = message;
    const take = result === undefined ? undefined : this.#sent.get(keyOf(id))?.taker?.take;
    if (!take) return message;
    take(result as JsonObject);
    return { ...message, result: { content: [] } };
  }

  /** Returns the response in the body of a refused request; undefined if there is none. */
  readRefusal(text: string, request: SentRequest): Message | undefined {
    for (const value of valuesIn(isEventText(text) ? dataIn(text) : text)) {
      if (!isObject(value) || !hasOutcome(value) || !Object.keys(value).every((name) => members.has(name))) continue;
      return this.#readValue({ ...value, id: request.id }, request);
    }
    return undefined;
  }

  /** Converts a parsed value to a message; undefined if it is none. */
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
    // A result without a JSON-RPC envelope.
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

/** The members of JSON-RPC messages. */
const members: ReadonlySet<string> = new Set(['jsonrpc', 'id', 'result', 'error', 'method', 'params']);

const noOutcome = 'The server did not answer with JSON-RPC: its answer has neither a result nor an error';

/** Whether a message contains a result or an error that is not null. */
const hasOutcome = (value: JsonObject): boolean =>
  (value.result !== undefined && value.result !== null) || errorIn(value) !== undefined;

/** Whether a value looks like the result of a tool. */
const isToolResult = (value: unknown): value is JsonObject =>
  isObject(value) && (Array.isArray(value.content) || isObject(value.structuredContent));

/** Returns the JSON values of a text: a single value, the members of a batch, or one value per line. */
function valuesIn(text: string): unknown[] {
  // `trim` also removes a byte order mark.
  const trimmed = text.trim();
  if (!/^[{[]/.test(trimmed)) return [];
  const whole = repairedJson(trimmed);
  if (whole !== undefined) return [whole].flat();
  const lines = trimmed.split(/[\r\n]+/);
  const values = lines.length > 1 ? lines.map(repairedJson) : [];
  return values.includes(undefined) ? [] : values.flat();
}

/** Removes a `_meta` that is not an object. */
function withoutNullMeta(value: JsonObject): JsonObject {
  if (value._meta === undefined || isObject(value._meta)) return value;
  const { _meta: _, ...others } = value;
  return others;
}

/** JSON-RPC code of an internal error. */
const internalError = -32_603;

/**
 * Returns the error of a response in JSON-RPC's form; undefined if there is none. An error with code 0 and no message
 * also counts as none: some servers in Go write it for success.
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

/** Returns the result that accompanied an error, marked as failed: the tool has run. */
function failedResult(result: JsonObject, { message }: JsonObject): JsonObject {
  const content = Array.isArray(result.content) ? result.content : [];
  return { ...result, isError: true, content: [...content, { type: 'text', text: message }] };
}

function wordsOf(message: unknown, code: unknown): string {
  if (typeof message === 'string') return message;
  if (message !== null) return JSON.stringify(message);
  return typeof code === 'string' ? code : 'The server refused the request';
}
