import { answerCounts, type CountLimits, requestCounts } from '../core/limits/counts.ts';
import { A2AError } from '../core/model/errors.ts';
import type { Unread } from '../core/model/unread.ts';
import { countParsed, type Excess, ExcessiveRequestError, excessiveAnswer, type RequestReading } from './counts.ts';
import { type Coded, decode } from './protobuf.ts';
import { Tracker } from './protobuf-tracker.ts';

/** Estimated bytes that each decoded value takes in memory besides its bytes on the wire. */
const perValue = 16;

/**
 * Returns the size in bytes below which a message cannot exceed the limits: an item or an entry takes at least two
 * bytes, a packed number one.
 */
const trackedFrom = ({ parts, keys, values }: CountLimits): number => Math.min(2 * parts, 2 * keys, values);

/**
 * Decodes the protobuf message of a request as `decode` does. A message that exceeds a limit is refused while it is
 * being read.
 *
 * @throws A2AError `parse`; `invalidParams` for too many parts or keys and `payloadTooLarge` for too many values;
 * `unavailable` if there is not enough memory
 */
export function decodeRequest(api: Coded, typeName: string, bytes: Uint8Array, reading: RequestReading): object {
  const { counts = requestCounts } = reading;
  if (bytes.length <= trackedFrom(counts)) return decode(api, typeName, bytes);
  const onValues = (values: number): void => countParsed(reading, bytes.length, () => bytes.length + values * perValue);
  const tracking = { limits: counts, refusal: (excess: Excess) => new ExcessiveRequestError(excess), onValues };
  return decode(api, typeName, bytes, new Tracker(tracking));
}

/** A decoded response, with the pieces that could not be decoded. */
export interface DecodedAnswer {
  readonly message: object;
  readonly unread: readonly Unread[];
}

/**
 * Decodes the protobuf message of an agent's response.
 *
 * @param mends whether a damaged message is decoded a second time, with its unreadable parts omitted and listed in the
 * result, and bytes that are not UTF-8 replaced by U+FFFD
 * @throws A2AError `parse` for a message that cannot be read; `invalidAgentResponse` for one that exceeds a limit
 */
export function decodeAnswer(api: Coded, typeName: string, bytes: Uint8Array, mends: boolean): DecodedAnswer {
  const tracking = { limits: answerCounts, refusal: excessiveAnswer };
  const tracker = bytes.length <= trackedFrom(answerCounts) ? undefined : new Tracker(tracking);
  try {
    return { message: decode(api, typeName, bytes, tracker), unread: [] };
  } catch (thrown) {
    if (!mends || !(thrown instanceof A2AError) || thrown.kind !== 'parse') throw thrown;
    const mender = new Tracker({ ...tracking, mends });
    const message = decode(api, typeName, bytes, mender);
    if (Object.keys(message).length === 0) throw thrown;
    return { message, unread: mender.unread };
  }
}
