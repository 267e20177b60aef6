import { defaultConfig, loadConfig } from '../../config/index.ts';
import { openPushAdmin, type PushAdmin, type UndeliveredPush } from '../../gateway/compose/push.ts';
import { shownStore } from '../config-summary.ts';
import type { Output } from '../output.ts';
import { oneLine } from '../text.ts';

export interface PushOptions {
  readonly config?: string;
  readonly store?: string;
}

export interface PushListOptions extends PushOptions {
  readonly limit: number;
  readonly json?: boolean;
}

/** `a2a-gateway push list`: dead letters, and push notifications that wait for a retry. */
export function list(options: PushListOptions, output: Output): Promise<void> {
  return atDesk(options, async (desk, store) => {
    const found = await desk.list(options.limit);
    if (options.json) output.print(`${JSON.stringify(found, undefined, 2)}\n`);
    else if (found.length === 0) output.print(`All push notifications in ${store} are delivered.\n`);
    else output.print(`${found.map(shown).join('\n')}\n`);
  });
}

/** `a2a-gateway push retry`: retries dead letters and waiting notifications. The replicas on the store deliver them. */
export function retry(taskId: string | undefined, options: PushOptions, output: Output): Promise<void> {
  return atDesk(options, async (desk) => {
    const count = await desk.retry(taskId);
    const webhooks = count === 1 ? '1 webhook' : `${count} webhooks`;
    output.print(count === 0 ? 'Nothing to retry.\n' : `Retrying ${webhooks}.\n`);
  });
}

async function atDesk(
  { config: file, store }: PushOptions,
  use: (desk: PushAdmin, shown: string) => Promise<void>,
): Promise<void> {
  const overrides = store === undefined ? {} : { store };
  const config = file === undefined ? defaultConfig(overrides) : await loadConfig(file, overrides);
  const desk = await openPushAdmin(config.store);
  try {
    await use(desk, shownStore(config.store));
  } finally {
    await desk.close();
  }
}

/** Two lines about one push configuration. */
function shown({ state, taskId, configId, agent, receiver, first, last, reason, at }: UndeliveredPush): string {
  const events = first === last ? `event ${first}` : `events ${first} to ${last}`;
  const when = new Date(at).toISOString();
  const what = state === 'dead' ? `dead letter since ${when}` : `next retry ${when}`;
  const named = configId === taskId || configId === '' ? '' : `, configuration ${configId}`;
  return `task ${taskId} of ${agent}${named}\n  ${receiver}: ${events} ${what}: ${oneLine(reason, 200)}`;
}
