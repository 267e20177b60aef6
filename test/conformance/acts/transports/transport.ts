import type { ErrorForm } from '../errors.ts';
import type { Binding } from '../read.ts';
import { isMap, type Value } from '../values.ts';

/** An error as a binding carried it. */
export interface WireError {
  readonly message: string;
  /** The code of JSON-RPC, the status of HTTP, or the name of gRPC's status. */
  readonly code: Value;
  /** The reason in google.rpc.ErrorInfo. */
  readonly reason?: string | undefined;
  /** `data` of JSON-RPC, and the details of the other bindings. */
  readonly data?: Value;
}

/** The answer to a call. */
export interface Reply {
  /** The status of HTTP; of gRPC 200 for OK. */
  readonly status: Value;
  readonly headers: Readonly<Record<string, string>>;
  /** The object of A2A; with an error `{ error }`. */
  readonly body: Value;
  readonly error?: WireError;
}

/** A stream that was opened. */
export interface EventStream {
  /** The events as ProtoJSON. Throws Refused where the call is refused, or the stream breaks off with an error. */
  readonly events: AsyncIterable<Value>;
  /** Goes away without waiting for the end. */
  close(): void;
}

/** A stream, or a call, that was answered with an error. */
export class Refused extends Error {
  readonly error: WireError;

  constructor(error: WireError) {
    super(error.message);
    this.error = error;
  }
}

/** One binding of the server under test. */
export interface Transport {
  readonly binding: Binding;
  /** @param rpc the name of the operation in the proto, such as `GetTask` */
  call(rpc: string, params: Value): Promise<Reply>;
  stream(rpc: string, params: Value): EventStream;
  close(): void;
}

/** Milliseconds for a call, and for an event of a stream. */
export const timeoutMs = 20_000;

/** The server under test. */
export interface Endpoint {
  /** Base URL without a slash at its end. */
  readonly origin: string;
  /** Headers that show the runner's credentials, and the version of A2A. */
  readonly headers: Readonly<Record<string, string>>;
}

/** Whether an error is of a kind: by its code, or by its status with the reason, since several kinds share a status. */
export function isOfKind({ code, reason }: WireError, form: ErrorForm, binding: Binding): boolean {
  const hasReason = form.reason === undefined || reason === form.reason;
  switch (binding) {
    case 'jsonrpc':
      return code === form.jsonrpc && (reason === undefined || hasReason);
    case 'rest':
      return code === form.http && hasReason;
    case 'grpc':
      return code === form.grpc && hasReason;
  }
}

/** The reason of the ErrorInfo among the details of an error. */
export function reasonIn(details: Value): string | undefined {
  const info = (Array.isArray(details) ? details : []).find(
    (each) => isMap(each) && String(each['@type']).endsWith('google.rpc.ErrorInfo'),
  );
  return isMap(info) ? String(info.reason) : undefined;
}

export const failed = (status: Value, headers: Reply['headers'], error: WireError): Reply => ({
  status,
  headers,
  body: { error },
  error,
});

/** Reads JSON; undefined for what is none. */
export function jsonOf(text: string): Value {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
