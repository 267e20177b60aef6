import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import { gunzipSync } from 'node:zlib';
import { BinaryReader, WireType } from '@bufbuild/protobuf/wire';
import { bytesOf, listenOn } from './peer.ts';

/** A receiver of OTLP over HTTP, in protobuf, as collectors are. */

export interface ReceivedSpan {
  readonly traceId: string;
  readonly spanId: string;
  /** '' where it has none. */
  readonly parentId: string;
  readonly traceState: string;
  readonly name: string;
  /** 1 internal, 2 server, 3 client. */
  readonly kind: number;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly events: readonly { readonly name: string; readonly attributes: Readonly<Record<string, unknown>> }[];
  readonly links: readonly { readonly traceId: string; readonly spanId: string }[];
  /** 0 unset, 2 error. */
  readonly status: number;
  /** Nanoseconds. */
  readonly start: bigint;
  readonly end: bigint;
  /** Of the service that it came from. */
  readonly resource: Readonly<Record<string, unknown>>;
}

/** A data point of a metric. */
export interface ReceivedPoint {
  readonly attributes: Readonly<Record<string, unknown>>;
  /** Nanoseconds. */
  readonly start: bigint;
  readonly time: bigint;
  /** Of a histogram: the sum. */
  readonly value: number;
  readonly count?: number;
  readonly bounds?: readonly number[];
  readonly buckets?: readonly number[];
}

export interface ReceivedMetric {
  readonly name: string;
  readonly description: string;
  readonly type: 'gauge' | 'sum' | 'histogram';
  /** 2 cumulative. */
  readonly temporality: number;
  readonly isMonotonic: boolean;
  readonly points: readonly ReceivedPoint[];
  readonly resource: Readonly<Record<string, unknown>>;
}

export interface ReceivedLog {
  /** Nanoseconds. */
  readonly time: bigint;
  readonly severity: number;
  readonly severityText: string;
  readonly body: unknown;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly traceId: string;
  readonly spanId: string;
  readonly resource: Readonly<Record<string, unknown>>;
}

/** Fields of a message by their numbers: where the wire has something else, it is passed over. */
type Fields = Map<number, unknown[]>;

function fieldsOf(bytes: Uint8Array): Fields {
  const reader = new BinaryReader(bytes);
  const fields: Fields = new Map();
  while (reader.pos < reader.len) {
    const [number, type] = reader.tag();
    let value: unknown;
    if (type === WireType.LengthDelimited) value = reader.bytes();
    else if (type === WireType.Bit64) value = reader.fixed64();
    else if (type === WireType.Varint) value = reader.int64();
    else if (type === WireType.Bit32) value = reader.fixed32();
    else throw new TypeError(`wire type ${type}`);
    fields.set(number, [...(fields.get(number) ?? []), value]);
  }
  return fields;
}

const all = (fields: Fields, number: number): Fields[] =>
  (fields.get(number) ?? []).map((value) => fieldsOf(value as Uint8Array));
const hex = (fields: Fields, number: number): string =>
  Buffer.from((fields.get(number)?.[0] as Uint8Array | undefined) ?? []).toString('hex');
const text = (fields: Fields, number: number): string =>
  Buffer.from((fields.get(number)?.[0] as Uint8Array | undefined) ?? []).toString();

function doubleOf(fixed: unknown): number {
  const bits = Buffer.alloc(8);
  bits.writeBigUInt64LE(BigInt(fixed as bigint));
  return bits.readDoubleLE();
}

/** The elements of a packed field, 8 bytes each. */
function packed(fields: Fields, number: number): bigint[] {
  const bytes = Buffer.from((fields.get(number)?.[0] as Uint8Array | undefined) ?? []);
  return Array.from({ length: bytes.length / 8 }, (_, at) => bytes.readBigUInt64LE(at * 8));
}

/** AnyValue of opentelemetry/proto/common/v1. */
function anyValue(any: Fields): unknown {
  if (any.has(1)) return text(any, 1);
  if (any.has(2)) return Boolean(Number(any.get(2)?.[0]));
  if (any.has(3)) return Number(any.get(3)?.[0]);
  if (any.has(4)) return doubleOf(any.get(4)?.[0]);
  if (any.has(6)) return all(any, 6).map((pairs) => attributesOf(pairs, 1))[0];
  return all(any, 5).flatMap((list) => all(list, 1).map(anyValue));
}

const attributesOf = (fields: Fields, number: number): Record<string, unknown> =>
  Object.fromEntries(all(fields, number).map((pair) => [text(pair, 1), all(pair, 2).map(anyValue)[0]]));

/** Returns the content of a request's resources and scopes, with the attributes of the resource. */
const scoped = <T>(body: Uint8Array, read: (one: Fields, resource: Readonly<Record<string, unknown>>) => T): T[] =>
  all(fieldsOf(body), 1).flatMap((of) => {
    const resource = all(of, 1).map((each) => attributesOf(each, 1))[0] ?? {};
    return all(of, 2).flatMap((scope) => all(scope, 2).map((one) => read(one, resource)));
  });

/** The spans of an ExportTraceServiceRequest. */
const spansOf = (body: Uint8Array): ReceivedSpan[] =>
  scoped(body, (span, resource) => ({
    traceId: hex(span, 1),
    spanId: hex(span, 2),
    traceState: text(span, 3),
    parentId: hex(span, 4),
    name: text(span, 5),
    kind: Number(span.get(6)?.[0] ?? 0),
    start: BigInt(span.get(7)?.[0] as bigint),
    end: BigInt(span.get(8)?.[0] as bigint),
    attributes: attributesOf(span, 9),
    events: all(span, 11).map((event) => ({ name: text(event, 2), attributes: attributesOf(event, 3) })),
    links: all(span, 13).map((link) => ({ traceId: hex(link, 1), spanId: hex(link, 2) })),
    status: Number(all(span, 15)[0]?.get(3)?.[0] ?? 0),
    resource,
  }));

const kindsOfMetrics = [
  [5, 'gauge'],
  [7, 'sum'],
  [9, 'histogram'],
] as const;

/** The metrics of an ExportMetricsServiceRequest. */
const metricsOf = (body: Uint8Array): ReceivedMetric[] =>
  scoped(body, (metric, resource) => {
    const [number, type] = kindsOfMetrics.find(([each]) => metric.has(each)) ?? [0, 'gauge'];
    const data = all(metric, number)[0] ?? new Map();
    const points = all(data, 1).map((point) => ({
      attributes: attributesOf(point, type === 'histogram' ? 9 : 7),
      start: BigInt(point.get(2)?.[0] as bigint),
      time: BigInt(point.get(3)?.[0] as bigint),
      value: doubleOf(point.get(type === 'histogram' ? 5 : 4)?.[0]),
      ...(type === 'histogram' && {
        count: Number(point.get(4)?.[0]),
        buckets: packed(point, 6).map(Number),
        bounds: packed(point, 7).map(doubleOf),
      }),
    }));
    return {
      name: text(metric, 1),
      description: text(metric, 2),
      type,
      points,
      resource,
      temporality: Number(data.get(2)?.[0] ?? 0),
      isMonotonic: Boolean(Number(data.get(3)?.[0] ?? 0)),
    };
  });

/** The records of an ExportLogsServiceRequest. */
const logsOf = (body: Uint8Array): ReceivedLog[] =>
  scoped(body, (record, resource) => ({
    time: BigInt(record.get(1)?.[0] as bigint),
    severity: Number(record.get(2)?.[0] ?? 0),
    severityText: text(record, 3),
    body: all(record, 5).map(anyValue)[0],
    attributes: attributesOf(record, 6),
    traceId: hex(record, 9),
    spanId: hex(record, 10),
    resource,
  }));

/** A receiver that runs. */
export interface OtlpReceiver {
  /** To be given as the endpoint. */
  readonly url: string;
  readonly spans: readonly ReceivedSpan[];
  readonly metrics: readonly ReceivedMetric[];
  readonly logs: readonly ReceivedLog[];
  /** Headers of the requests that came. */
  readonly headers: readonly IncomingHttpHeaders[];
  close(): Promise<void>;
}

/**
 * Starts a receiver on loopback.
 *
 * @param answer status of its answers at a path, or nothing: it never answers. Default 200
 */
export async function startOtlp(answer: (path: string) => number | undefined = () => 200): Promise<OtlpReceiver> {
  const [spans, metrics, logs]: [ReceivedSpan[], ReceivedMetric[], ReceivedLog[]] = [[], [], []];
  const kept: Readonly<Record<string, (body: Uint8Array) => unknown>> = {
    '/v1/traces': (body) => spans.push(...spansOf(body)),
    '/v1/metrics': (body) => metrics.push(...metricsOf(body)),
    '/v1/logs': (body) => logs.push(...logsOf(body)),
  };
  const headers: IncomingHttpHeaders[] = [];
  const server: Server = createServer(async (req, res) => {
    const sent = await bytesOf(req);
    headers.push(req.headers);
    const path = req.url ?? '';
    const status = answer(path);
    if (status === undefined) return;
    if (status === 200) kept[path]?.(req.headers['content-encoding'] === 'gzip' ? gunzipSync(sent) : sent);
    res.writeHead(status, { 'content-type': 'application/x-protobuf' }).end();
  });
  const { origin, close } = await listenOn(server);
  return {
    url: origin,
    spans,
    metrics,
    logs,
    headers,
    close,
  };
}
