import type { IncomingMessage } from 'node:http';
import { A2AError } from '../../core/model/errors.ts';
import { steadyNow } from '../../core/model/timing.ts';
import { fields } from '../../gen/grpc/fields.ts';
import { decode, encode } from '../../wire/protobuf.ts';
import { readingOf } from '../http/call-head.ts';
import type { HttpContext } from '../http/context.ts';
import type { Exchange, ExchangeHandler } from '../http/exchange.ts';
import { answerHeaders, mediaTypeOf, refuseGrpcOverHttp1, sendEmpty } from '../http/headers.ts';
import { drained } from '../listener/slow-readers.ts';
import { EnvelopeReader } from '../rpc/envelope.ts';
import {
  maxReflectionRequest,
  type ReflectionRequest,
  type Reflector,
  reflectionRequest,
  reflectionResponse,
  reflectionRpc,
  reflectionServices,
  reflectOn,
} from '../rpc/reflection.ts';
import { type ConnectFormat, connectFormatOf, contentOf, encodingOf } from './request.ts';
import { ConnectResponse } from './response.ts';

const paths: ReadonlySet<string> = new Set(reflectionServices.map((service) => `/${service}/${reflectionRpc}`));

/** Milliseconds in which a client must read a response. */
const readTimeout = 30_000;

/**
 * Server reflection over Connect and gRPC-Web, which `buf curl` calls in the protocol of the call itself. Its one rpc streams in
 * both directions, so that it needs HTTP/2.
 */
export function connectReflection(http: HttpContext, reflect: Reflector): ExchangeHandler {
  return (exchange) => {
    const { req, res, path, requestId } = exchange;
    if (!paths.has(path)) return false;
    const headers = answerHeaders(requestId, undefined);
    if (req.method !== 'POST') {
      sendEmpty(res, 405, [...headers, 'Allow', 'POST']);
      return Promise.resolve();
    }
    const format = connectFormatOf(mediaTypeOf(req));
    if (!format?.enveloped || format.text) {
      if (!refuseGrpcOverHttp1(exchange, headers)) sendEmpty(res, 415, headers);
      return Promise.resolve();
    }
    if (req.httpVersionMajor < 2) {
      sendEmpty(res, 505, headers);
      return Promise.resolve();
    }
    return serve(http, exchange, format, reflect);
  };
}

/** Answers the requests of one stream in their order. Never rejects. */
async function serve(http: HttpContext, exchange: Exchange, format: ConnectFormat, reflect: Reflector): Promise<void> {
  const { req, res, facts } = exchange;
  const response = new ConnectResponse(exchange, format, undefined);
  try {
    const encoding = encodingOf(format, req.headers);
    const reading = readingOf(facts, { body: maxReflectionRequest });
    response.begin();
    res.flushHeaders();
    await eachMessage(http, req, async (found) => {
      const request = parse(format, await contentOf(found, encoding, reading));
      await send(response, format, await reflectOn(reflect, request), res);
    });
    response.end();
  } catch (thrown) {
    response.fail(A2AError.from(thrown));
  }
}

type Envelopes = ReturnType<EnvelopeReader['read']>;

async function eachMessage(
  http: HttpContext,
  req: IncomingMessage,
  handle: (found: Envelopes extends Iterable<infer One> ? One : never) => Promise<void>,
): Promise<void> {
  const reader = new EnvelopeReader({ limit: maxReflectionRequest });
  let partialSince: number | undefined;
  const take = async (chunk: Buffer): Promise<void> => {
    for (const found of reader.read(chunk)) await handle(found);
    partialSince = reader.unfinished ? (partialSince ?? steadyNow()) : undefined;
  };
  // Clients keep the stream open between requests.
  await http.bodies.eachChunk(req, take, () => partialSince);
  if (reader.unfinished) throw new A2AError('invalidRequest', 'The body ends within a message');
}

function parse({ json }: ConnectFormat, data: Buffer): ReflectionRequest {
  if (!json) return decode<ReflectionRequest>({ fields }, reflectionRequest, data);
  try {
    return JSON.parse(data.toString()) as ReflectionRequest;
  } catch (cause) {
    throw new A2AError('parse', 'The message is not JSON', { cause });
  }
}

async function send(
  response: ConnectResponse,
  { json }: ConnectFormat,
  message: object,
  res: Exchange['res'],
): Promise<void> {
  const bytes = json ? JSON.stringify(inBase64(message)) : encode({ fields }, reflectionResponse, message);
  if (response.message(bytes) || (await drained(res, readTimeout))) return;
  res.destroy();
}

/** The response with its descriptor files as ProtoJSON has bytes. */
function inBase64(message: { readonly fileDescriptorResponse?: { readonly fileDescriptorProto: readonly Buffer[] } }) {
  const files = message.fileDescriptorResponse?.fileDescriptorProto;
  if (!files) return message;
  const fileDescriptorProto = files.map((file) => Buffer.from(file).toString('base64'));
  return { ...message, fileDescriptorResponse: { fileDescriptorProto } };
}
