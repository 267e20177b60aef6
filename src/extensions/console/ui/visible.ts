/** A piece of a text: characters to show, or one that must not act and is shown by its number. */
export type Piece = { readonly text: string } | { readonly mark: string };

/**
 * Characters that act without being seen: controls except tabs and line feeds, format characters such as those that change
 * the direction, line separators, lone surrogates, private and unassigned ones, blank letters, variation selectors beyond
 * those of emoji, and all but four combining marks in a row. Joiners within emoji are left alone.
 */
const acting =
  // biome-ignore lint/suspicious/noMisleadingCharacterClass: each of these characters is looked for by itself
  /(?<=\p{M}{4})\p{M}|[^\P{C}\t\n]|[\u2028\u2029\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\uffa0\ufe00-\ufe0d\u{e0100}-\u{e01ef}]/gu;

/** Splits a text at characters that would act on the page or hide something. */
export function visiblePieces(text: string): Piece[] {
  const pieces: Piece[] = [];
  let from = 0;
  for (const { 0: character, index } of text.matchAll(acting)) {
    // Within an emoji.
    if (character === '\u200d' && index > 0 && isJoinedAt(text, index)) continue;
    if (index > from) pieces.push({ text: text.slice(from, index) });
    pieces.push({ mark: markOf(character) });
    from = index + character.length;
  }
  if (from < text.length) pieces.push({ text: text.slice(from) });
  return pieces;
}

/** Returns a text as one visible line, for titles and labels. */
export const visibleLine = (text: string, max = 200): string => {
  const shown = visiblePieces(text.slice(0, max))
    .map((piece) => ('text' in piece ? piece.text : `[${piece.mark}]`))
    .join('')
    .replace(/\s+/g, ' ');
  return text.length > max ? `${shown}…` : shown;
};

const markOf = (character: string): string =>
  `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;

const isJoinedAt = (text: string, index: number): boolean =>
  /\p{Extended_Pictographic}\p{M}*$/u.test(text.slice(Math.max(0, index - 16), index)) &&
  /^\p{Extended_Pictographic}/u.test(text.slice(index + 1, index + 3));

/** Returns the start of a text that is not longer than `max` characters, and does not end within one. */
export const startOf = (text: string, max: number): string =>
  text.length <= max ? text : text.slice(0, /[\ud800-\udbff]/.test(text.charAt(max - 1)) ? max - 1 : max);

/**
 * Characters that act without being seen: format characters, such as those that change the direction of text, and line
 * separators. JSON escapes control characters already.
 */
const invisible = /[\u007f-\u009f\u2028\u2029]|\p{Cf}/gu;

/** Returns JSON text for people to edit: invisible characters are escaped, which does not change the meaning. */
export function visibleJson(value: unknown): string {
  const text = JSON.stringify(value ?? {}, undefined, 2);
  return text.replace(invisible, (character) =>
    Array.from({ length: character.length }, (_, at) => escaped(character.charCodeAt(at))).join(''),
  );
}

const escaped = (unit: number): string => `\\u${unit.toString(16).padStart(4, '0')}`;
