import { A2AError } from '../../core/model/errors.ts';
import { isObject, own, sameJson } from '../../core/model/json.ts';
import type { Dialects } from '../kernel/detect.ts';
import { createRequestWriter } from '../kernel/http-request.ts';
import type { Method, WireProtocol } from '../kernel/wire.ts';
import { newContext } from './detect.ts';
import { type FrameBinding, methodsOf, type Reading } from './frame.ts';
import { readFrame, routeOf } from './read.ts';
import { type Parsed, parseFrame } from './text.ts';

/** A recorded request, as the admin service's `ListRecords` returns it. */
export interface RecordedRequest {
  readonly agent?: string;
  readonly dialect?: string;
  readonly binding?: string;
  readonly client?: {
    readonly request?: {
      readonly head?: string;
      readonly headers?: readonly { readonly name: string; readonly value?: string }[];
      readonly text?: string;
      readonly cut?: string | number;
    };
  };
}

/** A request of a client, its meaning, and the text that the gateway writes for it: the form of `test/golden`. */
export interface GoldenFrame {
  readonly name: string;
  readonly face?: 'rest' | 'grpc';
  readonly kind: 'request';
  /** Name of the method, or of the rpc over gRPC. */
  readonly of: string;
  readonly source: string;
  readonly counterpart?: { readonly userAgent: string };
  /** Verb and path of a request over HTTP+JSON. */
  readonly http?: string;
  readonly in: string;
  /** The request in A2A 1.0, without ids generated on reading. */
  readonly v1: unknown;
  /** The text that the gateway writes. Absent: the same text. */
  readonly out?: string;
}

/**
 * Returns a recorded request as a golden frame, for a bug report.
 *
 * @throws A2AError if it cannot be read, and `invalidRequest` if the recording is incomplete or lacks the binding
 */
export function goldenOf(
  dialects: Dialects,
  { agent = '', dialect: name, binding, client }: RecordedRequest,
): GoldenFrame {
  const { head = '', headers = [], text = '', cut = 0 } = client?.request ?? {};
  if (Number(cut) > 0) throw unusable('is not recorded whole');
  const dialect = dialects.list.find((one) => one.name === name);
  if (!dialect) throw unusable('is in no dialect of A2A');
  const userAgent = headers.find((header) => header.name.toLowerCase() === 'user-agent')?.value;
  const frame = own(readings, binding ?? '')?.(dialect, belowAgent(head, agent), text);
  if (!frame) throw unusable(`came over ${binding || 'no binding'}`);
  const { parsed, reading, method, ...more } = frame;
  const read = () => {
    const meaning = readFrame(parsed, reading, {
      ...newContext(),
      ...(userAgent !== undefined && { peerSoftware: { userAgent } }),
    });
    const { operation: _, id: __, ...decoded } = (meaning as unknown as { request: Record<string, unknown> }).request;
    return decoded;
  };
  const decoded = read();
  const encoded = method.request.encode(decoded as never, newContext());
  const out =
    reading.binding === 'rest' && dialect.rest
      ? (createRequestWriter(dialect.rest).write(method.operation, encoded).body ?? '')
      : JSON.stringify(encoded);
  const { in: received, ...place } = more;
  return {
    name: `a recorded ${method.name}`,
    ...(reading.binding !== 'jsonrpc' && { face: reading.binding }),
    kind: 'request',
    of: method.name,
    source: userAgent ?? 'a client that does not name itself',
    ...(userAgent !== undefined && { counterpart: { userAgent } }),
    ...place,
    in: received,
    v1: agreed(decoded, read()),
    ...(out !== received && { out }),
  };
}

/** Returns the first line of a request without the path before the binding's: a prefix, the agent, and the dialect. */
function belowAgent(head: string, agent: string): string {
  const [verb = '', target = '', ...version] = head.split(' ');
  const at = agent === '' ? -1 : pathOf(target).lastIndexOf(`/${agent}/`);
  const below = at < 0 ? target : target.slice(at + agent.length + 1);
  return [verb, below.replace(/^\/as\/[\w.-]+\//, '/'), ...version].join(' ');
}

const pathOf = (target: string): string => target.split('?', 1)[0] as string;

const unusable = (why: string): A2AError => new A2AError('invalidRequest', `The request ${why}`);

interface ReadableFrame extends Pick<GoldenFrame, 'in' | 'http'> {
  readonly parsed: Parsed;
  readonly reading: Reading;
  readonly method: Method;
}

type ReadRecorded = (dialect: WireProtocol, head: string, text: string) => ReadableFrame;

function ofMethod(dialect: WireProtocol, binding: FrameBinding, name: string, params: unknown): ReadableFrame {
  const method = methodsOf(dialect, binding).find((one) => one.name === name);
  if (!method) throw unusable(`names a method that ${dialect.name} does not have: ${name.slice(0, 64)}`);
  const reading = { dialect, binding, type: 'params', method } as const;
  return { parsed: { json: { value: params } }, reading, method, in: JSON.stringify(params) };
}

const readRpc: ReadRecorded = (dialect, head, text) => {
  const rpc = pathOf(head.split(' ')[1] ?? '')
    .split('/')
    .at(-1) as string;
  const [first = ''] = text.split('\n', 1);
  return ofMethod(dialect, 'grpc', rpc, parseFrame(first || '{}').json?.value);
};

/** Readers of requests, by binding. */
const readings: Readonly<Record<string, ReadRecorded>> = {
  jsonrpc(dialect, _, text) {
    const { value } = parseFrame(text).json ?? {};
    if (!isObject(value) || typeof value.method !== 'string') throw unusable('is no request of JSON-RPC');
    return ofMethod(dialect, 'jsonrpc', value.method, value.params ?? {});
  },
  rest(dialect, head, text) {
    const parsed = parseFrame(`${head}\n\n${text}`);
    const route = parsed.http && dialect.rest && routeOf(dialect.rest, parsed.http);
    if (!parsed.http || !route) throw unusable(`is for no path of ${dialect.name}`);
    const { value, path, query } = route;
    const reading = { dialect, binding: 'rest', type: 'request' } as const;
    const http = `${parsed.http.verb} ${path}${query === '' ? '' : `?${query}`}`;
    return { parsed, reading, method: value.method, http, in: text };
  },
  grpc: readRpc,
  connect: readRpc,
  'grpc-web': readRpc,
};

/** Returns the common part of two values: ids generated on reading differ. */
function agreed(one: unknown, other: unknown): unknown {
  if (Array.isArray(one) && Array.isArray(other)) return one.map((item, at) => agreed(item, other[at]));
  if (!isObject(one) || !isObject(other)) return one;
  const same = Object.entries(one).filter(
    ([name, value]) => isObject(value) || Array.isArray(value) || sameJson(value, own(other, name)),
  );
  return Object.fromEntries(same.map(([name, value]) => [name, agreed(value, own(other, name))]));
}
