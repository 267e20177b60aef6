import {
  type CallOptions,
  type Client,
  type ClientReadableStream,
  type ClientUnaryCall,
  Metadata,
  type ServiceError,
  status,
} from '@grpc/grpc-js';
import { A2AError } from '../core/model/errors.ts';
import { decodeStatus } from '../dialects/kernel/rpc-status.ts';
import { type AnswerFacts, AnswerReader, type CallFacts, errorOfStatus, requestHeaders } from './facts.ts';

export { A2AError, type ErrorKind } from '../core/model/errors.ts';
export type { AnswerFacts, CallFacts } from './facts.ts';

/** Options of a call. */
export interface GrpcCallOptions extends CallFacts {
  /** Cancels the call. */
  readonly signal?: AbortSignal;
  /** Milliseconds that the whole call may take. Default: any time. */
  readonly timeout?: number;
}

type Unary<Request, Response> = (
  request: Request,
  metadata: Metadata,
  options: Partial<CallOptions>,
  callback: (error: ServiceError | null, response: Response) => void,
) => ClientUnaryCall;

type Streaming<Request, Response> = (
  request: Request,
  metadata?: Metadata,
  options?: Partial<CallOptions>,
) => ClientReadableStream<Response>;

/** Names of the rpcs of a client that answer with a stream. */
export type StreamingRpc<C> = {
  [K in keyof C]: C[K] extends Streaming<never, unknown> ? K : never;
}[Exclude<keyof C, keyof Client>];

/** Names of the rpcs of a client that answer with one message. */
export type UnaryRpc<C> = Exclude<keyof C, keyof Client | StreamingRpc<C>>;

/** The request type of an rpc. */
export type RequestOf<C, K extends keyof C> = C[K] extends (request: infer Q, ...rest: never[]) => unknown ? Q : never;

/** The response type of an rpc; of each event if it streams. */
export type ResponseOf<C, K extends keyof C> =
  C[K] extends Streaming<never, infer R> ? R : C[K] extends Unary<never, infer R> ? R : never;

/** Returns the metadata of a call: the version of the protocol, and the caller's facts. */
export function metadataOf(client: Client, facts: CallFacts = {}): Metadata {
  const metadata = new Metadata();
  const { serviceName = '' } = client.constructor as { serviceName?: string };
  for (const [name, value] of Object.entries(requestHeaders(serviceName, facts))) metadata.set(name, value);
  return metadata;
}

/**
 * Calls an rpc that answers with one message. Rejects with an A2AError.
 *
 * ```ts
 * import { credentials } from '@grpc/grpc-js';
 * import { A2AError, A2AServiceClient, unary } from 'a2a-gateway/grpc';
 *
 * const client = new A2AServiceClient('localhost:8080', credentials.createInsecure());
 * try {
 *   const { response, losses } = await unary(client, 'cancelTask', { id: 'task-1' }, { timeout: 5_000 });
 *   console.log(response.status?.state, losses);
 * } catch (error) {
 *   if (error instanceof A2AError && error.kind === 'taskNotCancelable') console.log('it has ended');
 *   else throw error;
 * }
 * ```
 */
export async function unary<C extends Client, K extends UnaryRpc<C> & string>(
  client: C,
  rpc: K,
  request: RequestOf<C, K>,
  options: GrpcCallOptions = {},
): Promise<{ readonly response: ResponseOf<C, K> } & AnswerFacts> {
  const facts = new AnswerReader();
  const send = (client[rpc] as Unary<RequestOf<C, K>, ResponseOf<C, K>>).bind(client);
  let forget = (): void => {};
  const answered = new Promise<ResponseOf<C, K>>((resolve, reject) => {
    const call = send(request, metadataOf(client, options), deadlineOf(options), (error, response) =>
      error ? reject(failureOf(error, options)) : resolve(response),
    );
    forget = attach(call, facts, options);
  });
  // The status, with the trailers, is emitted after the callback, before this goes on.
  const response = await answered.finally(forget);
  return { response, extensions: facts.extensions, losses: facts.losses };
}

/** The events of a stream, and the agent's facts: extensions from the first event on, losses at the end. */
export interface EventStream<Event> extends AsyncIterable<Event>, AnswerFacts {}

/**
 * Calls an rpc that answers with a stream. The iteration throws an A2AError; leaving it cancels the call.
 *
 * ```ts
 * import { credentials } from '@grpc/grpc-js';
 * import { A2AServiceClient, stream } from 'a2a-gateway/grpc';
 *
 * const client = new A2AServiceClient('localhost:8080', credentials.createInsecure());
 * for await (const event of stream(client, 'subscribeToTask', { id: 'task-1' })) {
 *   if (event.artifactUpdate) console.log(event.artifactUpdate.artifact?.parts);
 * }
 * ```
 */
export function stream<C extends Client, K extends StreamingRpc<C> & string>(
  client: C,
  rpc: K,
  request: RequestOf<C, K>,
  options: GrpcCallOptions = {},
): EventStream<ResponseOf<C, K>> {
  const facts = new AnswerReader();
  const send = (client[rpc] as Streaming<RequestOf<C, K>, ResponseOf<C, K>>).bind(client);
  const call = send(request, metadataOf(client, options), deadlineOf(options));
  const forget = attach(call, facts, options);
  // An error before the iteration begins: the library emits it once, and ends the process if nothing listens.
  let failure: unknown;
  call.on('error', (error) => {
    failure = error;
  });
  return {
    async *[Symbol.asyncIterator]() {
      try {
        for await (const event of call) yield event;
        if (failure !== undefined) throw failure;
      } catch (error) {
        throw failureOf(error, options);
      } finally {
        forget();
        call.cancel();
      }
    },
    get extensions() {
      return facts.extensions;
    },
    get losses() {
      return facts.losses;
    },
  };
}

/** Returns the error of a call, as an A2AError with its kind, details, faulty fields, and the time to retry. */
export function errorOf(thrown: unknown): A2AError {
  if (!isServiceError(thrown)) return A2AError.from(thrown);
  const { code, details: message, metadata } = thrown;
  const [packed] = metadata.get('grpc-status-details-bin');
  const details = (packed instanceof Buffer && decodeStatus(packed)?.details) || [];
  return errorOfStatus({ code, message, details }, reading(metadata)('retry-after'), thrown);
}

/** The error of a call. The server may say first that the time is over which the caller has given: that is the same error. */
function failureOf(thrown: unknown, { timeout }: GrpcCallOptions): A2AError {
  const error = errorOf(thrown);
  if (error.kind !== 'deadlineExceeded' || timeout === undefined) return error;
  return new A2AError('upstreamTimeout', `The agent did not answer within ${timeout} ms`, { cause: error });
}

const isServiceError = (thrown: unknown): thrown is ServiceError =>
  thrown instanceof Error && 'code' in thrown && Number(thrown.code) in status && 'metadata' in thrown;

const reading =
  (metadata: Metadata) =>
  (name: string): string | undefined => {
    const values = metadata.get(name);
    return values.length === 0 ? undefined : values.join(', ');
  };

const deadlineOf = ({ timeout }: GrpcCallOptions): Partial<CallOptions> =>
  timeout === undefined ? {} : { deadline: Date.now() + timeout };

/**
 * Reads the headers and trailers of a call, and cancels it when the signal is aborted. Returns a function that detaches
 * the signal.
 */
function attach(call: SurfaceCall, facts: AnswerReader, { signal }: GrpcCallOptions): () => void {
  call.on('metadata', (received: Metadata) => facts.read(reading(received)));
  call.on('status', ({ metadata }: { readonly metadata: Metadata }) => facts.read(reading(metadata)));
  const cancel = (): void => call.cancel();
  if (signal?.aborted) cancel();
  signal?.addEventListener('abort', cancel, { once: true });
  return () => signal?.removeEventListener('abort', cancel);
}

type SurfaceCall = Pick<ClientUnaryCall, 'cancel' | 'on'>;
