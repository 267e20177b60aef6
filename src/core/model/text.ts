import type { Message, Part } from './a2a.ts';
import { isObject } from './json.ts';

/** Strips the characters of a set from a text's end, in linear time: a regular expression is quadratic. */
export function trimEnd(text: string, characters: string): string {
  let end = text.length;
  while (end > 0 && characters.includes(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
}

/** Splits a header that is a list into its entries, such as `A2A-Gateway-Loss`. */
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
  /** Returns the text to append for the next part: its text, after a separator if one is needed. */
  push(part: Part): string;
}

/**
 * Agents send chunks of a model's output, to be concatenated, and separate texts, to be put on lines of their own,
 * without marking them. Parts with spaces at their edges, and single words, are treated as chunks.
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

/** Shortens a text to at most `most` characters. */
export const shortened = (text: string, most: number): string =>
  text.length > most ? `${text.slice(0, most)}…` : text;

/** The beginning of the first line that is not blank: 160 characters, and one more where there are more. */
const lineBeginning = /\S[^\n\v\f\r\u0085\u2028\u2029]{0,160}/u;
/** Number of characters that are searched for that line. */
const searchedForLine = 4_096;

/** Returns the first line of a text that is not blank, at most 160 characters of it. '' if there is none. */
export function firstLine(text: string): string {
  const [found = ''] = lineBeginning.exec(text.length > searchedForLine ? text.slice(0, searchedForLine) : text) ?? [];
  const characters = found.length > 160 ? [...found] : [];
  return (characters.length > 160 ? `${characters.slice(0, 160).join('')}…` : found.trimEnd()).toWellFormed();
}

/** Summarises a message in one line: its first text, else the name of a file or the keys of data. */
export function lineOfMessage({ parts = [] }: Partial<Pick<Message, 'parts'>>): string {
  for (const { text } of parts) {
    const line = text && firstLine(text);
    if (line) return line;
  }
  for (const part of parts) {
    const line = firstLine(lineOfPart(part));
    if (line) return line;
  }
  return '';
}

function lineOfPart({ data, filename, mediaType, url, raw }: Part): string {
  if (isObject(data)) return Object.keys(data).slice(0, 20).join(', ');
  if (data !== undefined) return typeof data === 'string' ? data : 'data';
  // Not the URL: it may hold a secret.
  return filename || mediaType || (url !== undefined || raw !== undefined ? 'a file' : '');
}

/** A text on one line, and no longer than `width`. */
export function oneLine(text: string, width: number): string {
  const line = withoutControls(text.replace(/\s+/g, ' ').trim());
  return line.length <= width ? line : `${line.slice(0, Math.max(0, width - 1))}…`;
}
