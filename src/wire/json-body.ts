import { isUtf8 } from 'node:buffer';
import { A2AError } from '../core/model/errors.ts';
import { defaultDepth, parseJsonText, parseLargeText } from './json.ts';

/** Bytes that each array, object and member takes besides its text. */
const perValue = 16;

/** Estimated bytes of a JSON body once it is parsed: many small values take far more than their text. Scans the body. */
export function parsedSize(body: Uint8Array): number {
  let values = 0;
  for (let i = 0; i < body.length; i += 1) {
    const byte = body[i] as number;
    // A comma, an opening bracket, or an opening brace, which differs from it in one bit.
    if (byte === 0x2c || (byte & 0xdf) === 0x5b) values += 1;
  }
  return body.length + values * perValue;
}

/**
 * Parses a JSON body, which must be valid UTF-8, as `parseJsonText` parses text.
 *
 * @throws A2AError `parse`
 */
export const parseJson = (body: Uint8Array, maxDepth = defaultDepth): unknown => parseJsonText(textOf(body), maxDepth);

/** The same in several turns of the event loop. */
export const parseLargeJson = async (body: Uint8Array, maxDepth = defaultDepth): Promise<unknown> =>
  parseLargeText(textOf(body), maxDepth);

function textOf(body: Uint8Array): string {
  if (!isUtf8(body)) throw A2AError.parse('The body is not valid UTF-8');
  return Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('utf8');
}
