// Generated from codegen/templates/duration.ts by `npm run generate`. Do not edit.

import { BinaryReader, BinaryWriter } from '@bufbuild/protobuf/wire';

// Codec of google.protobuf.Duration that reads and writes its JSON form: seconds with a fraction of 0, 3, 6 or 9 digits
// and an `s`. Tags: seconds 8, nanos 16. Both have the sign of the duration.

/** A duration, such as `1.500s`. */
export type Duration = string;

/** Seconds in 10,000 years: more is no duration. */
const maxSeconds = 315_576_000_000;

const form = /^(-?)(\d{1,12})(?:\.(\d{1,9}))?s$/;

/**
 * A duration in canonical form; undefined for text that is none.
 *
 * @param text with up to nine digits after the point
 */
export function canonicalDuration(text: string): string | undefined {
  const parts = partsOf(text);
  return parts && textOf(parts.seconds, parts.nanos);
}

function partsOf(text: string): { seconds: number; nanos: number } | undefined {
  const [, sign, whole, fraction = ''] = form.exec(text) ?? [];
  if (whole === undefined) return undefined;
  const factor = sign === '-' ? -1 : 1;
  const seconds = Number(whole) * factor;
  const nanos = Number(fraction.padEnd(9, '0')) * factor;
  return inRange(seconds, nanos) ? { seconds, nanos } : undefined;
}

const inRange = (seconds: number, nanos: number): boolean =>
  Math.abs(seconds) <= maxSeconds && Math.abs(nanos) < 1e9 && (Math.abs(seconds) < maxSeconds || nanos === 0);

function textOf(seconds: number, nanos: number): string {
  const digits = String(Math.abs(nanos))
    .padStart(9, '0')
    .replace(/(?:000){1,3}$/, '');
  const sign = seconds < 0 || nanos < 0 ? '-' : '';
  return `${sign}${Math.abs(seconds)}${digits === '' ? '' : `.${digits}`}s`;
}

/** Codec of google.protobuf.Duration. */
export const Duration = {
  encode(text: Duration, writer: BinaryWriter = new BinaryWriter()): BinaryWriter {
    const parts = partsOf(text);
    if (!parts) throw new RangeError(`not a duration: ${text}`);
    if (parts.seconds) writer.uint32(8).int64(parts.seconds);
    if (parts.nanos) writer.uint32(16).int32(parts.nanos);
    return writer;
  },

  decode(input: BinaryReader | Uint8Array, length?: number): Duration {
    const reader = input instanceof BinaryReader ? input : new BinaryReader(input);
    const end = length === undefined ? reader.len : reader.pos + length;
    let seconds = 0;
    let nanos = 0;
    while (reader.pos < end) {
      const tag = reader.uint32();
      if (tag === 8) seconds = Number(reader.int64());
      else if (tag === 16) nanos = reader.int32();
      else reader.skip(tag & 7);
    }
    if (!inRange(seconds, nanos) || seconds * nanos < 0) throw new RangeError('duration out of range');
    return textOf(seconds, nanos);
  },
};
