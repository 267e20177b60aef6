import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Codec, CodecContext, Frame } from '../../src/dialects/kernel/codec.ts';
import type { Dialect } from '../../src/dialects/kernel/dialect.ts';

/** How a dialect's own values are made and compared. */
export interface IdentityOptions {
  /** Values by the name of a standing type of the dialect, such as `message`. */
  readonly types?: Readonly<Record<string, fc.Arbitrary<unknown>>>;
  /** Parameters by method. */
  readonly params?: Readonly<Record<string, fc.Arbitrary<unknown>>>;
  /** Results by method. */
  readonly results?: Readonly<Record<string, fc.Arbitrary<unknown>>>;
  /** Whole streams by method; the data of a frame is parsed, and not enveloped. */
  readonly streams?: Readonly<Record<string, fc.Arbitrary<readonly WireFrame[]>>>;
  /** What readers of the dialect take for the same: nulls that writers may leave out, what goes without saying. */
  readonly canonical: (wire: unknown) => unknown;
  /** Values of each. Default 200. */
  readonly numRuns?: number;
}

/** One frame of a stream. */
export interface WireFrame {
  readonly event?: string;
  readonly data: unknown;
}

const context = (): CodecContext => ({ losses: new Set() });
const throughText = (value: unknown): unknown =>
  value === undefined ? undefined : (JSON.parse(JSON.stringify(value)) as unknown);

/**
 * Legacy → v1 → legacy is the identity in canonical form: whatever v1 has no place for comes back. The v1 values in
 * between go through text, as through a store.
 */
export function describeIdentity(dialect: Dialect, options: IdentityOptions): void {
  const { canonical, numRuns = 200 } = options;
  const method = (name: string) => {
    const found = dialect.jsonrpc?.methods.get(name);
    if (!found) throw new Error(`no method ${name}`);
    return found;
  };
  const returns = (codec: Codec<unknown, unknown> | undefined, values: fc.Arbitrary<unknown>): void => {
    if (!codec) throw new Error('no codec');
    const property = fc.property(values, (wire) => {
      const v1 = throughText(codec.decode(throughText(wire), context()));
      const back = throughText(codec.encode(v1, context()));
      expect(canonical(back)).toEqual(canonical(throughText(wire)));
    });
    fc.assert(property, { numRuns });
  };

  describe(`${dialect.name} → v1 → ${dialect.name} is lossless`, () => {
    for (const [name, values] of Object.entries(options.types ?? {})) {
      test(name, () => returns(dialect.types[name], values));
    }
    for (const [name, values] of Object.entries(options.params ?? {})) {
      test(`params of ${name}`, () => returns(method(name).request as Codec<unknown, unknown>, values));
    }
    for (const [name, values] of Object.entries(options.results ?? {})) {
      test(`result of ${name}`, () => returns(method(name).result as Codec<unknown, unknown>, values));
    }
    for (const [name, values] of Object.entries(options.streams ?? {})) {
      test(`streams of ${name}`, () => streamReturns(dialect, name, values, options));
    }
  });
}

function streamReturns(
  dialect: Dialect,
  name: string,
  values: fc.Arbitrary<readonly WireFrame[]>,
  { canonical, numRuns = 200 }: IdentityOptions,
): void {
  const stream = dialect.jsonrpc?.methods.get(name)?.stream;
  if (!stream) throw new Error(`${name} does not stream`);
  const property = fc.property(values, (wire) => {
    const sent = throughText(wire) as WireFrame[];
    const decoder = stream.decoder(context());
    const encoder = stream.encoder(context());
    const events = [...sent.flatMap((frame) => [...decoder.decode(frame)]), ...(decoder.end?.() ?? [])];
    const frames = events.flatMap((event, at) => [
      ...encoder.encode({
        seq: at + 1,
        at: 0,
        generation: 0,
        event: structuredClone(event),
        json: JSON.stringify(event),
      }),
    ]);
    const back = [...frames, ...(encoder.end?.() ?? [])].map(
      ({ event, data }: Frame): WireFrame => ({
        ...(event !== undefined && { event }),
        data: data === '' ? '' : JSON.parse(data),
      }),
    );
    expect(canonical(back)).toEqual(canonical(sent));
  });
  fc.assert(property, { numRuns });
}
