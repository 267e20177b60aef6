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
