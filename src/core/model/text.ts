import type { Part } from './a2a.ts';

/** A text without the characters of a set at its end, in linear time: a regular expression is quadratic. */
export function trimEnd(text: string, characters: string): string {
  let end = text.length;
  while (end > 0 && characters.includes(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
}

/** The entries of a header that is a list, such as `A2A-Gateway-Loss`. */
export function entriesOf(header: string | readonly string[] | null | undefined): readonly string[] {
  if (header === undefined || header === null) return noEntries;
  return String(header)
    .split(',')
    .map((entry) => entry.trim())
    .filter(Boolean);
}

const noEntries: readonly string[] = [];

/**
 * Control characters except tab and line feed, separators of lines, and characters that change the order of what is written:
 * an agent's text must not control a terminal.
 */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const controls = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g;

/** A text that is safe to show on a terminal. */
export const withoutControls = (text: string): string => text.replace(controls, '\uFFFD');

/** Joins the parts of one artifact or message to one text, one after the other. */
export interface Joiner {
  /** Number of parts so far. */
  readonly count: number;
  /** The text to append for the next part: its text, after a separator where one is needed. */
  push(part: Part): string;
}

/**
 * Agents send chunks of a model's output, to be concatenated, and separate texts, to be put on lines of their own,
 * without marking them. Parts with spaces at their edges, and single words, are taken for chunks.
 */
export function createJoiner(textOf: (part: Part) => string): Joiner {
  let count = 0;
  let flowing = false;
  let before: string | undefined;
  return {
    get count() {
      return count;
    },
    push(part) {
      count++;
      const next = textOf(part);
      const previous = before;
      before = part.text;
      if (count === 1) return next;
      if (previous === undefined || part.text === undefined) return `\n${next}`;
      flowing ||= /\s$/.test(previous) || /^[\s.,;:!?]/.test(next) || !/\S\s\S/.test(previous);
      return flowing ? next : `\n${next}`;
    },
  };
}

/** At most so many characters of a text. */
export const shortened = (text: string, most: number): string =>
  text.length > most ? `${text.slice(0, most)}…` : text;
