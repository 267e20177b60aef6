import { isUtf8 } from 'node:buffer';
import { type CountLimits, requestCounts } from '../core/limits/counts.ts';
import { loopTurns } from '../core/limits/loop-turns.ts';
import { A2AError } from '../core/model/errors.ts';
import { isObject, type JsonObject } from '../core/model/json.ts';
import { excessOf, JsonCounter } from './count-json.ts';
import { countParsed, type Excess, ExcessiveRequestError, type RequestReading } from './counts.ts';
import { checkJson, defaultDepth, parseJsonText, parseLargeText } from './json.ts';

/** Estimated bytes that each array, object and member takes in memory besides its text. */
const perValue = 16;

/** Bytes that are counted without checking the clock; this takes less than a millisecond. */
const countedAtOnce = 65_536;

/**
 * Returns the size in bytes up to which a text cannot exceed the limits: an item takes at least two bytes, a member
 * five, each with its comma.
 */
const countedFrom = ({ parts, keys, values }: CountLimits): number => Math.min(2 * parts, 5 * keys, 2 * values);

/** Counts the commas and opening brackets of a text, including those in strings: an upper bound of its values. */
function looseCount(text: Uint8Array): { readonly commas: number; readonly opens: number } {
  let [commas, opens] = [0, 0];
  for (let i = 0; i < text.length; i += 1) {
    const byte = text[i] as number;
    if (byte === 0x2c) commas += 1;
    // A bracket, or a brace, which differs from a bracket in one bit.
    else if ((byte & 0xdf) === 0x5b) opens += 1;
  }
  return { commas, opens };
}

/**
 * Returns the estimated size in bytes of a JSON body once it is parsed: many small values take far more memory than
 * their text. Scans the body.
 */
export function parsedSize(body: Uint8Array): number {
  const { commas, opens } = looseCount(body);
  return body.length + (commas + opens) * perValue;
}

/**
 * Parses a JSON body, which must be valid UTF-8, as `parseJsonText` parses text.
 *
 * @throws A2AError `parse`
 */
export const parseJson = (body: Uint8Array, maxDepth = defaultDepth): unknown => parseJsonText(textOf(body), maxDepth);

/** Parses a body as `parseJson` does, spread over several turns of the event loop. */
export const parseLargeJson = async (body: Uint8Array, maxDepth = defaultDepth): Promise<unknown> =>
  parseLargeText(textOf(body), maxDepth);

function textOf(body: Uint8Array): string {
  if (!isUtf8(body)) throw A2AError.parse('The body is not valid UTF-8');
  return Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('utf8');
}

/**
 * Parses the JSON of a request, a large one over several turns of the event loop. A document that exceeds a limit is
 * refused before it is parsed. Undefined for an empty body.
 *
 * @throws A2AError `parse`; `invalidParams` for too many parts or keys and `payloadTooLarge` for too many values, both
 * as ExcessiveRequestError; `unavailable` if there is not enough memory
 */
export function parseRequest(body: Uint8Array, reading: RequestReading): unknown {
  if (body.length === 0) return undefined;
  const { counts = requestCounts } = reading;
  const turn = loopTurns.takeFor(body.length);
  if (turn) return turn.then(() => parseLargeRequest(body, counts, reading));
  if (body.length > Math.min(countedFrom(counts), countedAtOnce)) {
    const { commas, opens } = looseCount(body);
    countParsed(reading, body.length, () => body.length + (commas + opens) * perValue);
    const isSuspicious = commas >= Math.min(counts.parts, counts.keys) || commas + opens > counts.values;
    if (isSuspicious) refuseExcess(counted(body, counts));
  }
  return parseJson(body);
}

async function parseLargeRequest(body: Uint8Array, counts: CountLimits, reading: RequestReading): Promise<unknown> {
  const counter = new JsonCounter(body, counts);
  await countInTurns(counter);
  if (counter.excess && reading.enveloped) await countInTurns(counter);
  refuseExcess(counter);
  countParsed(reading, body.length, () => body.length + (counter.values + counter.containers) * perValue);
  return parseLargeJson(body);
}

/** Counts a text up to its first excess, then from there to its end. */
async function countInTurns(counter: JsonCounter): Promise<void> {
  const before = counter.excess;
  while (!counter.isOver && counter.excess === before) {
    const turn = loopTurns.goOn();
    if (turn) await turn;
    counter.count(countedAtOnce);
  }
}

function counted(text: Uint8Array, limits: CountLimits): JsonCounter {
  const counter = new JsonCounter(text, limits);
  while (!counter.isOver) counter.count(text.length);
  return counter;
}

function refuseExcess({ excess, envelope }: JsonCounter): void {
  if (excess) throw new ExcessiveRequestError(excess, membersOf(envelope));
}

function membersOf(envelope: string): JsonObject | undefined {
  try {
    const members = parseJsonText(envelope);
    return isObject(members) ? members : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Checks a value that was parsed elsewhere, such as by Express's body parser, as `parseRequest` does.
 *
 * @throws A2AError as `parseRequest`
 */
export function checkRequest(value: unknown, counts: CountLimits = requestCounts): void {
  checkJson(value);
  const excess = excessOf(value, counts);
  if (excess) throw new ExcessiveRequestError(excess, isObject(value) ? value : undefined);
}

/** Returns the first excess of a JSON text, counted in one go. Texts too short to exceed a limit are not counted. */
export function excessIn(text: string, counts: CountLimits): Excess | undefined {
  if (text.length <= countedFrom(counts)) return undefined;
  const bytes = Buffer.from(text);
  const { commas, opens } = looseCount(bytes);
  if (commas < Math.min(counts.parts, counts.keys) && commas + opens <= counts.values) return undefined;
  return firstExcess(new JsonCounter(bytes, counts));
}

function firstExcess(counter: JsonCounter): Excess | undefined {
  while (!counter.isOver && !counter.excess) counter.count(Number.POSITIVE_INFINITY);
  return counter.excess;
}

/** Returns the first excess of a large JSON text, counted over several turns of the event loop. */
export async function excessInLarge(text: Uint8Array, counts: CountLimits): Promise<Excess | undefined> {
  if (text.length <= countedFrom(counts)) return undefined;
  const counter = new JsonCounter(text, counts);
  await countInTurns(counter);
  return counter.excess;
}
