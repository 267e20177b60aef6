import type { StreamResponse } from '../../core/model/a2a.ts';
import type { Call, CallContext, Reply } from '../../core/model/call.ts';
import { A2AError } from '../../core/model/errors.ts';
import { isObject } from '../../core/model/json.ts';
import { trimEnd } from '../../core/model/text.ts';
import {
  decodeFrame,
  encodeRequest,
  errorIn,
  errorInFrame,
  isEvent,
  isEventOf,
  subjectOf,
} from '../../dialects/kernel/calls.ts';
import type { CodecContext, StreamDecoder } from '../../dialects/kernel/codec.ts';
import { subjectsIn } from '../../dialects/kernel/document-forms.ts';
import { isA2AError } from '../../dialects/kernel/errors.ts';
import { createRequestWriter } from '../../dialects/kernel/http-request.ts';
import { Salvage } from '../../dialects/kernel/salvage.ts';
import type { Method, RestBinding } from '../../dialects/kernel/wire.ts';
import { markUntried } from '../../net/network-errors.ts';
import { withFacts } from '../../net/nothing-ran.ts';
import { joinQueries } from '../../net/url-query.ts';
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
 * A client of an agent's HTTP+JSON interface, with the routes of its dialect.
 *
 * Its `invoke` rejects with the agent's A2AError; `unsupportedOperation` when the dialect has no such route; `invalidParams`
 * when a part of the URL is missing; `upstreamUnreachable`, `upstreamTimeout`, `canceled` or `deadlineExceeded`;
 * `invalidAgentResponse` for an invalid answer.
 *
 * @throws A2AError `invalidParams` for an invalid URL; TypeError when the dialect has no HTTP+JSON binding
 */
export function createRestClient(options: HttpTransportOptions): ClientTransport {
  const { dialect } = options;
  if (dialect.rest === undefined) throw new TypeError(`${dialect.name} has no HTTP+JSON binding`);
  return new RestClient(options, dialect.rest);
}

class RestClient implements ClientTransport {
  readonly #options: HttpTransportOptions;
  readonly #binding: RestBinding;
  readonly #http: HttpTransport;
  readonly #writer: ReturnType<typeof createRequestWriter<Method>>;
  /** The path of the interface, without a slash at its end. */
  readonly #base: string;

  constructor(options: HttpTransportOptions, binding: RestBinding) {
    this.#options = options;
    this.#binding = binding;
    this.#http = createHttpTransport(options);
    this.#writer = createRequestWriter(binding);
    this.#base = trimEnd(this.#http.url.pathname, '/');
  }

  readonly invoke = async (call: Call): Promise<Reply> => {
    const { operation, request, context } = call;
    const { dialect, strict = false } = this.#options;
    const binding = this.#binding;
    const http = this.#http;
    const method = this.#writer.methodOf(operation);
    if (method === undefined) {
      throw markUntried(new A2AError('unsupportedOperation', `${operation} does not exist in ${dialect.name}`));
    }
    const cx = this.#codecContext(call);
    const encoded = encodeRequest(method, request, cx, { dialect: dialect.name, strict });
    const { verb, path, query, body } = this.#writer.write(operation, encoded);
    const streaming = method.stream !== undefined;
    const accept = `${streaming ? 'text/event-stream, ' : ''}${binding.mediaType}, application/json`;
    const content = body === undefined ? {} : { mediaType: binding.mediaType, body };
    const url = this.#urlOf(path, query);
    const received = await http.send({ method: verb, url, ...content, accept, streaming }, context);
    return readReply(received, new RestReading({ binding, method, cx, context, verb, http, received }));
  };

  readonly close = (): void => this.#http.close();

  #codecContext({ context: { notes }, request }: Call): CodecContext {
    const { dialect, strict = false, quirks } = this.#options;
    const isSalvaged = !strict && !dialect.exact;
    return {
      losses: notes.losses,
      ...(quirks && { peerSoftware: { quirks: quirks() } }),
      ...(isSalvaged && { salvage: new Salvage(notes.losses, this.#binding.tables, subjectOf(request)) }),
    };
  }

  #urlOf(path: string, query: string): URL {
    const url = new URL(this.#http.url);
    url.pathname = this.#base + path;
    url.search = joinQueries(query, this.#http.url.search.slice(1));
    // URLs drop segments of dots, even if they are encoded, which would change the request.
    if (url.pathname !== this.#base + path) throw A2AError.invalidParams(`${path} cannot be part of a URL`);
    return url;
  }
}

interface SentRequest {
  readonly binding: RestBinding;
  readonly method: Method;
  readonly cx: CodecContext;
  readonly context: CallContext;
  readonly verb: string;
  readonly http: Pick<HttpTransport, 'maxAnswer' | 'onSkipped'>;
  readonly received: ReceivedResponse;
}

/** Reads the answer to one request. */
class RestReading implements ReplyReading {
  readonly method: Method;
  readonly cx: CodecContext;
  readonly context: CallContext;
  readonly maxAnswer: number;
  readonly onSkipped: ReplyReading['onSkipped'];
  readonly #binding: RestBinding;
  readonly #verb: string;
  readonly #received: ReceivedResponse;

  constructor({ binding, method, cx, context, verb, http, received }: SentRequest) {
    this.method = method;
    this.cx = cx;
    this.context = context;
    this.maxAnswer = http.maxAnswer;
    this.onSkipped = http.onSkipped;
    this.#binding = binding;
    this.#verb = verb;
    this.#received = received;
  }

  isAnswer(frame: ParsedFrame): boolean {
    const { stream } = this.method;
    if (stream === undefined) return isObject(frame.data);
    return errorIn(frame.data) !== undefined || frame.event === 'error' || isEventOf(stream, frame);
  }

  decodeFrame(decoder: StreamDecoder, frame: ParsedFrame): readonly StreamResponse[] {
    const error = errorInFrame(this.#binding, frame, this.cx);
    if (error) throw error;
    return decodeResponse(() => decodeFrame(decoder, frame, this.cx));
  }

  readValue(body: ResponseBody): unknown {
    const { json } = body;
    const { status } = this.#received.answer;
    // An agent that writes a task has done its work, regardless of the status.
    if (status >= 400 && !(this.cx.salvage && isTaskOrMessage(json))) throw this.#errorIn(body);
    // Only a deletion may be answered without content.
    if (json === undefined && !(body.isEmpty && this.#verb === 'DELETE')) throw notJson(this.#received, body);
    const text = errorTextIn(json);
    if (text !== undefined) throw new A2AError('agentError', `The agent reports an error: ${text}`);
    return json ?? {};
  }

  #errorIn(body: ResponseBody): A2AError {
    const { json } = body;
    const { answer } = this.#received;
    const facts = httpFacts(answer, isErrorOfAgent(json));
    if (errorIn(json) === undefined && !hasMessage(json)) return withFacts(errorByStatus(this.#received, body), facts);
    const error = this.#binding.error.decode({ status: answer.status, body: json }, this.cx);
    return withFacts(refineByStatus(error, answer), facts);
  }
}

/** Whether an error has the form of an agent's. Frameworks and proxies without anything at a path answer without a code. */
const isErrorOfAgent = (body: unknown): boolean =>
  isA2AError(body) || errorIn(body) !== undefined || (isObject(body) && body.code !== undefined);

/** The error in a body that has no other content, although its status is a success. */
function errorTextIn(body: unknown): string | undefined {
  if (!isObject(body) || body.error === undefined || body.error === null || subjectsIn(body).length > 0)
    return undefined;
  const { error } = body;
  const text = isObject(error) ? error.message : error;
  return typeof text === 'string' && text !== '' ? text : undefined;
}

const isTaskOrMessage = (body: unknown): boolean =>
  errorIn(body) === undefined && !hasMessage(body) && isEvent(body) && subjectsIn(body).length > 0;

/** Whether a body has at least a message, as errors of older servers do. */
const hasMessage = (body: unknown): boolean => isObject(body) && typeof body.message === 'string';
