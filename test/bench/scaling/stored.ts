import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { PostgresServer } from '../../support/postgres.ts';
import type { StoreCosts } from '../servers/task-store.ts';

/** Longer than any step takes. */
const timeoutMs = 30 * 60_000;

/** Costs of operations on a store with many tasks, for each store and number of tasks. */
export async function measureStored(
  postgres: PostgresServer,
  counts: readonly number[],
): Promise<(StoreCosts & { readonly store: string })[]> {
  const folder = mkdtempSync(join(tmpdir(), 'a2a-gateway-bench-'));
  try {
    const stores = { SQLite: `sqlite:${join(folder, 'bench.db')}`, PostgreSQL: await postgres.database() };
    const all: (StoreCosts & { readonly store: string })[] = [];
    for (const [store, url] of Object.entries(stores)) {
      for (const costs of await measure(url, counts)) all.push({ store, ...costs });
    }
    return all;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function measure(url: string, counts: readonly number[]): Promise<StoreCosts[]> {
  const child = fork(new URL('../servers/task-store.ts', import.meta.url), [url, counts.join(',')]);
  const ended = once(child, 'exit').then(([code]) => {
    throw new Error(`the store was not measured: it ended with ${code}`);
  });
  ended.catch(() => undefined);
  try {
    const figures: StoreCosts[] = [];
    for (const _ of counts) {
      const [costs] = await Promise.race([once(child, 'message', { signal: AbortSignal.timeout(timeoutMs) }), ended]);
      figures.push(costs as StoreCosts);
    }
    return figures;
  } finally {
    child.kill('SIGKILL');
  }
}
