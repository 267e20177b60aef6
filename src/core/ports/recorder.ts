import type { AnswerSink, Call, Invoke, Reply } from '../model/call.ts';
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

/** Over gRPC: `stream` is that of Node. */
export interface AdmittedRpc extends AdmittedRequest {
  readonly path: string;
  /** Called where the call may be recorded. */
  readonly headers: () => FrameHeaders;
  readonly stream: AnswerSink;
}

/** Records calls as they are on the wire, while an operator wants that. Must not throw. */
export interface ActiveRecorder {
  http(exchange: AdmittedExchange): void;
  grpc(rpc: AdmittedRpc): void;
  /** Carries out a call, and records it where it is to be recorded. */
  invoke(call: Call, next: Invoke): Promise<Reply>;
}

/** Where calls pass a recorder. */
export interface Recorder {
  /** Undefined while nothing is recorded. */
  active: ActiveRecorder | undefined;
  /** Called when that begins and when it ends. */
  onActive: () => void;
}
