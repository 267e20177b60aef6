import type { StreamResponse } from '../../core/model/a2a.ts';
import type { A2AError } from '../../core/model/errors.ts';
import type { OperationName } from '../../gen/services.ts';
import type { DecodedResult } from '../kernel/codec.ts';
import type { Dialects } from '../kernel/detect.ts';
import { jsonRpcRequestCodec, type NamedRequest } from '../kernel/methods.ts';
import type { Method, WireProtocol } from '../kernel/wire.ts';

/** A frame is one piece of text that clients and agents exchange. */

/**
 * Types of frames: a type that stands alone, a whole request or response, the content of these, a stream, or an error.
 */
export const frameTypes = [
  'message',
  'task',
  'event',
  'card',
  'request',
  'params',
  'response',
  'result',
  'stream',
  'error',
] as const;
export type FrameType = (typeof frameTypes)[number];

/** The types that need no method and look the same over every binding. */
export const standingTypes = ['message', 'task', 'event', 'card'] as const;
export type StandingType = (typeof standingTypes)[number];

export const isStanding = (type: FrameType): type is StandingType =>
  (standingTypes as readonly string[]).includes(type);

export const frameBindings = ['jsonrpc', 'rest', 'grpc'] as const;
export type FrameBinding = (typeof frameBindings)[number];

export interface Reading {
  readonly dialect: WireProtocol;
  readonly binding: FrameBinding;
  readonly type: FrameType;
  /** Absent for the types that stand alone, and for errors. */
  readonly method?: Method;
}

/** Content of a frame in v1. */
export type Meaning =
  | { readonly type: StandingType; readonly value: unknown }
  | { readonly type: 'request' | 'params'; readonly request: NamedRequest }
  | {
      readonly type: 'response' | 'result';
      readonly operation: OperationName;
      readonly result: DecodedResult;
      readonly id?: unknown;
    }
  | {
      readonly type: 'stream';
      readonly operation: OperationName;
      readonly events: readonly StreamResponse[];
      readonly id?: unknown;
      /** The error that ended the stream. */
      readonly error?: A2AError;
    }
  | {
      readonly type: 'error' | 'response';
      readonly error: A2AError;
      readonly id?: unknown;
      readonly operation?: undefined;
    };

export function methodsOf({ jsonrpc, rest, grpc }: WireProtocol, binding: FrameBinding): readonly Method[] {
  if (binding === 'rest') return [...new Set(rest?.routes.map(({ method }) => method))];
  return [...((binding === 'grpc' ? grpc : jsonrpc)?.methods.values() ?? [])];
}

/** Returns a dialect, or the extension that has the operation: extensions are identical in every dialect. */
export const protocolFor = ({ extensions }: Dialects, dialect: WireProtocol, operation: OperationName): WireProtocol =>
  extensions.find((extension) => methodsOf(extension, 'jsonrpc').some((method) => method.operation === operation)) ??
  dialect;

export const requestCodec = ({ jsonrpc }: WireProtocol) =>
  jsonRpcRequestCodec(jsonrpc ?? { methods: new Map(), calls: new Map() });
