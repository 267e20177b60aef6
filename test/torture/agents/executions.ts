import { randomUUID } from 'node:crypto';
import { appendFileSync, readFileSync } from 'node:fs';
import type { Execution, NoteExecution } from '../../workload/agents/executions.ts';

/** Writes executions at the end of the file that TORTURE_EXECUTIONS names. */
export const noteExecution: NoteExecution = (message, what) => {
  const file = process.env.TORTURE_EXECUTIONS;
  if (file === undefined) throw new Error('TORTURE_EXECUTIONS names no file.');
  const nonce = randomUUID();
  const execution: Execution = { marker: message.parts[1]?.text ?? '', ...what, pid: process.pid, nonce };
  appendFileSync(file, `${JSON.stringify(execution)}\n`);
  return nonce;
};

/** All executions, in their order. */
export function readExecutions(file: string): Execution[] {
  const lines = readFileSync(file, 'utf8').split('\n');
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line) as Execution);
}
