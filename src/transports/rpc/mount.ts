import type { Authenticate, CallerFacts } from '../../core/limits/admission.ts';
import { type MemoryBudget, Reservation } from '../../core/limits/memory-budget.ts';
import type { BindingKind, Invoke, ReplyNotes } from '../../core/model/call.ts';
import { A2AError } from '../../core/model/errors.ts';
import type { Principal } from '../../core/model/principal.ts';
import type { MessageReading } from '../../wire/counts.ts';
import { readingOf, requestIdOf } from '../http/call-head.ts';
import { RequestStream } from './request-stream.ts';
import { type Rpc, type RpcHead, type RpcsOfPath, rpcOfVersion } from './rpc.ts';
import { type AnswerSink, type Received, type RpcServer, type ServedCall, serveCall } from './serve-call.ts';

/** The rpcs of a gateway in a server of another library, which frames messages and keeps connections. */

export interface MountServer extends RpcServer {
  readonly authenticate: Authenticate;
  readonly http: RpcServer['http'] & { readonly budget: MemoryBudget };
}

export interface Mount {
  readonly rpcs: ReadonlyMap<string, RpcsOfPath>;
  /** Returns the server for the active configuration. Throws A2AError `unavailable` before the gateway has started. */
  server(): MountServer;
  /** The whole pipeline, for calls that are complete. Starts the gateway. */
  readonly invoke: Invoke;
}

/** Key of a gateway's mount: the same in every copy of the package. */
export const mountKey: unique symbol = Symbol.for('a2a-gateway.mount') as never;

export interface Mountable {
  readonly [mountKey]: Mount;
}

/** @throws TypeError for an object that is not a gateway */
export function mountOf(gateway: object): Mount {
  const { [mountKey]: mount } = gateway as Partial<Mountable>;
  if (!mount) throw new TypeError('This is no gateway: pass what createGateway has returned');
  return mount;
}

/** The pipeline of a gateway, for parts of the project that make complete calls. */
export const invokeOf = (gateway: object): Invoke => mountOf(gateway).invoke;

export type MountedFacts = CallerFacts & RpcHead & { readonly binding: Exclude<BindingKind, 'local'> };

/** One call, beginning with its head. Its caller can be authenticated before its message is read, and is authenticated once. */
export class MountedCall {
  readonly rpc: Rpc;
  readonly requestId: string;
  notes: ReplyNotes | undefined;
  readonly #mount: Mount;
  readonly #facts: MountedFacts;
  readonly #isServed: boolean;
  #principal: Promise<Principal> | undefined;

  /** @param admitted an earlier object for the same call, whose headers an interceptor may have changed since */
  constructor(mount: Mount, versions: RpcsOfPath, facts: MountedFacts, admitted?: MountedCall) {
    const named = rpcOfVersion(versions, facts.header('a2a-version')?.trim());
    this.#mount = mount;
    this.#facts = facts;
    this.#isServed = named !== undefined;
    this.rpc = named ?? versions[0];
    this.requestId = admitted?.requestId ?? requestIdOf(facts);
    if (admitted && this.#isServed) this.#principal = admitted.#principal;
  }

  /** Rejects with the A2AError that the caller gets. */
  admit(): Promise<Principal> {
    this.#principal ??= this.#authenticate();
    return this.#principal;
  }

  async #authenticate(): Promise<Principal> {
    const { authenticate, http } = this.#mount.server();
    const { remoteAddress: address, binding } = this.#facts;
    try {
      if (!this.#isServed) throw new A2AError('methodNotFound', 'The server has no such rpc');
      return await authenticate(this.#facts);
    } catch (thrown) {
      const error = A2AError.from(thrown);
      const { method, dialect } = this.rpc;
      const place = { operation: method.operation, dialect: dialect.name };
      http.meters.refused(binding, error, { requestId: this.requestId, address, ...place });
      throw error;
    }
  }

  /** Serves the call. Never rejects. */
  async serve<Out>(
    answer: AnswerSink<Out>,
    signal: AbortSignal,
    call: Pick<ServedCall<Out>, 'deadline'> & {
      read(reading: MessageReading): Received | Promise<Received>;
    },
  ): Promise<void> {
    let reservation: Reservation | undefined;
    try {
      const principal = await this.admit();
      const server = this.#mount.server();
      const { rpc, requestId } = this;
      const { binding, remoteAddress: address } = this.#facts;
      const onClose = (_: 'close', close: () => void) => signal.addEventListener('abort', close, { once: true });
      const target = { destroyed: signal.aborted, socket: { remoteAddress: address }, once: onClose };
      reservation = new Reservation(server.http.budget, principal, target);
      const head = { ...this.#facts, reservation };
      const known = { binding, head, principal, requestId, from: { address } };
      const read = () => call.read(readingOf(head, server.limits));
      const own = { deadline: call.deadline, read, answer: this.#watched(answer, server), signal: () => signal };
      await serveCall(server, rpc, { ...known, ...own });
    } catch (thrown) {
      answer.fail(A2AError.from(thrown));
    } finally {
      reservation?.close();
    }
  }

  /** Ends a stream whose client does not read. */
  #watched<Out>(answer: AnswerSink<Out>, { http, limits }: MountServer): AnswerSink<Out> {
    let cut: A2AError | undefined;
    const cutOff = (): void => {
      http.meters.slowReaders += 1;
      cut = new A2AError('tooManyRequests', 'The client reads the stream too slowly; subscribe again to resume');
      answer.fail(cut);
    };
    const unlessCut = (): void => {
      if (cut) throw cut;
    };
    return {
      ...answer,
      isOver: () => cut !== undefined || answer.isOver(),
      called: (notes) => {
        this.notes = notes;
        answer.called(notes);
      },
      send(message) {
        const reading = answer.send(message);
        if (!reading) return undefined;
        const timer = setTimeout(cutOff, limits.slowReader ?? 30_000);
        return reading.finally(() => clearTimeout(timer)).then(unlessCut);
      },
    };
  }
}

/** The messages of a client that streams. The library is read when they are taken. */
export async function receivedFrom(messages: AsyncIterable<unknown>, signal: AbortSignal): Promise<Received> {
  const requests = new RequestStream();
  const fail = (thrown: unknown): void => requests.fail(A2AError.from(thrown));
  const pump = async (): Promise<void> => {
    for await (const message of messages) await requests.push(() => message);
    requests.end();
  };
  pump().catch(fail);
  signal.addEventListener('abort', () => fail(signal.reason), { once: true });
  return { message: (await requests.next()).value, requests };
}
