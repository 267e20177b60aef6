import { A2AError } from '../../core/model/errors.ts';
import { sameJson } from '../../core/model/json.ts';
import { shortened } from '../../core/model/text.ts';
import type { CodecContext } from '../kernel/codec.ts';
import type { Dialects } from '../kernel/detect.ts';
import type { Dialect } from '../kernel/dialect.ts';
import { detectFrame, dialectNamed, type Hints, newContext } from './detect.ts';
import { type FrameBinding, type FrameType, type Meaning, protocolFor, type Reading } from './frame.ts';
import { readFrame } from './read.ts';
import { parseFrame } from './text.ts';
import { writeFrame } from './write.ts';

export type { Hints } from './detect.ts';
export { type FrameBinding, type FrameType, frameBindings, frameTypes } from './frame.ts';
export { type GoldenFrame, goldenOf, type RecordedRequest } from './golden.ts';

/** Detected dialect and type of a frame. */
export interface Source {
  readonly dialect: string;
  readonly binding: FrameBinding;
  readonly type: FrameType;
  readonly method?: string;
}

/** Something that a translation dropped. */
export interface Loss {
  /** Path of the field in A2A 1.x, such as `parts.metadata`. */
  readonly path: string;
  readonly reason: string;
  /**
   * Whether readers miss it. Otherwise it is an id or framing that the dialect does not have, or it is elsewhere in the
   * same document; `A2A-Gateway-Loss` does not name it.
   */
  readonly missed: boolean;
  /** The first such value, as JSON. */
  readonly sample?: string;
}

/** A frame in one dialect. */
export interface Translated extends Omit<Source, 'type'> {
  /** Text of the frame. Absent if the dialect cannot express it. */
  readonly text?: string;
  /** Losses of the translation. */
  readonly losses: readonly Loss[];
  /** Reason why the dialect cannot express it. */
  readonly error?: string;
}

/** A frame, and its translations. Plain data, which threads can send each other. */
export interface Translation {
  readonly source: Source;
  /** Content of the frame, in A2A 1.x: paths of losses begin in it. For a stream, its events. Absent for errors. */
  readonly v1?: unknown;
  readonly translated: readonly Translated[];
}

/** Options of a translation. */
export interface TranslateOptions extends Hints {
  /** Names of dialects. Default: all others. */
  readonly to?: readonly string[];
}

/**
 * Translates a frame: a message, task, event, card or error, a request or its parameters, a response or its result, or
 * an event stream. The conversions are those of the gateway.
 *
 * @param dialects dialects to choose from
 * @param text JSON, an event stream, or a request over HTTP+JSON with its first line
 * @throws A2AError for a text that is no such frame
 */
export function translateFrame(dialects: Dialects, text: string, options: TranslateOptions = {}): Translation {
  const { to, from } = options;
  const named = from === undefined ? undefined : dialectNamed(dialects, from);
  const targets = to?.map((name) => dialectNamed(dialects, name)) ?? dialects.list;
  const parsed = parseFrame(text);
  const reading = detectFrame(dialects, parsed, options);
  const cx = newContext();
  const meaning = readFrame(parsed, reading, cx);
  const source = named ?? reading.dialect;
  const v1 = v1Of(meaning);
  return {
    source: sourceOf(reading, meaning, dialects),
    ...(v1 !== undefined && { v1 }),
    translated: targets
      .filter((dialect) => to !== undefined || dialect !== source)
      .map((dialect) => translated(dialects, meaning, dialect, reading, cx.losses)),
  };
}

function sourceOf({ dialect, binding, type, method }: Reading, meaning: Meaning, dialects: Dialects): Source {
  // The path of a request over HTTP+JSON names its method, and so does a JSON-RPC request.
  const { operation } = 'request' in meaning ? meaning.request : { operation: undefined };
  const name = method?.name ?? (operation && protocolFor(dialects, dialect, operation).name);
  return { dialect: dialect.name, binding, type, ...(name !== undefined && { method: name }) };
}

function translated(
  dialects: Dialects,
  meaning: Meaning,
  dialect: Dialect,
  reading: Reading,
  lostInReading: ReadonlySet<string>,
): Translated {
  const operation = operationOf(meaning);
  const protocol = operation ? protocolFor(dialects, dialect, operation) : dialect;
  const binding = protocol[reading.binding] ? reading.binding : 'jsonrpc';
  const cx = newContext();
  for (const path of lostInReading) cx.losses.add(path);
  try {
    const { text, method } = writeFrame(meaning, protocol, binding, cx);
    notePreserved(meaning, text, (other) => writeFrame(other, protocol, binding, newContext()).text, cx.losses);
    const losses = lossesOf(cx, v1Of(meaning), dialect.name);
    return { dialect: dialect.name, binding, text, losses, ...(method !== undefined && { method }) };
  } catch (thrown) {
    const { message } = A2AError.from(thrown);
    return { dialect: dialect.name, binding, losses: [], error: message };
  }
}

function operationOf(meaning: Meaning) {
  if ('request' in meaning) return meaning.request.operation;
  return 'operation' in meaning ? meaning.operation : undefined;
}

/** Notes members of a request that have no place in v1, if the dialect does not have them either. */
function notePreserved(meaning: Meaning, text: string, write: (meaning: Meaning) => string, losses: Set<string>): void {
  if (!('request' in meaning) || !meaning.request.preserved) return;
  const { preserved, ...request } = meaning.request;
  if (!sameJson(write({ ...meaning, request }), text)) return;
  for (const name of Object.keys(preserved)) losses.add(name);
}

/** Returns the v1 object that paths of losses begin in. */
function v1Of(meaning: Meaning): unknown {
  if ('value' in meaning) return meaning.value;
  if ('request' in meaning) return meaning.request.request;
  if ('result' in meaning) return meaning.result.value;
  return 'events' in meaning ? meaning.events : undefined;
}

const maxSample = 120;

/**
 * Returns the losses that conversions noted, by path.
 *
 * @param v1 the translated object, in v1
 */
function lossesOf(
  { losses, unreported }: Pick<CodecContext, 'losses' | 'unreported'>,
  v1: unknown,
  dialect: string,
): Loss[] {
  const paths = [...losses.union(unreported ?? new Set<string>())].sort();
  return paths.map((path) => {
    const missed = losses.has(path);
    const [value] = valuesAt(v1, path.split('.'));
    const text = value === undefined ? undefined : JSON.stringify(value);
    const sample = text && shortened(text, maxSample);
    return { path, reason: reasonOf(path, missed, dialect), missed, ...(sample !== undefined && { sample }) };
  });
}

function reasonOf(path: string, missed: boolean, dialect: string): string {
  if (path === 'method') return `${dialect} needs a second call, which this frame is not`;
  return missed ? `${dialect} has no place for it` : `${dialect} does not have it, or says it elsewhere in the frame`;
}

/** Returns the values at a path, through lists. */
function valuesAt(value: unknown, [step, ...rest]: readonly string[]): unknown[] {
  if (Array.isArray(value)) return value.flatMap((item) => valuesAt(item, step === undefined ? [] : [step, ...rest]));
  if (step === undefined) return value === undefined ? [] : [value];
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step)) return [];
  return valuesAt((value as Record<string, unknown>)[step], rest);
}
