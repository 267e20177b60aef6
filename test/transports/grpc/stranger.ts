import { fileURLToPath } from 'node:url';
import * as grpc from '@grpc/grpc-js';
import { loadSync, type MessageTypeDefinition } from '@grpc/proto-loader';

/** A client made from the raw proto, without any code of this gateway. */

const includeDirs = ['proto', 'proto/a2a-1.0'].map((dir) => fileURLToPath(new URL(`../../../${dir}`, import.meta.url)));

const errors = loadSync(['google/rpc/status.proto', 'google/rpc/error_details.proto'], { includeDirs });

const definition = loadSync('lf/a2a/v1/a2a.proto', {
  includeDirs,
  enums: String,
  longs: Number,
  oneofs: true,
  json: true,
});

type AnyClient = grpc.Client & Record<string, (...args: unknown[]) => unknown>;

export interface Answer {
  readonly error?: grpc.ServiceError;
  readonly value?: Record<string, unknown>;
  readonly values: Record<string, unknown>[];
  readonly head?: grpc.Metadata;
  readonly trailers?: grpc.Metadata;
}

/** Options of a call: metadata as an object, and what grpc-js calls options. */
export interface AskOptions extends grpc.CallOptions {
  readonly metadata?: Record<string, string>;
}

export interface Stranger {
  readonly client: AnyClient;
  ask(rpc: string, request: object, options?: AskOptions): Promise<Answer>;
  open(rpc: string, request: object, options?: AskOptions): grpc.ClientReadableStream<Record<string, unknown>>;
  close(): void;
}

const metadataOf = (entries: Record<string, string> = {}): grpc.Metadata => {
  const metadata = new grpc.Metadata();
  for (const [name, value] of Object.entries(entries)) metadata.set(name, value);
  return metadata;
};

export function stranger(target: string, options: grpc.ClientOptions = {}): Stranger {
  const pkg = grpc.loadPackageDefinition(definition) as unknown as {
    lf: { a2a: { v1: { A2AService: grpc.ServiceClientConstructor } } };
  };
  const client = new pkg.lf.a2a.v1.A2AService(target, grpc.credentials.createInsecure(), options) as never as AnyClient;
  const service = pkg.lf.a2a.v1.A2AService.service;
  const open: Stranger['open'] = (rpc, request, { metadata, ...rest } = {}) =>
    client[rpc]?.(request, metadataOf(metadata), rest) as never;
  return {
    client,
    open,
    ask(rpc, request, { metadata, ...rest } = {}) {
      return new Promise((resolve) => {
        const answer: { -readonly [K in keyof Answer]: Answer[K] } = { values: [] };
        const follow = (call: grpc.ClientUnaryCall | grpc.ClientReadableStream<Record<string, unknown>>): void => {
          call.on('metadata', (head: grpc.Metadata) => {
            answer.head = head;
          });
          call.on('status', (status: grpc.StatusObject) => {
            answer.trailers = status.metadata;
            resolve(answer);
          });
        };
        if (service[rpc]?.responseStream) {
          const call = open(rpc, request, { ...(metadata && { metadata }), ...rest });
          call.on('error', (error) => {
            answer.error = error as grpc.ServiceError;
          });
          call.on('data', (value) => answer.values.push(value));
          follow(call);
          return;
        }
        const done = (error: grpc.ServiceError | null, value?: Record<string, unknown>): void => {
          if (error) answer.error = error;
          if (value) answer.value = value;
        };
        follow(client[rpc]?.(request, metadataOf(metadata), rest, done) as grpc.ClientUnaryCall);
      });
    },
    close: () => client.close(),
  };
}

/** A message of google.rpc. */
const decoded = <T>(name: string, bytes: Uint8Array): T =>
  (errors[`google.rpc.${name}`] as MessageTypeDefinition<object, object>).deserialize(Buffer.from(bytes)) as T;

/** The packed details of a google.rpc.Status. */
export function packedDetails(status: Uint8Array): { typeUrl: string; value: Uint8Array }[] {
  const { details = [] } = decoded<{ details?: { type_url: string; value: Uint8Array }[] }>('Status', status);
  return details.map(({ type_url: typeUrl, value }) => ({ typeUrl, value }));
}

/** Error details in addition to the status code. */
export function detailsOf(answer: Answer): {
  reason?: string;
  domain?: string;
  metadata?: object;
  violations: object[];
} {
  const packed = answer.error?.metadata.get('grpc-status-details-bin')[0];
  const details: { reason?: string; domain?: string; metadata?: object; violations: object[] } = { violations: [] };
  if (!Buffer.isBuffer(packed)) return details;
  for (const { typeUrl, value } of packedDetails(packed)) {
    if (typeUrl === 'type.googleapis.com/google.rpc.ErrorInfo') Object.assign(details, decoded('ErrorInfo', value));
    if (typeUrl === 'type.googleapis.com/google.rpc.BadRequest') {
      details.violations.push(...decoded<{ fieldViolations: object[] }>('BadRequest', value).fieldViolations);
    }
  }
  return details;
}
