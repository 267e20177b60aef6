import type { Message } from '../../gen/a2a-v1/types.ts';

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

/**
 * For each of `theirs` the place of the message among `ours` that it is, or undefined where it is none of them. By id;
 * failing that by what it says, since old dialects give messages no ids, so that one read twice has two. No message of
 * ours stands for two of theirs.
 */
export function matchMessages(ours: readonly Message[], theirs: readonly Message[]): (number | undefined)[] {
  const byId = new Map(ours.map(({ messageId }, at) => [messageId, at]));
  const taken = new Set<number>();
  const places = theirs.map(({ messageId }) => {
    const at = byId.get(messageId);
    if (at === undefined || taken.has(at)) return undefined;
    taken.add(at);
    return at;
  });
  theirs.forEach((message, i) => {
    if (places[i] !== undefined) return;
    const at = ours.findIndex((one, place) => !taken.has(place) && sayTheSame(one, message));
    if (at < 0) return;
    taken.add(at);
    places[i] = at;
  });
  return places;
}
