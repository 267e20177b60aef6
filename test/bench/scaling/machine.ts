import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { cpuOfProcess } from '../process-cpu.ts';

/** Settings of a PostgreSQL server that is meant to keep what it has acknowledged. */
export const durable: readonly string[] = [
  ...['-c', 'fsync=on', '-c', 'synchronous_commit=on', '-c', 'shared_buffers=256MB', '-c', 'max_wal_size=2GB'],
];

/** Milliseconds of CPU that a PostgreSQL server and the processes of its connections have used, ended ones included. */
export const cpuOfPostgres = ({ data }: { readonly data: string }): number =>
  cpuOfProcess(Number(readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n', 1)[0]));
