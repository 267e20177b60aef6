import type { Call, CallContext, LoggedEvent, Reply, UnaryReply } from '../../core/model/call.ts';
import { A2AError } from '../../core/model/errors.ts';
import { isObject } from '../../core/model/json.ts';
import type { HttpAnswer } from '../../net/http-exchange.ts';
import { parseJson } from '../../wire/json.ts';
import {
  type ClientTransport,
  createHttpTransport,
  type HttpTransport,
  type HttpTransportOptions,
} from '../outbound/http-transport.ts';
import { decodeResponse, errorByStatus, maxDepth, readBody } from '../outbound/response-body.ts';
import { awaitFirst, ReceivedEvent } from '../outbound/response-stream.ts';
import { type OutgoingCall, prepareCall, rpcsByOperation } from '../rpc/client.ts';
import { type Envelope, EnvelopeReader, envelope, flags } from '../rpc/envelope.ts';
import { messageDecoder } from '../rpc/stream.ts';
import { errorFromJson } from './error.ts';

/**
 * A client of an agent's services over Connect: HTTP/1.1 and JSON, for agents behind what lets no HTTP/2 through.
 *
 * Its `invoke` rejects with the A2AError that the agent told; with `unsupportedOperation` when the dialect has no such
 * rpc; with `upstreamUnreachable`, `upstreamTimeout`, `canceled` or `deadlineExceeded` as the network has it; with
 * `invalidAgentResponse` when the answer cannot be made sense of. A stream that is refused before its first event
 * rejects at once.
 *
 * @param options its `url` is that below which `/{service}/{rpc}` is found
 * @throws A2AError `invalidParams` for a URL that cannot be called; TypeError when the dialect has no protobuf face
 */
export function createConnectClient(options: HttpTransportOptions): ClientTransport {
  const rpcs = rpcsByOperation(options.dialect);
  const http = createHttpTransport(options);
  return {
    async invoke(call) {
      const going = prepareCall(rpcs, call, options);
      try {
        return await (going.rpc.operation.streaming ? stream(http, going, call) : unary(http, going, call));
      } catch (thrown) {
        const { deadline } = call.context;
        const late =
          A2AError.from(thrown).kind === 'upstreamTimeout' && deadline !== undefined && deadline <= Date.now();
        throw late ? new A2AError('deadlineExceeded', undefined, { cause: thrown }) : thrown;
      }
    },
    close: () => http.close(),
  };
}

function urlOf({ url }: HttpTransport, { rpc }: OutgoingCall): URL {
  const target = new URL(url);
  target.pathname = target.pathname.replace(/\/$/, '') + rpc.operation.grpcPath;
  return target;
}

async function unary(http: HttpTransport, going: OutgoingCall, { context }: Call): Promise<UnaryReply> {
  const url = urlOf(http, going);
  const request = { method: 'POST', url, mediaType: 'application/json', accept: 'application/json', streaming: false };
  const received = await http.send({ ...request, body: JSON.stringify(going.message) }, context);
  const body = await readBody(received, http.maxAnswer);
  if (received.answer.status !== 200) throw errorFromJson(body.json) ?? errorByStatus(received, body);
  const { method } = going.rpc;
  return decodeResponse(() => {
    if (!isObject(body.json)) throw A2AError.parse(`${url.href} answered without a JSON object`);
    return method.result?.decode(body.json, going.cx) as UnaryReply;
  });
}

async function stream(http: HttpTransport, going: OutgoingCall, { context }: Call): Promise<Reply> {
  const url = urlOf(http, going);
  const mediaType = 'application/connect+json';
  const body = envelope(Buffer.from(JSON.stringify(going.message)));
  const request = { method: 'POST', url, mediaType, body, accept: mediaType, streaming: true };
  const received = await http.send(request, context);
  const { answer } = received;
  if (answer.status !== 200) {
    const told = await readBody(received, http.maxAnswer);
    throw errorFromJson(told.json) ?? errorByStatus(received, told);
  }
  if (answer.mediaType !== mediaType) {
    answer.discard();
    const type = answer.mediaType === '' ? 'no content type' : answer.mediaType;
    throw new A2AError('invalidAgentResponse', `${url.href} answered with ${type} instead of ${mediaType}`);
  }
  // A refusal comes where the first event would be.
  const events = closing(generate(answer, http, going, context), answer);
  return { events: going.rpc.method.stream?.atOnce ? events : await awaitFirst(events) };
}

/** Ending the iteration closes the connection, also while an event is waited for. */
const closing = (
  events: AsyncGenerator<LoggedEvent, undefined>,
  answer: HttpAnswer,
): AsyncIterableIterator<LoggedEvent> => ({
  [Symbol.asyncIterator]() {
    return this;
  },
  next: () => events.next(),
  return() {
    answer.discard();
    return events.return(undefined);
  },
});

async function* generate(
  answer: HttpAnswer,
  { maxEvent }: HttpTransport,
  { rpc, cx }: OutgoingCall,
  context: CallContext,
): AsyncGenerator<LoggedEvent, undefined> {
  const decodeMessage = messageDecoder(rpc, cx);
  const reader = new EnvelopeReader(maxEvent);
  // The protocol has no place for an event's number: they are counted from where the stream is taken up.
  let seq = typeof context.replay === 'object' ? context.replay.after : 0;
  try {
    for await (const chunk of answer.chunks()) {
      for (const found of decodeResponse(() =>
        reader.read(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength)),
      )) {
        const json = decodeResponse(() => parse(found));
        if ((found.flags & flags.connectEnd) !== 0) {
          const error = isObject(json) ? errorFromJson(json.error) : undefined;
          if (error) throw error;
          return undefined;
        }
        for (const event of decodeResponse(() => decodeMessage(json as object))) yield new ReceivedEvent(++seq, event);
      }
    }
  } finally {
    answer.discard();
  }
  throw new A2AError('invalidAgentResponse', 'The stream ended without saying so');
}

function parse({ flags: bits, data }: Envelope): unknown {
  if ((bits & flags.compressed) !== 0) throw A2AError.parse('A message is compressed, which was not asked for');
  return parseJson(data, maxDepth);
}
