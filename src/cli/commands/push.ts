import { oneLine } from '../../core/model/text.ts';
import type { DeliveryStatus } from '../../gen/admin-v1/types.ts';
import type { Output } from '../output.ts';
import { type GatewayOptions, withAdmin } from '../own-gateway.ts';

export interface PushOptions extends GatewayOptions {
  readonly task?: string;
}

export interface PushListOptions extends PushOptions {
  readonly limit: number;
}

/** Maximum number of deliveries in one request. */
const pageSize = 1_000;

/** `a2a-gateway push list`: lists dead letters, and push notifications that wait for a retry. */
export async function list(target: string | undefined, options: PushListOptions, output: Output): Promise<void> {
  const { limit, task } = options;
  const found = await withAdmin(target, options, output, async (admin) => {
    const all: DeliveryStatus[] = [];
    let pageToken = '';
    do {
      const size = Math.min(pageSize, limit - all.length);
      const request = { pageSize: size, pageToken, ...(task !== undefined && { taskId: task }) };
      const page = await admin.listDeliveries(request);
      all.push(...(page.deliveries ?? []));
      pageToken = page.nextPageToken ?? '';
    } while (pageToken !== '' && all.length < limit);
    if (pageToken !== '') output.note(`note: there are more than ${limit}; raise --limit`);
    return all;
  });
  if (options.json) output.json(found);
  else if (found.length === 0) output.print('All push notifications are delivered.\n');
  else output.print(`${found.map(shown).join('\n')}\n`);
}

/** `a2a-gateway push retry`: retries dead letters and waiting notifications. The replicas on the store deliver them. */
export async function retry(target: string | undefined, options: PushOptions, output: Output): Promise<void> {
  const request = options.task === undefined ? {} : { taskId: options.task };
  const { retried = 0 } = await withAdmin(target, options, output, (admin) => admin.retryDeliveries(request));
  const webhooks = retried === 1 ? '1 webhook' : `${retried} webhooks`;
  output.print(retried === 0 ? 'Nothing to retry.\n' : `Retrying ${webhooks}.\n`);
}

/** Formats two lines about one push configuration. */
function shown(delivery: DeliveryStatus): string {
  const { state, taskId, configId = '', agent = '', receiver = '', reason = '', time = '' } = delivery;
  const { firstPosition: first = 0, lastPosition: last = first, attempts = 0 } = delivery;
  const events = first === last ? `event ${first}` : `events ${first} to ${last}`;
  const what = state === 'dead' ? `dead letter since ${time}` : `attempt ${attempts + 1} at ${time}`;
  const named = configId === taskId || configId === '' ? '' : `, configuration ${configId}`;
  return `task ${taskId} of ${agent}${named}\n  ${receiver}: ${events} ${what}: ${oneLine(reason, 200)}`;
}
