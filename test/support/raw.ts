import { Agent, type IncomingHttpHeaders, request as startRequest } from 'node:http';
import { fromBinary, type JsonObject, toJson } from '@bufbuild/protobuf';
import * as grpc from '@grpc/grpc-js';
import { expect } from 'vitest';
import { registry } from './descriptors.ts';
import { paced } from './pace.ts';
import { afterTest } from './peer.ts';

/** Calls that no well-behaved client makes, and what every answer must look like all the same. */

export interface HttpAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

export interface HttpCall {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
}

/** An HTTP/1.1 client that sends what it is given, Host header included. */
export class RawHttp {
  readonly #port: number;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 8 });

  constructor(port: number) {
    this.#port = port;
    afterTest(() => this.close());
  }

  /** Sends one request and reads the whole answer. Rejects when there is none within 15 seconds. */
  send({ method = 'POST', path = '/', headers = {}, body }: HttpCall): Promise<HttpAnswer> {
    return new Promise((resolve, reject) => {
      const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
      const sent = startRequest(
        {
          host: '127.0.0.1',
          port: this.#port,
          method,
          path,
          headers: { ...length, ...headers },
          agent: this.#agent,
          signal: AbortSignal.timeout(paced(15_000)),
        },
        (response) => {
          const chunks: Buffer[] = [];
          response.on('data', (chunk: Buffer) => chunks.push(chunk));
          response.on('end', () =>
            resolve({ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(chunks) }),
          );
          response.on('error', reject);
        },
      );
      sent.on('error', reject);
      sent.end(body);
    });
  }

  close(): void {
    this.#agent.destroy();
  }
}

export interface GrpcAnswer {
  /** `OK` or another name of a gRPC status. */
  readonly status: string;
  readonly message: string;
  readonly trailers: grpc.Metadata;
  readonly messages: readonly Buffer[];
}

/** A gRPC client that sends bytes. */
export class RawGrpc {
  readonly #client: grpc.Client;

  constructor(target: string, options: grpc.ClientOptions = {}) {
    this.#client = new grpc.Client(target, grpc.credentials.createInsecure(), {
      'grpc.use_local_subchannel_pool': 1,
      ...options,
    });
    afterTest(() => this.close());
  }

  /** Sends one message and reads messages to the end. @param path `/package.Service/Rpc` */
  send(path: string, bytes: Uint8Array, metadata: Readonly<Record<string, string>> = {}): Promise<GrpcAnswer> {
    return new Promise((resolve) => {
      const asIs = (value: Buffer): Buffer => value;
      const sent = new grpc.Metadata();
      for (const [name, value] of Object.entries(metadata)) sent.set(name, value);
      const deadline = Date.now() + paced(15_000);
      const call = this.#client.makeServerStreamRequest(path, asIs, asIs, Buffer.from(bytes), sent, { deadline });
      const messages: Buffer[] = [];
      call.on('data', (message: Buffer) => messages.push(message));
      call.on('error', () => undefined);
      call.on('status', ({ code, details, metadata: trailers }) =>
        resolve({ status: grpc.status[code] ?? String(code), message: details, trailers, messages }),
      );
    });
  }

  close(): void {
    this.#client.close();
  }
}

/** A message's bytes in ProtoJSON. */
export function decoded(type: string, bytes: Uint8Array): JsonObject {
  const description = registry.getMessage(type);
  if (!description) throw new Error(`no message ${type}`);
  return toJson(description, fromBinary(description, bytes), { registry }) as JsonObject;
}

/** Facts about an error that are equal on every binding. */
export interface ErrorFacts {
  /** ErrorInfo's reason. */
  readonly reason: string | undefined;
  readonly message: string;
  /** Names of the faulty fields. */
  readonly fields: readonly string[];
}

interface Detail {
  '@type': string;
  reason?: string;
  domain?: string;
  fieldViolations?: { field: string; description: string }[];
}

function factsOf(message: unknown, details: readonly Detail[]): ErrorFacts {
  expect(message).toEqual(expect.any(String));
  const info = details.find((detail) => detail['@type'] === 'type.googleapis.com/google.rpc.ErrorInfo');
  if (info) expect(info.domain).toBe('a2a-protocol.org');
  // The request is at fault: no error may look like a failure of the gateway.
  expect(info?.reason).not.toBe('INTERNAL_ERROR');
  const fields = details.flatMap(({ fieldViolations = [] }) => fieldViolations.map(({ field }) => field));
  return { reason: info?.reason, message: String(message), fields };
}

const jsonOf = ({ headers, body }: HttpAnswer, mediaType: RegExp): unknown => {
  expect(headers['content-type']).toMatch(mediaType);
  return JSON.parse(body.toString());
};

/** HTTP statuses that JSON-RPC answers may have: errors are 200, but for those that proxies and clients act on. */
const rpcStatuses = [200, 401, 403, 413, 429, 503];

/** Holds a JSON-RPC answer against its form. Undefined when it is a result or a stream. */
export function rpcError(answer: HttpAnswer): (ErrorFacts & { code: number; id: unknown }) | undefined {
  if (answer.status === 204) {
    expect(answer.body).toHaveLength(0);
    return undefined;
  }
  expect(rpcStatuses).toContain(answer.status);
  if (answer.headers['content-type']?.startsWith('text/event-stream')) return undefined;
  const body = jsonOf(answer, /^application\/json\b/) as {
    jsonrpc: string;
    id: unknown;
    result?: unknown;
    error?: { code: number; message: string; data?: unknown };
  };
  expect(body.jsonrpc).toBe('2.0');
  expect(body).toHaveProperty('id');
  expect('result' in body).toBe(!('error' in body));
  if (!body.error) return undefined;
  expect(Number.isInteger(body.error.code)).toBe(true);
  expect(body.error.code).not.toBe(-32603);
  // Before 1.0, data is an object.
  const { data } = body.error as { data?: Detail[] | { details?: Detail[] } };
  const details = Array.isArray(data) ? data : (data?.details ?? []);
  return { ...factsOf(body.error.message, details), code: body.error.code, id: body.id };
}

/** Holds an answer of HTTP+JSON against its form. Undefined when it is no error. */
export function restError(answer: HttpAnswer): (ErrorFacts & { status: number }) | undefined {
  expect(answer.status).not.toBe(500);
  if (answer.status < 400) return undefined;
  const { error } = jsonOf(answer, /^application\/(?:a2a\+)?json\b/) as {
    error: { code: number; status: string; message: string; details: Detail[] };
  };
  expect(error.code).toBe(answer.status);
  expect(error.status).toMatch(/^[A-Z_]+$/);
  const facts = factsOf(error.message, error.details);
  expect(facts.reason).toBeTruthy();
  return { ...facts, status: answer.status };
}

/** Holds an answer of unary Connect against its form. Undefined when it is no error. */
export function connectError(answer: HttpAnswer): (ErrorFacts & { status: number; code: string }) | undefined {
  expect(answer.status).not.toBe(500);
  if (answer.status < 400) return undefined;
  // The protocol has no body for media types that the server does not know.
  if (answer.status === 415) return { status: 415, code: '', reason: undefined, message: '', fields: [] };
  const error = jsonOf(answer, /^application\/json\b/) as {
    code: string;
    message?: string;
    details?: { type: string; value: string }[];
  };
  expect(error.code).toMatch(/^[a-z_]+$/);
  expect(['internal', 'unknown']).not.toContain(error.code);
  const details = (error.details ?? []).map(({ type, value }) => ({
    ...decoded(type, Buffer.from(value, 'base64')),
    '@type': `type.googleapis.com/${type}`,
  }));
  return { ...factsOf(error.message ?? '', details as Detail[]), status: answer.status, code: error.code };
}

/** Holds a gRPC answer against its form. Undefined when it is no error. */
export function grpcError(answer: GrpcAnswer): (ErrorFacts & { status: string }) | undefined {
  expect(['INTERNAL', 'UNKNOWN', 'DEADLINE_EXCEEDED', 'UNAVAILABLE']).not.toContain(answer.status);
  if (answer.status === 'OK') return undefined;
  const [bytes] = answer.trailers.get('grpc-status-details-bin');
  const status = Buffer.isBuffer(bytes) ? decoded('google.rpc.Status', bytes) : { details: [] };
  return { ...factsOf(answer.message, status.details as unknown as Detail[]), status: answer.status };
}
