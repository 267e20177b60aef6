import type { AnswerSink } from '../model/call.ts';
import type { FrameHeaders } from '../model/frames.ts';
import type { Principal } from '../model/principal.ts';

/** A request whose caller is known and whose body has not been read. */
interface AdmittedRequest {
  readonly principal: Principal;
  readonly requestId: string;
}

/** Over HTTP: `req` and `res` are those of Node. */
export interface AdmittedExchange extends AdmittedRequest {
  /** The agent that path or host name. Undefined: the message may name another one. */
  readonly facts: { readonly agent?: string | undefined };
  readonly req: object;
  readonly res: AnswerSink;
}

/** Over gRPC: `stream` is Node's. */
export interface AdmittedRpc extends AdmittedRequest {
  readonly path: string;
  /** The headers, which are read only when they are needed. */
  readonly headers: () => FrameHeaders;
  readonly stream: AnswerSink;
}

/** Observes requests from outside whose callers are known, with their bytes on the wire. Must not throw. */
export interface ExchangeObserver {
  http(exchange: AdmittedExchange): void;
  grpc(rpc: AdmittedRpc): void;
}

/** The active observer. Undefined: no observer. */
export interface ActiveObserver {
  readonly active: ExchangeObserver | undefined;
}
