import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import * as grpc from '@grpc/grpc-js';
import { loadSync } from '@grpc/proto-loader';

/** Messages of agents and clients of the SDKs over A2A 0.3, recorded from real ones by `record.ts`. */

export const recordedFile = fileURLToPath(new URL('recorded.json', import.meta.url));

export type Sdk = 'Go' | 'Java' | 'JavaScript' | 'Python';

/** The answers of one server over one binding. */
export interface Answer {
  /** To GetTask with `unknownId`: a gRPC status, or an HTTP status and body. */
  readonly unknownTask: {
    readonly code?: number;
    readonly details?: string;
    readonly status?: number;
    readonly body?: unknown;
  };
  /** Whether it writes the bytes of a file as base64 text. */
  readonly base64Bytes: boolean;
}

export interface Recorded {
  readonly sdk: Sdk;
  readonly version: string;
  /** The `User-Agent` of its clients. */
  readonly userAgents: { readonly grpc?: string; readonly http?: string };
  readonly grpc?: Answer;
  readonly rest?: Answer;
}

/** The id that was asked for. */
export const unknownId = 'no-such-task';

/** The content of the file: no base64 text. */
export const file = 'a file, not base64';

export const readRecorded = (): readonly Recorded[] =>
  existsSync(recordedFile) ? JSON.parse(readFileSync(recordedFile, 'utf8')) : [];

/** The gRPC service of A2A 0.3, for clients and servers of grpc-js. */
export const service = (() => {
  const includeDirs = [fileURLToPath(new URL('../../../proto', import.meta.url))];
  const loaded = loadSync('a2a/v1/a2a.proto', { longs: Number, enums: String, oneofs: true, includeDirs });
  const { a2a } = grpc.loadPackageDefinition(loaded) as unknown as Record<
    string,
    Record<string, Record<string, grpc.ServiceClientConstructor>>
  >;
  return a2a?.v1?.A2AService as grpc.ServiceClientConstructor;
})();
