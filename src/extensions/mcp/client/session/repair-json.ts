import { parsedJson } from '../../../../core/model/json.ts';

/** Whether a text has what `repairedJson` can read. */
const isRepairable = (text: string): boolean => /NaN|Infinity|\p{Cc}/u.test(text);

/**
 * The value of a JSON text, also of one with `NaN` and `Infinity`, which become null, and with line breaks and other control
 * characters in its strings, as servers write it that put JSON together by themselves. Undefined: it is not JSON.
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
