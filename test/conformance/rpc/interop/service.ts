import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { buildImage } from '../../../../codegen/image.ts';
import type { CallerFacts } from '../../../../src/core/limits/admission.ts';
import type { Call, LoggedEvent, Reply } from '../../../../src/core/model/call.ts';
import { A2AError, type GrpcStatusName, grpcStatus } from '../../../../src/core/model/errors.ts';
import type { Principal } from '../../../../src/core/model/principal.ts';
import { bindingsOf } from '../../../../src/dialects/kernel/bindings.ts';
import type { Method, WireProtocol } from '../../../../src/dialects/kernel/wire.ts';
import { describeApi } from '../descriptors.ts';

/** The service of gRPC's interoperability cases, as its authors describe it. */

interface Status {
  readonly code?: number;
  readonly message?: string;
}

interface Request {
  readonly responseSize?: number;
  readonly responseStatus?: Status;
  readonly responseParameters?: readonly { readonly size?: number; readonly intervalUs?: number }[];
  readonly payload?: { readonly body?: string };
}

/** Metadata that is sent back, in the headers and in the trailers. */
export const echoed = { initial: 'x-grpc-test-echo-initial', trailing: 'x-grpc-test-echo-trailing-bin' } as const;

const image = buildImage(fileURLToPath(new URL('./proto', import.meta.url)));
export const { api } = describeApi(image, 'grpc.testing.TestService', ['testing.proto']);

/** The gRPC binding that every service has. */
export const { grpc } = bindingsOf(api, { mediaType: 'application/json', atOnce: true });

export const payloadOf = (size = 0): object => ({ body: Buffer.alloc(size).toString('base64') });

export function createTestService() {
  const callers = new WeakMap<Principal, CallerFacts>();
  const methods = new Map([...grpc.methods].map(([rpc, method]) => [rpc, withoutMessages(method)]));
  const protocol: WireProtocol = {
    name: 'interop',
    versions: [],
    extensionHeaders: [],
    ofGateway: true,
    grpc: { ...grpc, methods, encodeError },
  };
  return {
    protocol,
    /** Admits every caller, and remembers what it has sent. */
    admit(facts: CallerFacts): Principal {
      const principal = { id: 'interop', anonymous: false };
      callers.set(principal, facts);
      return principal;
    },
    async answer(call: Call): Promise<Reply> {
      const { context, request } = call;
      const facts = callers.get(context.principal);
      context.notes.headers = echo(facts, echoed.initial);
      context.notes.trailers = echo(facts, echoed.trailing);
      const value = await answers[call.operation as string]?.(call, (request ?? {}) as Request);
      if (!value) throw new A2AError('methodNotFound');
      return value;
    },
  };
}

/** A client that streams may end without a message. */
const withoutMessages = (method: Method): Method => ({
  ...method,
  request: {
    ...method.request,
    decode: (wire, cx) => (wire === undefined ? { request: undefined as never } : method.request.decode(wire, cx)),
  },
});

function echo(facts: CallerFacts | undefined, name: string): string[] {
  const value = facts?.header(name);
  return value === undefined ? [] : [name, value];
}

type Answer = (call: Call, request: Request) => Reply | Promise<Reply>;

const replyWith = (value: object): Reply => ({ value: value as never });

const answers: Readonly<Record<string, Answer>> = {
  EmptyCall: () => replyWith({}),
  UnaryCall: (_, { responseStatus, responseSize }) => {
    refuse(responseStatus);
    return replyWith({ payload: payloadOf(responseSize) });
  },
  async StreamingInputCall(call) {
    let size = 0;
    for await (const { payload } of requestsOf(call)) size += Buffer.from(payload?.body ?? '', 'base64').length;
    return replyWith({ aggregatedPayloadSize: size });
  },
  StreamingOutputCall: (call) => ({ events: responses(call) }),
  FullDuplexCall: (call) => ({ events: responses(call) }),
};

async function* requestsOf({ request, requests }: Call): AsyncGenerator<Request> {
  if (request) yield request as Request;
  if (requests) yield* requests as AsyncIterable<Request>;
}

async function* responses(call: Call): AsyncGenerator<LoggedEvent> {
  for await (const { responseStatus, responseParameters = [] } of requestsOf(call)) {
    refuse(responseStatus);
    for (const { size, intervalUs = 0 } of responseParameters) {
      if (intervalUs > 0) await sleep(intervalUs / 1_000, undefined, { signal: call.context.signal });
      const event = { payload: payloadOf(size) };
      yield { seq: 1, at: 0, generation: 0, event: event as never, json: JSON.stringify(event) };
    }
  }
}

/** An error that a request asked for. */
class RequestedError extends Error {
  readonly status: GrpcStatusName;

  constructor(code: number, message: string) {
    super(message);
    this.status = Object.entries(grpcStatus).find(([, each]) => each === code)?.[0] as GrpcStatusName;
  }
}

function refuse({ code = 0, message = '' }: Status = {}): void {
  if (code !== 0) throw new A2AError('internal', message, { cause: new RequestedError(code, message) });
}

/** The errors that requests ask for are sent as they are; all others as usual. */
const encodeError = ({ cause, row, message }: A2AError): { status: GrpcStatusName; message: string } =>
  cause instanceof RequestedError ? { status: cause.status, message: cause.message } : { status: row.grpc, message };
