import { A2AError } from '../core/model/errors.ts';

/** Server-sent events as bytes (WHATWG HTML section 9.2). Written strictly; read with any chunk boundaries. */

/** An event to be written. Line breaks of every kind in `data` become `\n`. */
export interface SseFrame {
  readonly event?: string;
  readonly id?: string | number;
  readonly data: string;
}

/** An event that was read. */
export interface SseEvent {
  /** Name of the event; '' if it has none. */
  readonly event: string;
  /** Latest id in the stream, possibly from an earlier event. */
  readonly id: string | undefined;
  readonly data: string;
}

/**
 * A comment that keeps the connection alive. No blank line follows it: once the stream has had an id, some readers,
 * such as httpx-sse for Python, treat a blank line as an event without data.
 */
export const sseComment = ':\n';

const fields: ReadonlySet<string> = new Set(['data', 'event', 'id', 'retry']);

/** Returns the normalized name of a field: some servers capitalize it or put spaces around it. */
function fieldOf(name: string): string {
  if (fields.has(name)) return name;
  const normalized = name.trim().toLowerCase();
  return fields.has(normalized) ? normalized : name;
}

/**
 * Matches a continuation line of JSON: some servers spread JSON over several lines and write the field name on the
 * first line only.
 */
const restOfJson = /^\s*(?:["{}[\],\d-]|true|false|null)/;

const lineBreak = /\r\n|\r|\n/;

/**
 * Returns the text of one event, including the blank line that ends it. Event names and ids must not contain line
 * breaks.
 */
export function encodeSse({ event, id, data }: SseFrame): string {
  let text = '';
  if (event !== undefined) text += `event: ${event}\n`;
  if (id !== undefined) text += `id: ${id}\n`;
  if (data.includes('\n') || data.includes('\r')) {
    for (const line of data.split(lineBreak)) text += `data: ${line}\n`;
    return `${text}\n`;
  }
  return `${text}data: ${data}\n\n`;
}

/**
 * Reads a stream of events chunk by chunk. Events without data are ignored, as in browsers. An event that is cut off by
 * the end of the stream is returned by `end` only.
 */
export class SseDecoder {
  readonly #max: number;
  readonly #text = new TextDecoder();
  /** Start of a line that is still incomplete. */
  #rest = '';
  /** Whether the last chunk ended in CR: an LF that follows belongs to it. */
  #afterCr = false;
  #event = '';
  #data: string | undefined;
  #id: string | undefined;

  /** @param maxEvent maximum number of characters of one event's data, and of one line */
  constructor(maxEvent = 4 << 20) {
    this.#max = maxEvent;
  }

  /**
   * Returns the events that this chunk completes.
   *
   * @throws A2AError `invalidAgentResponse` if an event is too large
   */
  push(chunk: Uint8Array): SseEvent[] {
    let text = this.#text.decode(chunk, { stream: true });
    const events: SseEvent[] = [];
    if (text === '') return events;
    if (this.#afterCr && text.startsWith('\n')) text = text.slice(1);
    this.#afterCr = text.endsWith('\r');
    let start = 0;
    let lf = text.indexOf('\n');
    let cr = text.indexOf('\r');
    // Only the new text is searched: the rest of the previous chunk contains no line break.
    while (lf >= 0 || cr >= 0) {
      const end = cr < 0 || (lf >= 0 && lf < cr) ? lf : cr;
      this.#line(this.#rest + text.slice(start, end), events);
      this.#rest = '';
      start = end === cr && lf === cr + 1 ? end + 2 : end + 1;
      if (lf >= 0 && lf < start) lf = text.indexOf('\n', start);
      if (cr >= 0 && cr < start) cr = text.indexOf('\r', start);
    }
    this.#rest += text.slice(start);
    if (this.#rest.length > this.#max) throw this.#tooLarge();
    return events;
  }

  /**
   * Returns the event that the end of the stream cuts off, as far as it has arrived: its last line is incomplete, or
   * its blank line is missing.
   */
  end(): SseEvent[] {
    const events: SseEvent[] = [];
    if (this.#rest !== '') this.#line(this.#rest, events);
    this.#rest = '';
    this.#line('', events);
    return events;
  }

  #line(line: string, events: SseEvent[]): void {
    if (line.length > this.#max) throw this.#tooLarge();
    if (line === '') {
      if (this.#data !== undefined) events.push({ event: this.#event, id: this.#id, data: this.#data });
      this.#data = undefined;
      this.#event = '';
      return;
    }
    const colon = line.indexOf(':');
    if (colon === 0) return;
    const name = fieldOf(colon < 0 ? line : line.slice(0, colon));
    const value = colon < 0 ? '' : line.slice(line.charCodeAt(colon + 1) === 32 ? colon + 2 : colon + 1);
    if (name === 'data') {
      this.#data = this.#data === undefined ? value : `${this.#data}\n${value}`;
      if (this.#data.length > this.#max) throw this.#tooLarge();
    } else if (name === 'event') this.#event = value;
    else if (name === 'id') {
      if (!value.includes('\0')) this.#id = value;
    } else if (this.#data !== undefined && restOfJson.test(line)) this.#data += `\n${line}`;
  }

  #tooLarge(): A2AError {
    return new A2AError('invalidAgentResponse', `An event of the stream is larger than ${this.#max} characters`);
  }
}
