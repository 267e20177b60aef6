import { JsonValues } from '../../wire/json-values.ts';
import { SseDecoder } from '../../wire/sse.ts';

/** One part of the body of an answer that arrives in parts. */
export interface AnswerFrame {
  /** The name of a server-sent event; '' for events without a name and for JSON values. */
  readonly event: string;
  /** The latest id of the event stream. */
  readonly id: string | undefined;
  readonly data: string;
  /** Set if the body is this one object and nothing else, like the answer of an agent that does not stream. */
  readonly isWhole?: true;
}

/** Division of a body into parts, regardless of its content type. */
export type BodyForm = 'events' | 'values' | 'other';

const byteOrderMark = /^\uFEFF/;
/** The beginning of an event stream: a field, or a comment. */
const eventStart = /^(?:(?:data|event|id|retry) ?:|:|(?:data|event|id|retry)\r?\n)/;
/** The separator before each value of a JSON text sequence (RFC 7464). */
const recordSeparator = '\u001E';

/** The form of a body, from its beginning. Undefined if the beginning is only white space. */
export function formOf(beginning: string): BodyForm | undefined {
  const text = beginning.replace(byteOrderMark, '').trimStart();
  if (text === '') return undefined;
  if (text.startsWith('{') || text.startsWith('[') || text.startsWith(recordSeparator)) return 'values';
  return eventStart.test(text) ? 'events' : 'other';
}

/** Media types of objects one after another. */
const sequences = /(?:ndjson|jsonl|jsonlines|json-lines|json-seq|stream\+json|event-stream)$/;

/** Divides a body into its parts as it arrives: an event stream, a list of JSON values, or JSON values one after another. */
export class FrameReader {
  readonly #max: number;
  readonly #mediaType: string;
  #reader: SseDecoder | ValueReader | undefined;

  /** @param maxFrame characters of one part */
  constructor(maxFrame: number, mediaType: string) {
    this.#max = maxFrame;
    this.#mediaType = mediaType;
  }

  /** The parts that this chunk completes. @throws A2AError `invalidAgentResponse` if a part is too large */
  push(chunk: Uint8Array): readonly AnswerFrame[] {
    this.#reader ??= this.#readerFor(chunk);
    return this.#reader.push(chunk);
  }

  /** Returns the remaining parts at the end of the body. The last part may lack the line that ends it. */
  end(): readonly AnswerFrame[] {
    return this.#reader?.end() ?? [];
  }

  #readerFor(chunk: Uint8Array): SseDecoder | ValueReader {
    const beginning = Buffer.from(chunk.buffer, chunk.byteOffset, Math.min(chunk.byteLength, 256)).toString();
    if (formOf(beginning) !== 'values') return new SseDecoder(this.#max);
    return new ValueReader(this.#max, sequences.test(this.#mediaType));
  }
}

const frameOf = (data: string): AnswerFrame => ({ event: '', id: undefined, data });

/** JSON values as parts. */
class ValueReader {
  readonly #text = new TextDecoder();
  readonly #values: JsonValues;
  readonly #isSequence: boolean;
  /** The first object, while it may be the whole body. */
  #first: string | undefined;
  #count = 0;

  constructor(max: number, isSequence: boolean) {
    this.#values = new JsonValues(max);
    this.#isSequence = isSequence;
  }

  push(chunk: Uint8Array): readonly AnswerFrame[] {
    const values = this.#values.push(this.#text.decode(chunk, { stream: true }));
    this.#count += values.length;
    if (this.#first !== undefined && values.length > 0) {
      values.unshift(this.#first);
      this.#first = undefined;
    } else if (this.#count === 1 && values.length === 1 && !this.#isSequence && !this.#values.isList) {
      this.#first = values.pop();
    }
    return values.map(frameOf);
  }

  end(): readonly AnswerFrame[] {
    const first = this.#first;
    this.#first = undefined;
    const rest = this.#values.isWithinValue ? [frameOf(cutOff)] : [];
    if (first === undefined) return rest;
    return rest.length === 0 ? [{ ...frameOf(first), isWhole: true }] : [frameOf(first), ...rest];
  }
}

/** Replaces a value that the end of the body cuts off. */
const cutOff = '{';
