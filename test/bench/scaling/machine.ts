import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { cpuOfProcess } from '../process-cpu.ts';

/** Milliseconds of CPU that a PostgreSQL server and the processes of its connections have used, ended ones included. */
export const cpuOfPostgres = ({ data }: { readonly data: string }): number =>
  cpuOfProcess(Number(readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n', 1)[0]));
