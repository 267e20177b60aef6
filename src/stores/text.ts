// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what the escape is about
const special = /[\u0000\u0001]/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: the escape character
const escaped = /\u0001([01])/g;

/**
 * Text as both databases can hold it. PostgreSQL has no U+0000: it becomes U+0001 and '0', and U+0001 itself U+0001
 * and '1'. Everything else stays as it is.
 */
export const escapeText = (text: string): string =>
  text.search(special) < 0 ? text : text.replace(special, (char) => (char === '\u0000' ? '\u00010' : '\u00011'));

/** The text that `escapeText` was given. */
export const unescapeText = (text: string): string =>
  text.includes('\u0001') ? text.replace(escaped, (_, digit) => (digit === '0' ? '\u0000' : '\u0001')) : text;
