import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { PostgresServer } from '../../support/postgres.ts';

/** Ticks of the kernel's clock in a second, which Linux has fixed for programs. */
const ticks = 100;

/** Milliseconds of CPU that a PostgreSQL server and the processes of its connections have used, ended ones included. */
export function cpuOfPostgres(server: PostgresServer): number {
  const root = Number(readFileSync(join(server.data, 'postmaster.pid'), 'utf8').split('\n', 1)[0]);
  let total = 0;
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const fields = statOf(name);
    if (!fields) continue;
    const [parent, user, system, childUser, childSystem] = [1, 11, 12, 13, 14].map((i) => Number(fields[i]));
    const own = (user ?? 0) + (system ?? 0);
    if (Number(name) === root) total += own + (childUser ?? 0) + (childSystem ?? 0);
    else if (parent === root) total += own;
  }
  return (total / ticks) * 1_000;
}

/** What stands behind the name of a process, from its state on; undefined when it is gone. */
function statOf(pid: string): string[] | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return text.slice(text.lastIndexOf(')') + 2).split(' ');
  } catch {
    return undefined;
  }
}
