import type { CheckOperation } from '../../core/limits/admission.ts';
import type { CountLimits } from '../../core/limits/counts.ts';
import { logFailure } from '../../core/middleware/logging.ts';
import {
  type BindingKind,
  type CallContext,
  type Invoke,
  isStream,
  type Reply,
  type ReplyNotes,
  type UnaryReply,
} from '../../core/model/call.ts';
import { A2AError } from '../../core/model/errors.ts';
import type { Principal } from '../../core/model/principal.ts';
import type { AgentDirectory } from '../../core/ports/agent-directory.ts';
import type { Logger } from '../../core/ports/logger.ts';
import type { Meters, RefusedRequest } from '../../core/telemetry/meters.ts';
import { inWireNames } from '../../dialects/kernel/errors.ts';
import type { WireProtocol } from '../../dialects/kernel/wire.ts';
import { lossList } from '../http/call-head.ts';
import { encodeInTurns } from '../http/headers.ts';
import { metadataOf, statusHeaders } from './errors.ts';
import { checkHead, createCall, headerText, type Rpc, type RpcCaller } from './rpc.ts';
import { endIteration, type MessageSink, type StreamWriting, writeEvents, writingFor } from './stream.ts';

/** Serves a call of an rpc for any server that reads its messages and writes its answer. */

export interface RpcServer {
  /** Dialects to serve; one without a gRPC binding is left out. */
  readonly dialects: readonly WireProtocol[];
  readonly agents: AgentDirectory;
  readonly invoke: Invoke;
  /** Called before the message is read. Default: every operation is allowed. */
  readonly checkOperation?: CheckOperation;
  readonly http: { readonly logger: Logger; readonly meters: Meters };
  readonly limits: {
    /** Bytes of a request message, uncompressed. */
    readonly body: number;
    /** Parts, keys and values of a request message. Default: `requestCounts`. */
    readonly counts?: CountLimits;
    /** Milliseconds that a stream waits for a slow client. Default 30,000. */
    readonly slowReader?: number;
  };
}

/** The messages of a request, decoded: the first one, and the further ones of a client that streams. */
export interface Received extends Pick<RpcCaller, 'requests'> {
  readonly message: unknown;
}

/** Writes the answer of one call. */
export interface AnswerSink<Out> extends MessageSink<Out> {
  /** Called once the request is valid, before the answer: its head and trailers contain the notes. */
  called(notes: ReplyNotes): void;
  /** Encodes the one message of a unary answer. If it is absent or returns undefined, `encode` is used. */
  encodeReply?(reply: UnaryReply, context: CallContext): Out | Promise<Out> | undefined;
  /** Sends the one message of a unary answer, and ends it. */
  value(message: Out): void;
  /** Ends the answer with an error, regardless of what was sent before. */
  fail(error: A2AError): void;
}

/** A call whose caller is known. */
export interface ServedCall<Out> extends Omit<RpcCaller, 'requests' | 'deadline'> {
  readonly binding: Exclude<BindingKind, 'local'>;
  readonly principal: Principal;
  /** Facts about the request, for the log and the metrics of refused requests. */
  readonly from?: RefusedRequest;
  /**
   * Returns the time when the caller's timeout ends, in milliseconds since the epoch. Throws A2AError if it is
   * malformed.
   */
  readonly deadline: () => number | undefined;
  /** Reads the request. */
  readonly read: () => Received | Promise<Received>;
  readonly answer: AnswerSink<Out>;
}

/** Serves one call, once its caller is authenticated. Never rejects: errors are sent to the client. */
export async function serveCall<Out>(server: RpcServer, rpc: Rpc, served: ServedCall<Out>): Promise<void> {
  const { agents, dialects, http, invoke, checkOperation, limits } = server;
  const { answer, binding, from, principal, requestId, signal } = served;
  const { dialect, method, operation } = rpc;
  /** The core logs its own failures. A failure before that is counted as a refused request, and names fields as the wire does. */
  let stage: 'request' | 'core' | 'answer' = 'request';
  try {
    const deadline = served.deadline();
    checkHead(rpc, served.head, dialects);
    checkOperation?.(principal, method.operation, requestId);
    const { message, requests } = await served.read();
    const caller = { binding, head: served.head, principal, requestId, signal, deadline, requests };
    const call = createCall(rpc, agents, message, caller);
    const { context } = call;
    answer.called(context.notes);
    stage = 'core';
    const reply = await invoke(call);
    stage = 'answer';
    const { slowReader = 30_000 } = limits;
    const writing = writingFor(context, slowReader, http.meters.streamsOf(binding));
    await writeReply(rpc, reply, served, { context, writing });
  } catch (thrown) {
    let error = A2AError.from(thrown);
    const place = { operation: method.operation, dialect: dialect.name };
    if (stage === 'request') http.meters.refused(binding, error, { requestId, principal, ...from, ...place });
    else error = inWireNames(error, method);
    if (stage !== 'core' && !answer.isOver()) {
      const facts = { request: requestId, binding, dialect: dialect.name, operation: operation.name };
      logFailure(http.logger, error, { ...facts, principal: principal.id });
    }
    answer.fail(error);
  }
}

async function writeReply<Out>(
  rpc: Rpc,
  reply: Reply,
  { answer, signal }: ServedCall<Out>,
  { context, writing }: { readonly context: CallContext; readonly writing: StreamWriting },
): Promise<void> {
  let failure: A2AError | undefined;
  try {
    if (isStream(reply)) {
      const events = reply.events[Symbol.asyncIterator]();
      const leave = (): void => endIteration(events);
      signal().addEventListener('abort', leave, { once: true });
      await writeEvents(rpc, events, answer, writing).finally(() => signal().removeEventListener('abort', leave));
      return;
    }
    const encoded = answer.encodeReply?.(reply, context) ?? encodeReply(rpc, reply, context, answer.encode);
    answer.value(encoded instanceof Promise ? await encoded : encoded);
  } catch (thrown) {
    failure = A2AError.from(thrown);
    throw failure;
  } finally {
    context.notes.onAnswered?.(failure);
  }
}

/**
 * Encodes the message of a unary answer. Returns a promise only for a large one, which is parsed in several turns of the event
 * loop.
 */
export function encodeReply<Out>(
  rpc: Rpc,
  reply: UnaryReply,
  context: CallContext,
  encode: (message: object) => Out,
): Out | Promise<Out> {
  const { result } = rpc.method;
  if (!result) throw new Error(`${rpc.operation.grpcPath} streams, but its reply does not`);
  return encodeInTurns(reply, context, (whole) => encode(result.encode(whole, context.notes) as object));
}

/**
 * The metadata before an answer, as a flat list of names and values.
 *
 * @param alsoOld whether extensions are also named in the header of 0.3, because the caller has used it
 */
export function headOf(
  { dialect }: Rpc,
  requestId: string,
  notes: Partial<Pick<ReplyNotes, 'headers' | 'extensions'>> | undefined,
  alsoOld = false,
): string[] {
  const head = ['x-request-id', requestId];
  const [version] = dialect.versions;
  if (version !== undefined) head.push('a2a-version', version);
  if (notes?.headers) head.push(...notes.headers);
  if (notes?.extensions && notes.extensions.size > 0) {
    const uris = headerText([...notes.extensions].join(', '));
    const names = new Set(dialect.extensionHeaders.map((name) => name.toLowerCase()));
    if (alsoOld) names.add('x-a2a-extensions');
    for (const name of names) head.push(name, uris);
  }
  return head;
}

/**
 * The metadata after an answer, as a flat list: the entries of handlers, and the paths that were dropped, which are known only at
 * the end of a stream.
 */
export function trailersOf(notes: ReplyNotes | undefined): readonly string[] {
  const losses = lossList(notes);
  const own = notes?.trailers ?? [];
  return losses === '' ? own : [...own, 'a2a-gateway-loss', losses];
}

/**
 * The metadata of an error: status, details, and the entries of every answer. Entries of the head are left out if they were
 * already sent.
 */
export const failureOf = (
  rpc: Rpc,
  error: A2AError,
  { requestId, notes, isWhole }: { requestId: string; notes: ReplyNotes | undefined; isWhole: boolean },
): Record<string, string | string[]> => ({
  ...statusHeaders(error, rpc.statusOfError),
  ...metadataOf(headOf(rpc, requestId, isWhole ? { headers: notes?.headers ?? [] } : undefined)),
  ...metadataOf(trailersOf(notes)),
});
