/** The framing of server-sent events, as far as events are read and written anew. */

/** The fields of one event that has ended. */
export interface EventFields {
  /** '' for an event without a name. */
  readonly name: string;
  /** Undefined: it has no data. */
  readonly data: string | undefined;
  /** Lines of `id` and `retry` as they came, for whatever resumes the stream. */
  readonly others: readonly string[];
}

/** Whether a text begins as server-sent events do. */
export const isEventText = (text: string): boolean => /^\s*(?::|(?:event|data|id|retry)\s*:)/.test(text);

/** The fields of the lines between two blank lines. */
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

/** The data of all events in a text, one in each line. */
export const dataIn = (text: string): string =>
  text
    .split(/(?:\r\n|\r|\n){2,}/)
    .flatMap((block) => fieldsOf(block).data?.replaceAll('\n', ' ') ?? [])
    .join('\n');

const blankLine = /(?:\r\n|\r(?!\n)|\n)(?:\r\n|\r(?!\n)|\n)/;

/** Characters at the end of a chunk that may begin a blank line. */
const longestStart = 3;

/** Splits a stream into the blocks between blank lines, wherever its bytes are cut. */
export class EventBlocks {
  readonly #decoder = new TextDecoder();
  /** The block that has not ended, in the pieces in which it came. */
  #pieces: string[] = [];

  /** The blocks that these bytes complete. */
  push(bytes: Uint8Array): string[] {
    const blocks: string[] = [];
    let text = this.#decoder.decode(bytes, { stream: true });
    for (;;) {
      // The earlier text has no blank line, but may end in the first half of one.
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
    // The last piece has all that may begin a blank line.
    if (last !== undefined && Math.min(last.length, text.length) < longestStart) {
      this.#pieces[this.#pieces.length - 1] = last + text;
    } else if (text !== '') this.#pieces.push(text);
  }

  /** The text after the last blank line. */
  end(): string {
    return this.#pieces.join('') + this.#decoder.decode();
  }
}
