import type { Part } from './a2a.ts';

/**
 * A text without the characters of a set at its end, in linear time. A regular expression such as `/0+$/` is quadratic: it
 * starts anew at each of the characters.
 */
export function trimEnd(text: string, characters: string): string {
  let end = text.length;
  while (end > 0 && characters.includes(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
}

/** A text without the characters of a set at its start. */
export function trimStart(text: string, characters: string): string {
  let start = 0;
  while (start < text.length && characters.includes(text.charAt(start))) start += 1;
  return text.slice(start);
}

/** Puts the parts of one artifact or message together as one text, one after the other. */
export interface Joiner {
  /** How many parts there were. */
  readonly count: number;
  /** What the text goes on with: the next part's text, and before it what keeps it apart. */
  push(part: Part): string;
}

const edged = (before: string, next: string): boolean => /\s$/.test(before) || /^[\s.,;:!?]/.test(next);

/**
 * Agents send text in pieces of two sorts, and nothing tells them apart: the words of a model as they come, which belong
 * together as they are, and pieces that stand each for itself, which want lines of their own. Pieces that bring their
 * spaces along, or are single words, are taken for the first sort; pieces of several words without spaces at their
 * edges for the second.
 *
 * @param textOf what stands for a part
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
      flowing ||= edged(previous, next) || !/\S\s\S/.test(previous);
      return flowing ? next : `\n${next}`;
    },
  };
}
