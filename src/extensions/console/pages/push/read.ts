import type { DeliveryStatus } from '../../../../gen/admin-v1/types.ts';
import { admin } from '../../gateway/admin.ts';

/** The most that the page reads: with more, it says so. */
export const mostDeliveries = 5_000;
const pageSize = 1_000;

export interface Deliveries {
  readonly list: readonly DeliveryStatus[];
  /** Whether there are more than were read. */
  readonly more: boolean;
}

/** Reads undelivered events, those of one task or of all, up to a bound. */
export async function readDeliveries(taskId: string, signal: AbortSignal): Promise<Deliveries> {
  const list: DeliveryStatus[] = [];
  for (let pageToken = ''; ; ) {
    const page = await admin.call(
      'ListDeliveries',
      { pageSize, ...(taskId && { taskId }), ...(pageToken && { pageToken }) },
      { signal },
    );
    list.push(...(page.deliveries ?? []));
    pageToken = page.nextPageToken ?? '';
    if (pageToken === '' || list.length >= mostDeliveries) return { list, more: pageToken !== '' };
  }
}
