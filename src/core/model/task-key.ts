import type { TaskOwner } from '../ports/task-store.ts';

/**
 * A task's key in the store. Ids that the gateway makes are unique everywhere and are their own key. An id that the
 * caller chose is unique within its owner only; its key names the owner too. The two can never be equal: one is a
 * UUID, the other a JSON array.
 */
export const taskKey = ({ agent, tenant, principal }: TaskOwner, id: string, chosen: boolean): string =>
  chosen ? JSON.stringify([agent, tenant, principal, id]) : id;

/**
 * Whether an id looks like one that the gateway makes, a UUID of version 7. A caller may choose such an id, too; any
 * other can only be a caller's choice.
 */
export const looksMade = (id: string): boolean =>
  id.length === 36 && id[14] === '7' && id[8] === '-' && id[13] === '-' && id[18] === '-' && id[23] === '-';
