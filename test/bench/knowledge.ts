import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startPostgres } from '../support/postgres.ts';
import type { KnowledgeCosts } from './servers/knowledge-store.ts';

/** Longer than any of them takes. */
const patience = 20 * 60_000;

/** A place for a graph, gone when it is released. */
interface Place {
  readonly url: string;
  /** Processes whose CPU counts besides: the database's, where it has any. */
  readonly data: string | undefined;
  release(): Promise<void>;
}

const places: Readonly<Record<string, () => Promise<Place>>> = {
  async sqlite() {
    const folder = mkdtempSync(join(tmpdir(), 'a2a-gateway-bench-'));
    const release = async (): Promise<void> => rmSync(folder, { recursive: true, force: true });
    return { url: `sqlite:${join(folder, 'gateway.db')}`, data: undefined, release };
  },
  async postgres() {
    const server = await startPostgres();
    return { url: await server.database(), data: server.data, release: () => server.stop() };
  },
};

/**
 * What operations on a graph of so many statements cost: measured in a process of its own, the database's included.
 *
 * @param store `sqlite` or `postgres`
 */
export async function measureKnowledge(statements: number, store: string): Promise<KnowledgeCosts> {
  const place = await places[store]?.();
  if (!place) throw new Error(`no such store: ${store}`);
  const file = new URL('./servers/knowledge-store.ts', import.meta.url);
  const child = fork(file, [place.url, String(statements), place.data ?? '']);
  try {
    const [costs] = await Promise.race([
      once(child, 'message', { signal: AbortSignal.timeout(patience) }),
      once(child, 'exit').then(() => {
        throw new Error('the store of knowledge was not measured');
      }),
    ]);
    return costs as KnowledgeCosts;
  } finally {
    child.kill('SIGKILL');
    await place.release();
  }
}
