/** Reads the framing of server-sent events, as far as it is needed for rewriting them. */

/** The fields of one complete event. */
export interface EventFields {
  /** Name of the event; '' if it has none. */
  readonly name: string;
  /** Data of the event; undefined if it has none. */
  readonly data: string | undefined;
  /** Unchanged `id` and `retry` lines, with which a client resumes the stream. */
  readonly others: readonly string[];
}

/** Whether a text begins like server-sent events. */
export const isEventText = (text: string): boolean => /^\s*(?::|(?:event|data|id|retry)\s*:)/.test(text);

/** Reads the fields in the lines between two blank lines. */
export function fieldsOf(block: string): EventFields {
  let name = '';
  const others: string[] = [];
  const data: string[] = [];
  for (const line of block.split(/\r\n|\r|\n/)) {
    const [, field = '', value = ''] = /^([^:]*):? ?([\s\S]*)$/.exec(line) ?? [];
    if (field === 'data') data.push(value);
    else if (field === 'event') name = value.trim();
    else if (field === 'id' || field === 'retry') others.push(`${field}: ${value}`);
  }
  return { name, data: data.length > 0 ? data.join('\n') : undefined, others };
}

/** Returns the data of all events in a text, one line per event. */
export const dataIn = (text: string): string =>
  text
    .split(/(?:\r\n|\r|\n){2,}/)
    .flatMap((block) => fieldsOf(block).data?.replaceAll('\n', ' ') ?? [])
    .join('\n');

const blankLine = /(?:\r\n|\r(?!\n)|\n)(?:\r\n|\r(?!\n)|\n)/;

/** Maximum characters at the end of a chunk that can be the beginning of a blank line. */
const longestStart = 3;

/** Splits a stream at blank lines into blocks. A chunk may end anywhere. */
export class EventBlocks {
  readonly #decoder = new TextDecoder();
  /** Chunks of the incomplete block. */
  #pieces: string[] = [];

  /** Adds bytes and returns the blocks that they complete. */
  push(bytes: Uint8Array): string[] {
    const blocks: string[] = [];
    let text = this.#decoder.decode(bytes, { stream: true });
    for (;;) {
      // The earlier text contains no blank line, but may end within one.
      const before = this.#pieces.at(-1)?.slice(-longestStart) ?? '';
      const found = blankLine.exec(before + text);
      if (!found) break;
      const end = found.index - before.length;
      const whole = this.#pieces.join('') + text.slice(0, Math.max(0, end));
      blocks.push(end < 0 ? whole.slice(0, end) : whole);
      this.#pieces = [];
      text = (before + text).slice(found.index + found[0].length);
    }
    this.#add(text);
    return blocks;
  }

  #add(text: string): void {
    const last = this.#pieces.at(-1);
    // The last chunk must contain everything that may begin a blank line.
    if (last !== undefined && Math.min(last.length, text.length) < longestStart) {
      this.#pieces[this.#pieces.length - 1] = last + text;
    } else if (text !== '') this.#pieces.push(text);
  }

  /** Returns the text after the last blank line. */
  end(): string {
    return this.#pieces.join('') + this.#decoder.decode();
  }
}
