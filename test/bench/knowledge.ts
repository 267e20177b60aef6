import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startPostgres } from '../support/postgres.ts';
import { type Figure, type Part, ratio, rounded } from './part.ts';
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

/** What operations on a graph cost, for each size, and that they do not grow with it. */
export const knowledgePart = (store: string): Part => ({
  name: `knowledge in ${store}`,
  async measure({ statements }) {
    const figures: Figure[] = [];
    const measured = new Map<number, KnowledgeCosts>();
    for (const size of statements) {
      const costs = await measure(size, store);
      measured.set(size, costs);
      for (const [what, cost] of Object.entries(costs)) {
        figures.push({
          scenario: `knowledge: ${what}`,
          server: `gateway, ${store}, ${size} statements`,
          'CPU µs': rounded(cost),
        });
      }
    }
    const [small, large] = [Math.min(...statements), Math.max(...statements)];
    if (small === large) return { figures, ratios: [] };
    const ratios = Object.entries(measured.get(small) ?? {}).map(([what, cost]) => {
      const name = `knowledge in ${store}: ${what}, ${large} statements over ${small}`;
      return ratio(name, (measured.get(large)?.[what] ?? Number.NaN) / cost, '≤ 2');
    });
    return { figures, ratios };
  },
});

/** Measured in a process of its own; the database's CPU counts, too. */
async function measure(statements: number, store: string): Promise<KnowledgeCosts> {
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
