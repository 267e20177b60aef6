import { parsedJson } from '../../../../core/model/json.ts';

/** Whether a text contains something that `repairedJson` can repair. */
const isRepairable = (text: string): boolean => /NaN|Infinity|\p{Cc}/u.test(text);

/**
 * Parses JSON text, including text of servers that assemble JSON themselves: `NaN` and `Infinity` become null, and line
 * breaks and other control characters in strings are accepted. Undefined if the text is not JSON.
 */
export function repairedJson(text: string): unknown {
  const value = parsedJson(text);
  if (value !== undefined || !isRepairable(text)) return value;
  const pieces = text.match(/"(?:[^"\\]|\\[\s\S])*"|[^"]+/g) ?? [];
  return parsedJson(pieces.map((piece) => (piece.startsWith('"') ? escaped(piece) : withoutNaN(piece))).join(''));
}

const escaped = (string: string): string =>
  string.replaceAll(/\p{Cc}/gu, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);

const withoutNaN = (between: string): string => between.replaceAll(/-?\b(?:NaN|Infinity)\b/g, 'null');
