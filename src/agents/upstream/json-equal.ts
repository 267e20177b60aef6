import type { Message } from '../../core/model/a2a.ts';

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Whether two JSON values are the same; a member that is undefined is not there. */
export function same(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  if (Array.isArray(one)) {
    return Array.isArray(other) && one.length === other.length && one.every((item, at) => same(item, other[at]));
  }
  if (!isObject(one) || !isObject(other)) return false;
  for (const key in one) if (!same(one[key], other[key])) return false;
  for (const key in other) if (other[key] !== undefined && one[key] === undefined) return false;
  return true;
}

/** Whether two messages say the same, whatever they are called. */
const sayTheSame = (one: Message, other: Message): boolean => one.role === other.role && same(one.parts, other.parts);

/** Ways for two messages to be one, the surest first. */
const likenesses: readonly ((one: Message, other: Message) => boolean)[] = [
  // Clients use ids again.
  (one, other) => one.messageId === other.messageId && sayTheSame(one, other),
  (one, other) => one.messageId === other.messageId,
  sayTheSame,
];

/**
 * For each of `theirs` the place of the message among `ours` that it is, or undefined where it is none of them. By id;
 * failing that by what it says, since old dialects give messages no ids, so that one read twice has two. No message of
 * ours stands for two of theirs.
 */
export function matchMessages(ours: readonly Message[], theirs: readonly Message[]): (number | undefined)[] {
  const free = new Set(ours.keys());
  const places = new Array<number | undefined>(theirs.length).fill(undefined);
  for (const alike of likenesses) {
    if (free.size === 0) break;
    theirs.forEach((message, i) => {
      if (places[i] !== undefined) return;
      for (const at of free) {
        if (!alike(ours[at] as Message, message)) continue;
        free.delete(at);
        places[i] = at;
        return;
      }
    });
  }
  return places;
}
