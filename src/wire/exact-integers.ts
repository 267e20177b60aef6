/**
 * JSON numbers are doubles once they are parsed, exact up to 2^53; 64-bit integers may be sent as numbers all the same. The
 * digits of larger integers are remembered here, beside the parsed value, for the fields that turn out to be such.
 */

/** By the object or array that holds the number, and its key. */
const digits = new WeakMap<object, Map<string, string>>();

const integer = /^-?\d+$/;

/** Parses JSON text whose numbers may be large. Much slower than JSON.parse. */
export function parseExactly(text: string): unknown {
  return JSON.parse(text, function (this: object, key: string, value: unknown, context?: { source?: string }) {
    if (typeof value === 'number' && !Number.isSafeInteger(value) && integer.test(context?.source ?? '')) {
      const known = digits.get(this) ?? new Map<string, string>();
      known.set(key, context?.source as string);
      digits.set(this, known);
    }
    return value;
  } as (this: unknown, key: string, value: unknown) => unknown);
}

/** The digits of an integer beyond 2^53; undefined for every other member. */
export const exactInteger = (holder: object, key: string): string | undefined => digits.get(holder)?.get(key);

/** Remembers the digits of one object's members for a copy of it. */
export function copyExact<T extends object>(from: object, to: T): T {
  const known = digits.get(from);
  if (known) digits.set(to, known);
  return to;
}

/** Moves the digits of members that were added to a larger object or array, behind so many others. */
export function moveExact(from: object, to: object, before: number): void {
  const known = digits.get(from);
  const all = digits.get(to) ?? new Map<string, string>();
  // A member may be there again, with another value.
  if (!Array.isArray(to)) for (const name of all.keys()) if (Object.hasOwn(from, name)) all.delete(name);
  for (const [name, text] of known ?? []) all.set(Array.isArray(to) ? String(Number(name) + before) : name, text);
  if (known) digits.set(to, all);
}
