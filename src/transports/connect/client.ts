import { answerCounts } from '../../core/limits/counts.ts';
import type { Call, CallContext, LoggedEvent, Reply } from '../../core/model/call.ts';
import { A2AError, grpcStatus } from '../../core/model/errors.ts';
import { isObject } from '../../core/model/json.ts';
import { decodeResult } from '../../dialects/kernel/calls.ts';
import type { Salvaging } from '../../dialects/kernel/codec.ts';
import { nameLostDigits } from '../../dialects/kernel/number-losses.ts';
import {
  connectStatus,
  errorFromConnect,
  isA2AStatus,
  type KindOfStatus,
  statusOfHttp,
} from '../../dialects/kernel/rpc-status.ts';
import type { HttpAnswer } from '../../net/http-exchange.ts';
import { readWithin, tooLarge } from '../../net/network-errors.ts';
import { withFacts } from '../../net/nothing-ran.ts';
import { excessiveAnswer } from '../../wire/counts.ts';
import { excessIn, parseJson } from '../../wire/json-body.ts';
import { connectCompressions, decompress } from '../http/decompress.ts';
import {
  type ClientTransport,
  createHttpTransport,
  type HttpTransport,
  type HttpTransportOptions,
  isLate,
} from '../outbound/http-transport.ts';
import { decodeResponse, errorByStatus, httpFacts, maxDepth, mendJson, readBody } from '../outbound/response-body.ts';
import { awaitFirst, closing, ReceivedEvent, startOf } from '../outbound/response-stream.ts';
import { type OutgoingCall, prepareCall, rpcsByOperation } from '../rpc/client.ts';
import { type Envelope, EnvelopeReader, envelope, flags } from '../rpc/envelope.ts';
import { messageDecoder } from '../rpc/stream.ts';

/**
 * A client of an agent's services over Connect: HTTP/1.1 and JSON, for agents behind proxies without HTTP/2.
 *
 * Its `invoke` rejects with the agent's A2AError; `unsupportedOperation` when the dialect has no such rpc;
 * `upstreamUnreachable`, `upstreamTimeout`, `canceled` or `deadlineExceeded`; `invalidAgentResponse` for an invalid answer.
 * It also rejects for a stream that is refused before its first event.
 *
 * @param options `url`: the URL below which `/{service}/{rpc}` is served
 * @throws A2AError `invalidParams` for an invalid URL; TypeError when the dialect has no gRPC binding
 */
export function createConnectClient(options: HttpTransportOptions): ClientTransport {
  return new ConnectClient(options);
}

class ConnectClient implements ClientTransport {
  readonly #options: HttpTransportOptions;
  readonly #rpcs: ReturnType<typeof rpcsByOperation>;
  readonly #http: HttpTransport;

  constructor(options: HttpTransportOptions) {
    this.#options = options;
    this.#rpcs = rpcsByOperation(options.dialect);
    this.#http = createHttpTransport(options);
  }

  readonly invoke = async (call: Call): Promise<Reply> => {
    const outgoing = prepareCall(this.#rpcs, call, this.#options);
    const { context } = call;
    try {
      return await (outgoing.rpc.operation.streaming
        ? this.#stream(outgoing, context)
        : this.#unary(outgoing, context));
    } catch (thrown) {
      if (!isLate(context) || A2AError.from(thrown).kind !== 'upstreamTimeout') throw thrown;
      throw new A2AError('deadlineExceeded', undefined, { cause: thrown });
    }
  };

  readonly close = (): void => this.#http.close();

  /** Sends a request. Throws the error of an answer whose status is not 200. */
  async #send(outgoing: OutgoingCall, context: CallContext, mediaType: string, body: string | Buffer) {
    const { rpc } = outgoing;
    const url = new URL(this.#http.url);
    url.pathname = url.pathname.replace(/\/$/, '') + rpc.operation.grpcPath;
    const { streaming } = rpc.operation;
    const { deadline = Number.POSITIVE_INFINITY } = context;
    // A server ends a stream at the deadline that it is sent, so the time for the beginning is not sent.
    const headers = (left: number) => connectHeaders(streaming ? deadline - Date.now() : left);
    const request = { method: 'POST', url, mediaType, body, accept: mediaType, headers, streaming };
    const received = await this.#http.send(request, context);
    if (received.answer.status === 200) return received;
    const answered = await readBody(received, this.#http.maxAnswer);
    const { status } = received.answer;
    const error =
      errorFromConnect(answered.json, kindOf(outgoing)) ?? errorByStatus(received, answered, statusOfHttp(status));
    throw withFacts(error, httpFacts(received.answer, isErrorOfAgent(answered.json)));
  }

  async #unary(outgoing: OutgoingCall, context: CallContext) {
    const { rpc, message, cx } = outgoing;
    const received = await this.#send(outgoing, context, 'application/json', JSON.stringify(message));
    const { json } = await readBody(received, this.#http.maxAnswer, cx.salvage);
    return decodeResponse(() => {
      if (!isObject(json)) throw A2AError.parse(`${received.url.href} answered without a JSON object`);
      if (!rpc.method.result) throw new TypeError(`${rpc.method.name} has no result`);
      return decodeResult(rpc.method.result, json, cx);
    });
  }

  async #stream(outgoing: OutgoingCall, context: CallContext) {
    const mediaType = 'application/connect+json';
    const body = envelope(Buffer.from(JSON.stringify(outgoing.message)));
    const { answer, url } = await this.#send(outgoing, context, mediaType, body);
    if (answer.mediaType !== mediaType) {
      answer.discard();
      const type = answer.mediaType === '' ? 'no content type' : answer.mediaType;
      throw new A2AError('invalidAgentResponse', `${url.href} answered with ${type} instead of ${mediaType}`);
    }
    const events = closing(readEvents(answer, this.#http.maxAnswer, outgoing, context), () => answer.discard());
    // A refusal comes instead of the first event.
    return { events: await awaitFirst(events) };
  }
}

/** Whether an error is the agent's. A server without anything at a path answers without an error of Connect, or with this one. */
const isErrorOfAgent = (body: unknown): boolean => {
  const status = connectStatus(body);
  return status !== undefined && (status.code !== grpcStatus.UNIMPLEMENTED || isA2AStatus(status));
};

/** Headers of the protocol. */
const connectHeaders = (timeout: number): Record<string, string> => ({
  'connect-protocol-version': '1',
  // At most ten digits.
  ...(timeout < 1e10 && { 'connect-timeout-ms': String(Math.ceil(timeout)) }),
});

const kindOf =
  ({ rpc: { dialect, method } }: OutgoingCall): KindOfStatus =>
  (status) =>
    dialect.grpc?.kindOf?.(status, method.operation);

async function* readEvents(
  answer: HttpAnswer,
  maxEvent: number,
  outgoing: OutgoingCall,
  context: CallContext,
): AsyncGenerator<LoggedEvent, undefined> {
  const decodeMessage = messageDecoder(outgoing.rpc, outgoing.cx);
  const reader = new EnvelopeReader({ limit: maxEvent });
  // The protocol does not number events.
  let seq = startOf(context);
  try {
    for await (const { buffer, byteOffset, byteLength } of answer.chunks()) {
      const chunk = Buffer.from(buffer, byteOffset, byteLength);
      for (const found of readWithin(maxEvent, () => reader.read(chunk))) {
        const data = await contentOf(found, answer, maxEvent);
        const json = decodeResponse(() => parse(data, outgoing.cx.salvage));
        if ((found.flags & flags.connectEnd) !== 0) {
          const error = isObject(json) ? errorFromConnect(json.error, kindOf(outgoing)) : undefined;
          if (error) throw error;
          for (const event of outgoing.cx.salvage?.end() ?? []) yield new ReceivedEvent(++seq, event);
          return undefined;
        }
        for (const event of decodeResponse(() => decodeMessage(json as object))) yield new ReceivedEvent(++seq, event);
        if (outgoing.cx.salvage?.over) return undefined;
      }
    }
  } finally {
    answer.discard();
  }
  throw new A2AError('invalidAgentResponse', 'The stream ended without its end message');
}

/**
 * The content of a message. The client requests no compression, but some servers compress nevertheless.
 *
 * @throws A2AError `invalidAgentResponse` for a compression that cannot be read, and for a message that is too large
 */
async function contentOf({ flags: bits, data }: Envelope, { headers }: HttpAnswer, limit: number): Promise<Buffer> {
  if ((bits & flags.compressed) === 0) return data;
  const encoding = String(headers['connect-content-encoding'] ?? 'identity');
  try {
    return await decompress(encoding, connectCompressions, data, { limit });
  } catch (thrown) {
    const { kind, message } = A2AError.from(thrown);
    if (kind === 'payloadTooLarge') throw tooLarge(limit, thrown);
    const what = kind === 'unimplemented' ? `A message has the compression ${encoding.slice(0, 64)}` : message;
    throw new A2AError('invalidAgentResponse', `The server's answer is not valid: ${what}`, { cause: thrown });
  }
}

function parse(data: Buffer, salvage: Salvaging | undefined): unknown {
  const text = data.toString('utf8');
  const excess = excessIn(text, answerCounts);
  if (excess) throw excessiveAnswer(excess);
  try {
    const json = parseJson(data, maxDepth);
    nameLostDigits(json, salvage);
    return json;
  } catch (thrown) {
    return mendJson(salvage, text, thrown);
  }
}
