import { readStored, unreadable } from '../../core/model/stored-form.ts';
import type { ChangePosition } from '../../core/ports/admin-store.ts';

/** Row of `meta` with the position up to which tasks are indexed. If it is missing, all tasks are indexed again. */
export const positionName = 'full text position';

/** Throws for a row that cannot be read. */
export function readPosition(text: string): ChangePosition {
  const position = readStored<ChangePosition>('The position of the index of words', text);
  if (Number.isSafeInteger(position.at) && typeof position.key === 'string') return position;
  throw unreadable('The position of the index of words', 'it has no time or no key');
}

export const positionText = (position: ChangePosition): string => JSON.stringify(position);
