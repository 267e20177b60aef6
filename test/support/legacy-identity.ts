import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { api } from '../../src/core/model/a2a.ts';
import type { Codec, Frame } from '../../src/dialects/kernel/codec.ts';
import type { Dialect } from '../../src/dialects/kernel/dialect.ts';
import { violationsOf } from '../../src/wire/validate.ts';
import { context, legacyDialect, throughText as throughJson } from './legacy-dialect.ts';

/** Options for making and comparing a dialect's own values. */
export interface IdentityOptions {
  /** Values by the name of a standing type of the dialect, such as `message`. */
  readonly types?: Readonly<Record<string, fc.Arbitrary<unknown>>>;
  /** Parameters by method. */
  readonly params?: Readonly<Record<string, fc.Arbitrary<unknown>>>;
  /** Results by method. */
  readonly results?: Readonly<Record<string, fc.Arbitrary<unknown>>>;
  /** Whole streams by method; the data of a frame is parsed, and not enveloped. */
  readonly streams?: Readonly<Record<string, fc.Arbitrary<readonly WireFrame[]>>>;
  /** Normalizes values that readers of the dialect treat as equal: nulls that writers may leave out, and defaults. */
  readonly canonical: (wire: unknown) => unknown;
  /** Values of each. Default 200. */
  readonly numRuns?: number;
  /** Whether what is read has to be valid in v1 but for a state that v1 has no word for. */
  readonly valid?: true;
}

/** Types of v1 by the names of standing types. */
const v1Types: Readonly<Record<string, string>> = {
  message: 'Message',
  task: 'Task',
  event: 'StreamResponse',
  card: 'AgentCard',
};

/** One frame of a stream. */
export interface WireFrame {
  readonly event?: string;
  readonly data: unknown;
}

const throughText = (value: unknown): unknown => (value === undefined ? undefined : throughJson(value));

/**
 * Legacy → v1 → legacy is the identity in canonical form: whatever v1 has no place for comes back. The v1 values in
 * between go through text, as through a store.
 */
export function describeIdentity(dialect: Dialect, options: IdentityOptions): void {
  const { canonical, numRuns = 60 } = options;
  const { method } = legacyDialect(dialect.name);
  const requireValid = (type: string | undefined, v1: unknown): void => {
    if (!options.valid || type === undefined || JSON.stringify(v1).includes('TASK_STATE_UNSPECIFIED')) return;
    expect(violationsOf(api, type, v1)).toEqual([]);
  };
  const returns = (codec: Codec<unknown, unknown> | undefined, values: fc.Arbitrary<unknown>, type?: string): void => {
    if (!codec) throw new Error('no codec');
    const property = fc.property(values, (wire) => {
      const v1 = throughText(codec.decode(throughText(wire), context()));
      requireValid(type, (v1 as { request?: unknown }).request ?? v1);
      const back = throughText(codec.encode(v1, context()));
      expect(canonical(back)).toEqual(canonical(throughText(wire)));
    });
    fc.assert(property, { numRuns });
  };

  describe(`${dialect.name} → v1 → ${dialect.name} is lossless`, () => {
    for (const [name, values] of Object.entries(options.types ?? {})) {
      test(name, () => returns(dialect.types[name], values, `${api.package}.${v1Types[name]}`));
    }
    for (const [name, values] of Object.entries(options.params ?? {})) {
      const { request, operation } = method(name);
      const type = api.operations.find((row) => row.name === operation)?.request;
      test(`${dialect.name}: the params of ${name} come back from v1 as they were`, () =>
        returns(request as Codec<unknown, unknown>, values, type));
    }
    for (const [name, values] of Object.entries(options.results ?? {})) {
      test(`${dialect.name}: the result of ${name} comes back from v1 as it was`, () =>
        returns(method(name).result as Codec<unknown, unknown>, values));
    }
    for (const [name, values] of Object.entries(options.streams ?? {})) {
      test(`${dialect.name}: the streams of ${name} come back from v1 as they were`, () =>
        streamReturns(dialect, name, values, options));
    }
  });
}

function streamReturns(
  dialect: Dialect,
  name: string,
  values: fc.Arbitrary<readonly WireFrame[]>,
  { canonical, numRuns = 60 }: IdentityOptions,
): void {
  const { method, frames } = legacyDialect(dialect.name);
  const { stream } = method(name);
  if (!stream) throw new Error(`${name} does not stream`);
  const property = fc.property(values, (wire) => {
    const sent = throughText(wire) as WireFrame[];
    const decoder = stream.decoder(context());
    const events = [...sent.flatMap((frame) => [...decoder.decode(frame)]), ...(decoder.end?.() ?? [])];
    const back = frames(name, structuredClone(events)).map(
      ({ event, data }: Frame): WireFrame => ({
        ...(event !== undefined && { event }),
        data: data === '' ? '' : JSON.parse(data),
      }),
    );
    expect(canonical(back)).toEqual(canonical(sent));
  });
  fc.assert(property, { numRuns });
}
