import { A2AError } from '../core/model/errors.ts';

const quote = 0x22;
const backslash = 0x5c;
const openBracket = 0x5b;
const closeBracket = 0x5d;
const openBrace = 0x7b;
const closeBrace = 0x7d;

/**
 * Finds the objects and lists in text that arrives in chunks: the items of one list, the format of Google's
 * transcoding, or concatenated values, with or without line breaks. All other values are ignored.
 */
export class JsonValues {
  readonly #max: number;
  /** Number of open brackets, and the depth at which values begin: 1 if the text is a list, otherwise 0. */
  #depth = 0;
  #outer: 0 | 1 | undefined;
  #inString = false;
  #escaped = false;
  /** Chunks of a value that is still incomplete, and their total number of characters. */
  #pieces: string[] = [];
  #length = 0;

  /** @param maxValue maximum number of characters of one value */
  constructor(maxValue: number) {
    this.#max = maxValue;
  }

  /** Whether the text so far ends within a value. */
  get isWithinValue(): boolean {
    return this.#outer !== undefined && this.#depth > this.#outer;
  }

  /** Whether the text is a list of values. */
  get isList(): boolean {
    return this.#outer === 1;
  }

  /**
   * Returns the texts of the values that this chunk completes.
   *
   * @throws A2AError `invalidAgentResponse` if a value is too large
   */
  push(text: string): string[] {
    const values: string[] = [];
    let start = 0;
    for (let at = 0; at < text.length; at += 1) {
      const code = text.charCodeAt(at);
      if (this.#inString) this.#readString(code);
      else if (code === quote) this.#inString = true;
      else if (code === openBrace || code === openBracket) {
        if (this.#open(code)) start = at;
      } else if ((code === closeBrace || code === closeBracket) && this.#close()) {
        values.push(this.#take(text.slice(start, at + 1)));
      }
    }
    if (this.isWithinValue) this.#keep(text.slice(start));
    return values;
  }

  #readString(code: number): void {
    if (this.#escaped) this.#escaped = false;
    else if (code === backslash) this.#escaped = true;
    else if (code === quote) this.#inString = false;
  }

  /** Counts an opening bracket. Returns whether it begins a value. */
  #open(code: number): boolean {
    this.#outer ??= code === openBracket ? 1 : 0;
    this.#depth += 1;
    return this.#depth === this.#outer + 1;
  }

  /** Counts a closing bracket. Returns whether it ends a value. */
  #close(): boolean {
    if (this.#depth === 0) return false;
    this.#depth -= 1;
    return this.#depth === this.#outer;
  }

  #keep(piece: string): void {
    this.#pieces.push(piece);
    this.#length += piece.length;
    if (this.#length > this.#max) {
      throw new A2AError('invalidAgentResponse', `A value of the response is larger than ${this.#max} characters`);
    }
  }

  #take(last: string): string {
    this.#keep(last);
    const value = this.#pieces.join('');
    this.#pieces = [];
    this.#length = 0;
    return value;
  }
}
