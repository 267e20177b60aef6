import { setTimeout as sleep } from 'node:timers/promises';
import type { CallerFacts } from '../../../src/core/limits/admission.ts';
import type { Call, LoggedEvent, Reply } from '../../../src/core/model/call.ts';
import { A2AError, type GrpcStatusName } from '../../../src/core/model/errors.ts';
import type { Principal } from '../../../src/core/model/principal.ts';
import { bindingsOf } from '../../../src/dialects/kernel/bindings.ts';
import type { CodecContext } from '../../../src/dialects/kernel/codec.ts';
import type { EncodedStatus, Method, WireProtocol } from '../../../src/dialects/kernel/wire.ts';
import type { Operation } from '../../../src/gen/operations.ts';
import { encode } from '../../../src/wire/protobuf.ts';
import { type DescribedApi, packed, suitePackage, unpacked } from './descriptors.ts';

/** The service that the suite calls: it answers as its requests say, and with what it has seen of them. */

interface Header {
  readonly name: string;
  readonly value?: readonly string[];
}

interface Packed {
  readonly typeUrl: string;
  readonly value: string;
}

interface Failure {
  readonly code: string;
  readonly message?: string;
  readonly details?: readonly Packed[];
}

/** The response that a request asks for; bytes are base64. */
interface Definition {
  readonly responseHeaders?: readonly Header[];
  readonly responseTrailers?: readonly Header[];
  /** One of a unary answer, several of a stream. */
  readonly responseData?: string | readonly string[];
  readonly responseDelayMs?: number;
  readonly error?: Failure;
}

interface Request {
  readonly responseDefinition?: Definition;
  readonly fullDuplex?: boolean;
}

/** An error that a request asked for. */
class RequestedError extends Error {
  readonly failure: Failure;

  constructor(failure: Failure) {
    super(failure.message);
    this.failure = failure;
  }
}

const typeUrl = (name: string): string => `type.googleapis.com/${name}`;

export type SuiteService = ReturnType<typeof createService>;

export function createService(described: DescribedApi) {
  const { api } = described;
  const callers = new WeakMap<Principal, CallerFacts>();
  /** The contexts of calls in JSON. */
  const inJson = new WeakSet<CodecContext>();

  /** The binding as every service has it, but that JSON has a google.protobuf.Any in a form of its own. */
  const { grpc } = bindingsOf(api, { mediaType: 'application/json', atOnce: true });
  const methods = new Map(
    api.operations.map((operation) => [operation.rpc, withAny(operation, grpc.methods.get(operation.rpc) as Method)]),
  );

  function withAny({ request, response }: Operation, method: Method): Method {
    const written = (value: unknown, cx: CodecContext): unknown =>
      inJson.has(cx) ? unpacked(described, response, value as object) : value;
    const { result, stream } = method;
    return {
      ...method,
      request: {
        ...method.request,
        // A client that streams may end without a message.
        decode: (wire, cx) =>
          wire === undefined
            ? { request: undefined as never }
            : method.request.decode(packed(described, request, wire), cx),
      },
      ...(result && { result: { ...result, encode: (reply, cx) => written(result.encode(reply, cx), cx) } }),
      ...(stream?.event && {
        stream: {
          ...stream,
          event: { ...stream.event, encode: ({ event }, cx) => written(event, cx) },
        },
      }),
    };
  }

  const protocol: WireProtocol = {
    name: 'conformance',
    versions: [],
    extensionHeaders: [],
    ofGateway: true,
    grpc: { ...grpc, methods, encodeError },
  };

  /** Facts about the call so far, which the answer contains. */
  function infoOf({ operation, context }: Call, requests: readonly Request[]): object {
    const facts = callers.get(context.principal) as CallerFacts;
    const names = facts.headerNames().filter((name) => !name.startsWith(':'));
    return {
      requestHeaders: names.map((name) => ({ name, value: [facts.header(name) ?? ''] })),
      ...(context.deadline !== undefined && { timeoutMs: String(Math.round(context.deadline - Date.now())) }),
      requests: requestsOf(operation, requests),
    };
  }

  function requestsOf(rpc: string, requests: readonly Request[]): Packed[] {
    const { request: name } = api.operations.find((operation) => operation.name === rpc) as Operation;
    return requests.map((request) => ({
      typeUrl: typeUrl(name),
      value: Buffer.from(encode(api, name, request)).toString('base64'),
    }));
  }

  const infoType = `${suitePackage}.ConformancePayload.RequestInfo`;

  function failureWith(info: object, failure: Failure): A2AError {
    const value = Buffer.from(encode(api, infoType, info)).toString('base64');
    const details = [...(failure.details ?? []), { typeUrl: typeUrl(infoType), value }];
    return failed({ ...failure, details });
  }

  async function answer(call: Call): Promise<Reply> {
    const { signal } = call.context;
    const requests: Request[] = call.request ? [call.request as Request] : [];
    if (call.requests && !(isBidi(call) && requests[0]?.fullDuplex)) {
      for await (const request of call.requests) requests.push(request as Request);
    }
    const { responseData: data, responseDelayMs = 0, error } = applyDefinition(call, requests[0]);
    if (!isStreaming(call)) {
      await sleep(responseDelayMs, undefined, { signal });
      if (error) throw failureWith(infoOf(call, requests), error);
      const payload = { ...(data && { data }), requestInfo: infoOf(call, requests) };
      return { value: { payload } as never };
    }
    return { events: responses(call, requests, (data ?? []) as readonly string[], responseDelayMs, error) };
  }

  async function* responses(
    call: Call,
    requests: readonly Request[],
    data: readonly string[],
    delay: number,
    error: Failure | undefined,
  ): AsyncGenerator<LoggedEvent> {
    const further = requests[0]?.fullDuplex ? call.requests?.[Symbol.asyncIterator]() : undefined;
    let latest: readonly Request[] = requests;
    for (const [at, each] of data.entries()) {
      if (further && at > 0) {
        const next = await further.next();
        latest = next.done ? [] : [next.value as Request];
      }
      await sleep(delay, undefined, { signal: call.context.signal });
      const info = at === 0 ? infoOf(call, latest) : { requests: further ? requestsOf(call.operation, latest) : [] };
      yield eventOf({ payload: { data: each, requestInfo: info } });
    }
    if (error) throw data.length === 0 ? failureWith(infoOf(call, requests), error) : failed(error);
    if (further) while (!(await further.next()).done);
  }

  const operationOf = ({ operation }: Call): Operation =>
    api.operations.find(({ name }) => name === (operation as string)) as Operation;
  const isStreaming = (call: Call): boolean => operationOf(call).streaming;
  const isBidi = (call: Call): boolean => isStreaming(call) && operationOf(call).clientStreaming === true;

  return {
    protocol,
    /** Admits every caller, and remembers what it has sent. */
    admit(facts: CallerFacts): Principal {
      const principal = { id: 'suite', anonymous: false };
      callers.set(principal, facts);
      return principal;
    },
    answer(call: Call): Promise<Reply> {
      if ((call.operation as string) === 'Unimplemented') throw new A2AError('methodNotFound');
      const type = callers.get(call.context.principal)?.header('content-type') ?? '';
      if (type.includes('json')) inJson.add(call.context.notes);
      return answer(call);
    },
  };
}

/** Sets the metadata that the first request asks for. */
function applyDefinition({ context: { notes } }: Call, request: Request | undefined): Definition {
  const definition = request?.responseDefinition ?? {};
  const { responseHeaders = [], responseTrailers = [] } = definition;
  const flat = (headers: readonly Header[]): string[] =>
    headers.flatMap(({ name, value = [] }) => value.flatMap((each) => [name.toLowerCase(), each]));
  notes.headers = flat(responseHeaders);
  notes.trailers = flat(responseTrailers);
  return definition;
}

const eventOf = (event: object): LoggedEvent => ({
  seq: 1,
  at: 0,
  generation: 0,
  event: event as never,
  json: JSON.stringify(event),
});

const failed = (failure: Failure): A2AError =>
  new A2AError('internal', failure.message ?? '', { cause: new RequestedError(failure) });

/** The errors that requests ask for are sent as they are, and all others without details, which the suite does not expect. */
function encodeError(error: A2AError): EncodedStatus {
  if (!(error.cause instanceof RequestedError)) return { status: error.row.grpc, message: error.message, details: [] };
  const { code, message = '', details = [] } = error.cause.failure;
  const name = code.slice('CODE_'.length);
  return {
    status: (name === 'CANCELED' ? 'CANCELLED' : name) as GrpcStatusName,
    message,
    details: details.map((detail) => ({ typeUrl: detail.typeUrl, value: Buffer.from(detail.value ?? '', 'base64') })),
  };
}
