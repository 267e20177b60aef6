/** What the Python samples call plain text, in cards and in what a client accepts. */
const bareText = 'text';
const plainText = 'text/plain';

/** Modes as media types, each once; the same list when it holds no bare word. */
export function decodeModes(modes: string[]): string[] {
  if (!modes.includes(bareText)) return modes;
  return [...new Set(modes.map((mode) => (mode === bareText ? plainText : mode)))];
}
