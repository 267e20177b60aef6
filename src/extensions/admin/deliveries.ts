import { timestamp } from '../../core/model/agent-events.ts';
import type { AdminStore, UndeliveredPush } from '../../core/ports/admin-store.ts';
import type { DeliveryStatus } from '../../gen/admin-v1/types.ts';
import { pageSizeOf } from './requests.ts';
import type { AdminHandlers } from './service.ts';

export interface DeliveryHandlersDeps {
  readonly store: Pick<AdminStore, 'listUndelivered' | 'retryUndelivered'>;
}

const page = { fallback: 100, max: 1_000 } as const;

/** The operations about push notifications that were not delivered. */
export function deliveryHandlers({ store }: DeliveryHandlersDeps): AdminHandlers<'ListDeliveries' | 'RetryDeliveries'> {
  return {
    async ListDeliveries({ taskId, pageSize, pageToken = '' }) {
      const size = pageSizeOf(pageSize, page);
      const { items, nextPageToken } = await store.listUndelivered(taskId || undefined, size, pageToken);
      return { value: { deliveries: items.map(statusOf), nextPageToken } };
    },

    async RetryDeliveries({ taskId }) {
      return { value: { retried: await store.retryUndelivered(taskId || undefined) } };
    },
  };
}

const statusOf = ({ first, last, at, ...push }: UndeliveredPush): DeliveryStatus => ({
  ...push,
  firstPosition: first,
  lastPosition: last,
  time: timestamp(at),
});
