import { expect } from 'vitest';
import type { StreamResponse } from '../../src/core/model/a2a.ts';
import type { CodecContext, Frame } from '../../src/dialects/kernel/codec.ts';
import type { Dialect, DialectName } from '../../src/dialects/kernel/dialect.ts';
import type { JsonRpcBinding, Method } from '../../src/dialects/kernel/wire.ts';
import { createDialects } from '../../src/dialects/registry.ts';

export type Json = Record<string, unknown>;

export const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const context = (over: Partial<CodecContext> = {}): CodecContext => ({ losses: new Set(), ...over });

/** The error of a faulty field. */
export const invalid = (field: string): unknown =>
  expect.objectContaining({ kind: 'invalidParams', violations: [expect.objectContaining({ field })] });

export const throughText = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T;

export const dialects = createDialects();

/** A dialect over JSON-RPC. */
export function legacyDialect(name: DialectName) {
  const dialect = dialects.byName.get(name) as Dialect;
  const jsonrpc = dialect.jsonrpc as JsonRpcBinding;
  const method = (methodName: string): Method => {
    const found = jsonrpc.methods.get(methodName);
    if (!found) throw new Error(`${name} has no method ${methodName}`);
    return found;
  };
  return {
    dialect,
    jsonrpc,
    method,
    decode: (methodName: string, params: unknown) => method(methodName).request.decode(params, context()),
    /** The frames of a whole stream. */
    frames(methodName: string, events: readonly StreamResponse[], cx = context(), at = 0): Frame[] {
      const encoder = method(methodName).stream?.encoder(cx);
      const written = events.flatMap((event, before) => [
        ...(encoder?.encode({ seq: before + 1, at, generation: 0, event, json: JSON.stringify(event) }) ?? []),
      ]);
      return [...written, ...(encoder?.end?.() ?? [])];
    },
  };
}
