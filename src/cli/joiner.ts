import type { Part } from '../client/index.ts';
import { createJoiner as createJoinerOf, type Joiner } from '../core/model/text.ts';
import { partText } from './part-text.ts';

export type { Joiner };

/** Puts parts together as people are shown them. */
export const createJoiner = (): Joiner => createJoinerOf(partText);

/** All parts as one text. */
export function joinParts(parts: readonly Part[]): string {
  const joiner = createJoiner();
  return parts.map((part) => joiner.push(part)).join('');
}
