/** The framing of server-sent events, as far as events are read and written anew. */

/** Fields of one complete event. */
export interface EventFields {
  /** '' for an event without a name. */
  readonly name: string;
  /** Undefined: the event has no data. */
  readonly data: string | undefined;
  /** Unchanged lines of `id` and `retry`, with which a client resumes the stream. */
  readonly others: readonly string[];
}

/** Whether a text begins as server-sent events do. */
export const isEventText = (text: string): boolean => /^\s*(?::|(?:event|data|id|retry)\s*:)/.test(text);

/** Returns the fields in the lines between two blank lines. */
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

/** Returns the data of all events in a text, one event in each line. */
export const dataIn = (text: string): string =>
  text
    .split(/(?:\r\n|\r|\n){2,}/)
    .flatMap((block) => fieldsOf(block).data?.replaceAll('\n', ' ') ?? [])
    .join('\n');

const blankLine = /(?:\r\n|\r(?!\n)|\n)(?:\r\n|\r(?!\n)|\n)/;

/** Most characters at the end of a chunk that may be the beginning of a blank line. */
const longestStart = 3;

/** Divides a stream into the blocks between blank lines. Chunks may end anywhere. */
export class EventBlocks {
  readonly #decoder = new TextDecoder();
  /** Incomplete block, in the pieces that arrived. */
  #pieces: string[] = [];

  /** Adds bytes. Returns the blocks that they complete. */
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

  /** Returns the text after the last blank line. */
  end(): string {
    return this.#pieces.join('') + this.#decoder.decode();
  }
}
