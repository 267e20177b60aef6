import { MemoryBudget } from '../../src/core/limits/memory-budget.ts';
import type { SecurityEvent } from '../../src/core/ports/audit.ts';
import type { Store } from '../../src/core/ports/store.ts';
import { createDialects } from '../../src/dialects/registry.ts';
import { createUrlGuard } from '../../src/net/guard.ts';
import { createHttpClient } from '../../src/net/http-client.ts';
import { type Deliverer, type DelivererOptions, PushDeliverer } from '../../src/push/deliverer.ts';
import { createSender } from '../../src/push/sender.ts';
import { createStore } from '../../src/stores/index.ts';
import { alice, TaskWriter } from '../contract/store-fixtures.ts';
import { silent } from '../support/core.ts';
import { endAfterTest } from '../support/peer.ts';

const dialects = createDialects();

/** A store and what delivers out of it, with quick retries. */
export interface PushBench {
  readonly store: Store;
  readonly deliverer: Deliverer;
  readonly audited: SecurityEvent[];
  /** A task under way with a configuration for each URL, called by its place in the list, from the first event on. */
  task(...urls: readonly string[]): Promise<TaskWriter>;
  /** A task as above, of another principal. */
  taskOf(principal: string, ...urls: readonly string[]): Promise<TaskWriter>;
  /** Stops delivering, at the latest after the test; the store stays open where it was given. */
  close(): Promise<void>;
}

export interface PushBenchOptions extends Partial<DelivererOptions> {
  readonly store?: Store;
  readonly dialectName?: string;
  readonly timeout?: number;
}

export async function startPushBench(options: PushBenchOptions = {}): Promise<PushBench> {
  const { dialectName = 'a2a-1.0', timeout = 60_000, ...more } = options;
  const store = options.store ?? createStore('memory:', { instance: 'test' });
  if (!options.store) await store.open();
  const audited: SecurityEvent[] = [];
  const guard = createUrlGuard({ loopback: true });
  const http = createHttpClient({ guard });
  const deliverer = new PushDeliverer({
    dialect: (name) => dialects.byName.get(name) ?? dialects.default,
    send: createSender({ http, guard, timeout }),
    logger: silent,
    audit: (event) => audited.push(event),
    budget: new MemoryBudget(),
    maxAge: 60_000,
    backoff: { base: 2, cap: 20 },
    scanIntervals: { due: 20, left: 50 },
    ...more,
    store,
    // Read for each notification.
    get perMinute() {
      return options.perMinute;
    },
  });
  const taskOf = async (principal: string, ...urls: readonly string[]): Promise<TaskWriter> => {
    const task = new TaskWriter({ owner: { ...alice, principal } });
    await store.append(task.create('TASK_STATE_WORKING'));
    for (const [id, url] of urls.entries()) {
      const config = { id: String(id), taskId: task.id, url };
      await store.putPushConfig(task.key, config, dialectName, { after: 0 });
    }
    return task;
  };
  return {
    store,
    deliverer,
    audited,
    task: (...urls) => taskOf(alice.principal, ...urls),
    taskOf,
    close: endAfterTest(async () => {
      await deliverer.close(100);
      http.close();
      if (!options.store) await store.close();
    }),
  };
}
