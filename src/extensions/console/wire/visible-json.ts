/**
 * Characters that act without being seen: format characters, such as those that change the direction of text, and line
 * separators. JSON escapes control characters already.
 */
const invisible = /[\u007f-\u009f\u2028\u2029]|\p{Cf}/gu;

/** JSON text for people to edit: what they would not see is escaped, which means the same. */
export function visibleJson(value: unknown): string {
  const text = JSON.stringify(value ?? {}, undefined, 2);
  return text.replace(invisible, (character) =>
    Array.from({ length: character.length }, (_, at) => escaped(character.charCodeAt(at))).join(''),
  );
}

const escaped = (unit: number): string => `\\u${unit.toString(16).padStart(4, '0')}`;
