import { randomUUID } from 'node:crypto';
import { appendFileSync, readFileSync } from 'node:fs';
import type { Message } from '../../../src/core/model/a2a.ts';

/** One time that an agent was set to work, as the agent itself has written it down: no gateway has a part in that. */
export interface Execution {
  /** Of the message. */
  readonly marker: string;
  readonly agent: string;
  readonly taskId: string;
  /** Given a message to execute, or a task to resume. */
  readonly how: 'execute' | 'resume';
  /** The gateway's process. */
  readonly pid: number;
  /** Tells it from any other. */
  readonly nonce: string;
}

/** Writes one down, at the end of the file that TORTURE_EXECUTIONS names. Returns its nonce. */
export function noteExecution(message: Message, told: Pick<Execution, 'agent' | 'taskId' | 'how'>): string {
  const file = process.env.TORTURE_EXECUTIONS;
  if (file === undefined) throw new Error('TORTURE_EXECUTIONS names no file.');
  const nonce = randomUUID();
  const execution: Execution = { marker: message.parts[1]?.text ?? '', ...told, pid: process.pid, nonce };
  appendFileSync(file, `${JSON.stringify(execution)}\n`);
  return nonce;
}

/** All of them, in their order. */
export function readExecutions(file: string): Execution[] {
  const lines = readFileSync(file, 'utf8').split('\n');
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line) as Execution);
}
