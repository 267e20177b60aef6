import type { CallContext, Reply } from '../../core/model/call.ts';
import { A2AError } from '../../core/model/errors.ts';
import { trimEnd } from '../../core/model/text.ts';
import type { CodecContext } from '../../dialects/kernel/codec.ts';
import { encodeRequest } from '../../dialects/kernel/losses.ts';
import { decodeWhole } from '../../dialects/kernel/methods.ts';
import type { Method, RestBinding } from '../../dialects/kernel/wire.ts';
import {
  type ClientTransport,
  createHttpTransport,
  type HttpTransport,
  type HttpTransportOptions,
} from '../outbound/http-transport.ts';
import {
  decodeResponse,
  errorByStatus,
  notJson,
  type ReceivedResponse,
  readBody,
  refineByStatus,
} from '../outbound/response-body.ts';
import { readEventStream, streamOf } from '../outbound/response-stream.ts';
import { createRequestWriter } from './client-route.ts';

/**
 * A client of an agent's HTTP+JSON interface, in any dialect that has one. Routes come from the dialect's rules.
 *
 * Its `invoke` rejects with the A2AError that the agent told; with `unsupportedOperation` when the dialect has no such
 * route; with `invalidParams` when what belongs into the URL is missing; with `upstreamUnreachable`, `upstreamTimeout`,
 * `canceled` or `deadlineExceeded` as the network has it; with `invalidAgentResponse` when the answer cannot be made
 * sense of.
 *
 * @throws A2AError `invalidParams` for a URL that cannot be called; TypeError when the dialect has no HTTP+JSON face
 */
export function createRestClient(options: HttpTransportOptions): ClientTransport {
  const { dialect } = options;
  const face = dialect.rest;
  if (face === undefined) throw new TypeError(`${dialect.name} is not spoken over HTTP+JSON`);
  const http = createHttpTransport(options);
  const writer = createRequestWriter(face);
  const base = trimEnd(http.url.pathname, '/');

  return {
    async invoke({ operation, request, context }) {
      const method = writer.methodOf(operation);
      if (method === undefined) {
        throw new A2AError('unsupportedOperation', `${operation} does not exist in ${dialect.name}`);
      }
      const cx: CodecContext = {
        losses: context.notes.losses,
        ...(http.quirks && { peerSoftware: { quirks: http.quirks() } }),
      };
      const encoded = encodeRequest(method, request, cx, { dialect: dialect.name, strict: http.strict });
      const { verb, path, query, body } = writer.write(operation, encoded);
      const url = new URL(http.url);
      url.pathname = base + path;
      url.search = query;
      // URLs lose steps that are nothing but dots, whatever their encoding: the request would be another one.
      if (url.pathname !== base + path) throw A2AError.invalidParams(`${path} cannot be part of a URL`);

      const streaming = method.stream !== undefined;
      const received = await http.send(
        {
          method: verb,
          url,
          ...(body !== undefined && { mediaType: face.mediaType, body }),
          accept: streaming
            ? `text/event-stream, ${face.mediaType}, application/json`
            : `${face.mediaType}, application/json`,
          streaming,
        },
        context,
      );
      const { answer } = received;
      const exchange: Exchange = { http, face, method, received, cx };
      if (answer.mediaType === 'text/event-stream' && answer.status < 400) {
        return { events: readStream(exchange, context) };
      }
      return readValue(exchange);
    },
    close: () => http.close(),
  };
}

/** One request under way. */
interface Exchange {
  readonly http: HttpTransport;
  readonly face: RestBinding;
  readonly method: Method;
  readonly received: ReceivedResponse;
  readonly cx: CodecContext;
}

function readStream({ http, face, method, received, cx }: Exchange, context: CallContext) {
  const { answer, url } = received;
  if (method.stream === undefined) {
    answer.discard();
    throw new A2AError('invalidAgentResponse', `${url.href} answered ${method.name} with a stream`);
  }
  const decoder = method.stream.decoder(cx);
  return readEventStream(answer, {
    maxEvent: http.maxEvent,
    context,
    decode(frame) {
      const told = errorIn(frame.data);
      if (told !== undefined || frame.event === 'error') {
        throw face.error.decode({ status: statusOf(told), body: frame.data }, cx);
      }
      return decodeResponse(() => decoder.decode(frame));
    },
    end: () => decoder.end?.() ?? [],
  });
}

async function readValue({ http, face, method, received, cx }: Exchange): Promise<Reply> {
  const { answer, url } = received;
  const body = await readBody(received, http.maxAnswer);
  if (answer.status >= 400) {
    if (errorIn(body.json) === undefined && !isMessage(body.json)) throw errorByStatus(received, body);
    throw refineByStatus(face.error.decode({ status: answer.status, body: body.json }, cx), answer);
  }
  if (body.json === undefined && !body.isEmpty) throw notJson(received, body);
  // An answer without content stands for an empty message.
  const value = body.json ?? {};
  const { result: codec, stream } = method;
  if (codec !== undefined) return decodeResponse(() => codec.decode(value, cx));
  // Agents that do not stream, whatever their cards say, answer with what the stream would have come to.
  if (stream !== undefined) return { events: streamOf(decodeResponse(() => decodeWhole(stream, cx, value))) };
  throw new A2AError('invalidAgentResponse', `${url.href} answered ${method.name} with nothing that is known`);
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The error object of a body that is one (A2A 1.0.1 section 11.6); older servers name the event instead. */
const errorIn = (body: unknown): Readonly<Record<string, unknown>> | undefined =>
  isObject(body) && isObject(body.error) ? body.error : undefined;

/** Whether a body at least says something, as those of older servers do. */
const isMessage = (body: unknown): boolean => isObject(body) && typeof body.message === 'string';

/** Streams have no status of their own for an error; v1 writes it into the error object. */
function statusOf(told: Readonly<Record<string, unknown>> | undefined): number {
  const code = told?.code;
  return typeof code === 'number' && code >= 400 && code <= 599 ? code : 500;
}
