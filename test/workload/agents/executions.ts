import type { Message } from '../../../src/core/model/a2a.ts';

/** One time that an agent was set to work, as the agent itself has written it down: no gateway has a part in that. */
export interface Execution {
  /** Of the message. */
  readonly marker: string;
  readonly agent: string;
  readonly taskId: string;
  /** Given a message to execute, or a task to resume. */
  readonly how: 'execute' | 'resume';
  /** The gateway's process; another one after each start. */
  readonly pid: number;
  /** Tells it from any other. */
  readonly nonce: string;
}

/** Writes an execution down before the agent does anything. Returns its nonce. */
export type NoteExecution = (message: Message, what: Pick<Execution, 'agent' | 'taskId' | 'how'>) => string;
