import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { KnowledgeCosts } from './servers/knowledge-store.ts';

/** Longer than any of them takes. */
const patience = 20 * 60_000;

/** What operations on a graph of so many statements cost, in a SQLite file: each measured in a process of its own. */
export async function measureKnowledge(statements: number): Promise<KnowledgeCosts> {
  const folder = mkdtempSync(join(tmpdir(), 'a2a-gateway-bench-'));
  const file = new URL('./servers/knowledge-store.ts', import.meta.url);
  const child = fork(file, [`sqlite:${join(folder, 'gateway.db')}`, String(statements)]);
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
    rmSync(folder, { recursive: true, force: true });
  }
}
