import { endOfString } from '../../core/model/json.ts';

/** Characters of a task's texts that are indexed. */
export const maxTextLength = 32_768;
/** Characters of a longer word that are indexed. */
const maxWordLength = 64;

/** Pattern of a word of letters, digits and underscores. In scripts without spaces, each character is a word. */
const word = /[\p{L}\p{M}\p{N}_\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}]+/gu;
const wordOfItsOwn = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}]/gu;

/** The words of a text, each once, in lower case. The result does not depend on the database. */
export function wordsOf(text: string): string[] {
  const spaced = text.normalize('NFKC').toLowerCase().replace(wordOfItsOwn, ' $& ');
  return [...new Set((spaced.match(word) ?? []).map((found) => found.slice(0, maxWordLength)))];
}

const textMember = '"text":"';

/** Collects the texts of a task's events, whose JSON need not be parsed. */
export class TextCollector {
  #text = '';

  get isFull(): boolean {
    return this.#text.length >= maxTextLength;
  }

  get text(): string {
    return this.#text;
  }

  /** @param body the JSON of an event, or its beginning */
  add(body: string): void {
    // A chunk of an artifact continues where the previous one ended, perhaps within a word.
    let separator = body.startsWith('{"artifactUpdate"') && body.includes('"append":true') ? '' : '\n';
    for (let at = body.indexOf(textMember); at >= 0 && !this.isFull; at = body.indexOf(textMember, at)) {
      const start = at + textMember.length - 1;
      const end = endOfString(body, start);
      this.#text += (separator + textAt(body, start, end)).slice(0, maxTextLength - this.#text.length);
      separator = '\n';
      at = end;
    }
  }
}

/** The string of JSON between two positions. If it is cut off, escapes are left out. */
const textAt = (body: string, start: number, end: number): string =>
  end < body.length
    ? JSON.parse(body.slice(start, end + 1))
    : body.slice(start + 1).replace(/\\u[\da-f]{0,4}|\\.?/gi, ' ');
