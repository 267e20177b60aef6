import type { TaskOwner } from './ports.ts';

/**
 * A task's key in the store. Ids that the gateway makes are unique everywhere and are their own key. An id that the
 * caller chose is unique within its owner only; its key names the owner too. The two can never be equal: one is a
 * UUID, the other a JSON array.
 */
export const taskKey = ({ agent, tenant, principal }: TaskOwner, id: string, chosen: boolean): string =>
  chosen ? JSON.stringify([agent, tenant, principal, id]) : id;
