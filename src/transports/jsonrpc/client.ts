import type { Message, StreamResponse } from '../../core/model/a2a.ts';
import type { Call, CallContext, Reply } from '../../core/model/call.ts';
import { A2AError } from '../../core/model/errors.ts';
import { isObject, type JsonObject, parsedJson } from '../../core/model/json.ts';
import {
  decodeFrame,
  encodeRequest,
  isEvent,
  isEventOf,
  joinReplies,
  replyOfFirst,
  subjectOf,
} from '../../dialects/kernel/calls.ts';
import type { CodecContext, StreamDecoder } from '../../dialects/kernel/codec.ts';
import { isA2AError } from '../../dialects/kernel/errors.ts';
import { Salvage } from '../../dialects/kernel/salvage.ts';
import type { JsonRpcBinding, Method, WireProtocol } from '../../dialects/kernel/wire.ts';
import { markUntried } from '../../net/network-errors.ts';
import { type AnswerFacts, afterWork, withFacts } from '../../net/nothing-ran.ts';
import { readRpcResponse, rpcErrorIn } from '../../wire/jsonrpc.ts';
import {
  type ClientTransport,
  createHttpTransport,
  type HttpTransport,
  type HttpTransportOptions,
} from '../outbound/http-transport.ts';
import { type ReplyReading, readReply } from '../outbound/reply.ts';
import {
  decodeResponse,
  errorByStatus,
  httpFacts,
  notJson,
  type ReceivedResponse,
  type ResponseBody,
  refineByStatus,
} from '../outbound/response-body.ts';
import type { ParsedFrame } from '../outbound/response-stream.ts';

/**
 * A client of an agent's JSON-RPC interface.
 *
 * Its `invoke` rejects with the agent's A2AError; `unsupportedOperation` when the dialect has no such method;
 * `upstreamUnreachable`, `upstreamTimeout`, `canceled` or `deadlineExceeded`; `invalidAgentResponse` for an invalid answer.
 *
 * @throws A2AError `invalidParams` for an invalid URL; TypeError when the dialect has no JSON-RPC binding
 */
export function createJsonRpcClient(options: HttpTransportOptions): ClientTransport {
  const { dialect } = options;
  if (dialect.jsonrpc === undefined) throw new TypeError(`${dialect.name} has no JSON-RPC binding`);
  return new JsonRpcClient(options, dialect.jsonrpc);
}

class JsonRpcClient implements ClientTransport {
  readonly #dialect: WireProtocol;
  readonly #binding: JsonRpcBinding;
  readonly #strict: boolean;
  readonly #http: HttpTransport;
  /** The id of the latest request: unique among those whose answers are awaited. */
  #lastId = 0;

  constructor(options: HttpTransportOptions, binding: JsonRpcBinding) {
    this.#dialect = options.dialect;
    this.#binding = binding;
    this.#strict = options.strict ?? false;
    this.#http = createHttpTransport(options);
  }

  readonly invoke = async (first: Call): Promise<Reply> => {
    const { context, operation } = first;
    const plan = this.#binding.calls.get(operation);
    if (plan === undefined) {
      throw markUntried(new A2AError('unsupportedOperation', `${operation} does not exist in ${this.#dialect.name}`));
    }
    const cx = this.#codecContext(first);
    const reply = await this.#call(plan.method, first, cx);
    if (plan.next === undefined) return reply;
    // Some dialects answer only with the task's id, and the task is requested by a second call.
    const id = 'value' in reply ? subjectOf(reply.value) : undefined;
    if (id === undefined) throw new A2AError('invalidAgentResponse', 'The answer does not name the task');
    try {
      const second = await this.#call(plan.next, { ...first, request: { id } }, { ...cx, taskId: id });
      return joinReplies(plan, reply, second);
    } catch (thrown) {
      if (context.signal.aborted || !plan.firstCounts) throw afterWork(thrown);
      return replyOfFirst(plan, reply, thrown);
    }
  };

  readonly close = (): void => this.#http.close();

  #codecContext({ context: { notes }, request }: Call): CodecContext {
    const taskId = subjectOf(request);
    const { message } = request as { message?: Message };
    const isSalvaged = !this.#strict && !this.#dialect.exact;
    return {
      losses: notes.losses,
      ...(taskId !== undefined && { taskId }),
      ...(message && { sent: message.messageId }),
      ...(isSalvaged && { salvage: new Salvage(notes.losses, this.#binding.tables, taskId) }),
    };
  }

  /** Calls one method and reads its answer. */
  async #call(method: Method, { request, context }: Call, cx: CodecContext): Promise<Reply> {
    this.#lastId += 1;
    const id = String(this.#lastId);
    const http = this.#http;
    const params = encodeRequest(method, request, cx, { dialect: this.#dialect.name, strict: this.#strict });
    const streaming = method.stream !== undefined;
    const outgoing = {
      method: 'POST',
      url: http.url,
      mediaType: 'application/json',
      body: JSON.stringify({ jsonrpc: '2.0', id, method: method.name, params }),
      accept: streaming ? 'text/event-stream, application/json' : 'application/json',
      streaming,
    };
    const received = await http.send(outgoing, context);
    return readReply(received, new JsonRpcReading({ binding: this.#binding, method, cx, context, id, http, received }));
  }
}

interface SentRequest {
  readonly binding: JsonRpcBinding;
  readonly method: Method;
  readonly cx: CodecContext;
  readonly context: CallContext;
  /** Id of the request. */
  readonly id: string;
  readonly http: Pick<HttpTransport, 'maxAnswer' | 'onSkipped'>;
  readonly received: ReceivedResponse;
}

/** Reads the answer to one request. */
class JsonRpcReading implements ReplyReading {
  readonly method: Method;
  readonly cx: CodecContext;
  readonly context: CallContext;
  readonly maxAnswer: number;
  readonly closing: string | undefined;
  readonly mayRefuseInStream: boolean;
  readonly onSkipped: ReplyReading['onSkipped'];
  readonly #binding: JsonRpcBinding;
  readonly #id: string;
  readonly #received: ReceivedResponse;
  /** Whether the stream has begun. A frame before that may be a refusal. */
  #begun = false;

  constructor({ binding, method, cx, context, id, http, received }: SentRequest) {
    this.method = method;
    this.cx = cx;
    this.context = context;
    this.maxAnswer = http.maxAnswer;
    this.onSkipped = http.onSkipped;
    this.closing = binding.stream.closing;
    this.mayRefuseInStream = binding.stream.refusedAsStream === true;
    this.#binding = binding;
    this.#id = id;
    this.#received = received;
  }

  isAnswer(frame: ParsedFrame): boolean {
    const { method } = this;
    return method.stream && !this.#binding.stream.enveloped
      ? isEventOf(method.stream, frame)
      : isResponse(frame.data, this.#id, method);
  }

  decodeFrame(decoder: StreamDecoder, frame: ParsedFrame): readonly StreamResponse[] {
    const { cx } = this;
    let { data } = frame;
    if (this.#binding.stream.enveloped && !isBare(data)) {
      const response = readRpcResponse(data);
      if (response.error !== undefined) {
        const error = this.#binding.error.decode(response.error, cx);
        throw this.#begun ? error : withFacts(error, { isA2A: true, ...codeOf(response.error) });
      }
      data = response.result;
    }
    this.#begun = true;
    // The error in an `error` frame is thrown unchanged.
    if (frame.event === 'error') return decoder.decode({ ...frame, data });
    return decodeResponse(() => decodeFrame(decoder, { ...frame, data }, cx));
  }

  readValue(body: ResponseBody): unknown {
    const { cx } = this;
    const { answer } = this.#received;
    const json = responseIn(body.json, this.#id);
    const { id: answered } = json;
    const error = rpcErrorIn(json);
    // The errors of other servers at a path may have any form.
    const isForeign = answer.status >= 400 && (!isObject(error) || typeof error.code !== 'number');
    if (error !== undefined && !isForeign) {
      const refined = refineByStatus(this.#binding.error.decode(error, cx), answer);
      const isOfAgent = isA2AError(json) || json.jsonrpc !== undefined;
      throw withFacts(refined, { ...httpFacts(answer, isOfAgent), ...codeOf(error) });
    }
    // An agent that writes a result has done its work, regardless of the status.
    if (answer.status >= 400 && !(cx.salvage && isObject(json.result))) throw errorByStatus(this.#received, body);
    if (body.json === undefined) throw notJson(this.#received, body);
    if (cx.salvage && isBare(body.json)) return body.json;
    const { result } = readRpcResponse(json);
    checkId(answered, this.#id);
    return result;
  }
}

/** The code of an error. Some servers write it as text. */
function codeOf(error: unknown): Pick<AnswerFacts, 'jsonrpc'> {
  const code = isObject(error) ? error.code : undefined;
  if (typeof code === 'number') return { jsonrpc: code };
  return typeof code === 'string' && /^-\d{5}$/.test(code) ? { jsonrpc: Number(code) } : {};
}

/**
 * Whether an id in an answer is that of the request. Some servers omit it, write an empty one or 0 if they cannot read it, or
 * answer a number with a string. Any other id belongs to another request.
 */
const isOwnId = (answered: unknown, expected: string): boolean =>
  answered === undefined ||
  answered === null ||
  answered === '' ||
  answered === 0 ||
  answered === expected ||
  (typeof answered === 'number' && String(answered) === expected);

/** Members in which proxies and cloud functions wrap a response. */
const wrappers = ['body', 'data', 'response', 'payload'];

/** The response in a body: in a list of responses, the one for the request; or a response in another object, perhaps as text. */
function responseIn(body: unknown, id: string): JsonObject {
  if (Array.isArray(body)) {
    const responses = body.filter(isResponseObject);
    return responses.find((one) => one.id === id) ?? responses.find((one) => isOwnId(one.id, id)) ?? {};
  }
  if (!isObject(body)) return {};
  if (isResponseObject(body)) return body;
  for (const name of wrappers) {
    const given = Object.hasOwn(body, name) ? body[name] : undefined;
    const inner = typeof given === 'string' ? parsedJson(given) : given;
    if (isResponseObject(inner) && (inner.jsonrpc !== undefined || inner.result !== undefined)) return inner;
  }
  return body;
}

const isResponseObject = (value: unknown): value is JsonObject =>
  isObject(value) && (value.result !== undefined || value.error !== undefined);

function checkId(answered: unknown, expected: string): void {
  if (isOwnId(answered, expected)) return;
  throw new A2AError('invalidAgentResponse', 'The answer has the id of another request');
}

/** Whether an event has no envelope, although the events of its dialect have one. */
const isBare = (data: unknown): boolean =>
  Array.isArray(data)
    ? data.length > 0 && data.every(isBare)
    : isObject(data) && data.result === undefined && data.error === undefined && isEvent(data);

/** Whether data is a response to a request: an error, the result of a method, or an event of its stream. */
function isResponse(data: unknown, id: string, { stream }: Method): boolean {
  if (!isObject(data) || !isOwnId(data.id, id)) return false;
  const { result } = data;
  if (rpcErrorIn(data) !== undefined) return true;
  if (!stream) return result !== undefined;
  return isEventOf(stream, { data: result }) || isBare(data);
}
