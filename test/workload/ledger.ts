import type { A2AError, LoggedEvent } from '../../src/client/index.ts';
import type { Message, StreamResponse, Task, TaskState } from '../../src/core/model/a2a.ts';
import type { Callee } from './clients.ts';

/** Records of the answers that clients received while everything failed around them. */

/** Kind of answer that a caller wants: when the turn is over, at once, or by a stream. */
export type Manner = 'waits' | 'at once' | 'streams';

/** One answer to one call: a task, a message, or a stream as far as it was read. */
export interface Answer {
  readonly task?: Task;
  readonly message?: Message;
  readonly events?: readonly LoggedEvent[];
  /** Whether the stream was read to its end. */
  readonly whole?: boolean;
}

/** A message that was sent, with whatever came of it. */
export interface Said extends Callee {
  /** Tells the message from any other, wherever it turns up; and the calls' key. */
  readonly marker: string;
  readonly text: string;
  readonly manner: Manner;
  /** Whether its calls carry the key. */
  readonly keyed: boolean;
  readonly push: boolean;
  /** The task that it was to continue. */
  readonly continues?: string;
  /** The task that the answer was about: with its id, the client knows that the message has arrived. */
  taskId?: string;
  /** All answers to calls by bindings of A2A 1.0, which show the task as it is. */
  readonly answers: Answer[];
  /** Final refusal of the message. */
  refusal?: string | undefined;
  /** Whether it was given up though another attempt might have fared better. */
  gaveUp?: boolean | undefined;
  /** Calls with its key that were answered, or refused for good, after the first one that was. */
  repeats: number;
  attempts: number;
  /** Times of the first attempt and of the final answer: milliseconds since the epoch. */
  readonly began: number;
  ended?: number;
  /** The state that the first answer showed. */
  shown?: TaskState;
}

/** The marker of requests that are refused since their key was used with another one. */
export const misused = 'marker-misused';

/** A cancellation that was acknowledged. */
export interface Canceled {
  readonly taskId: string;
}

/** One event as a subscriber saw it. */
export interface Seen {
  readonly seq: number;
  readonly event: StreamResponse;
  /** Milliseconds since the epoch: when it came, and when the connection was made that it came over. */
  readonly at: number;
  readonly since: number;
}

/** One reader of a task's events, through as many connections as it took. */
export interface Watched extends Callee {
  readonly taskId: string;
  readonly seen: Seen[];
  /** Whether the first of them is the task as it was then. */
  leading: boolean;
  /** Whether it saw the task end. */
  ended: boolean;
  /** Connections after the first. */
  resumed: number;
  failure?: string;
}

/** A task as one gateway answered with it. */
export interface Read extends Callee {
  readonly taskId: string;
  readonly gateway: number;
  readonly task: Task;
  /** Times of the call and of its answer: milliseconds since the epoch. */
  readonly began: number;
  readonly ended: number;
}

/** One notification as it came to a webhook. */
export interface Notified {
  /** Time of arrival: milliseconds since the epoch. */
  readonly at: number;
  readonly accepted: boolean;
  readonly body: StreamResponse;
}

/** One stream of a caller that presses against a limit. */
export interface Streamed {
  readonly gateway: number;
  readonly taskId: string;
  /** Time of its first event: milliseconds since the epoch. Undefined: none has arrived. */
  from: number | undefined;
  /** Position of its last event. */
  seq: number;
}

/** A decision of a person about a call that waits. */
export interface Decided {
  readonly taskId: string;
  readonly by: string;
  readonly decision: 'approve' | 'deny';
  /** `done`: acknowledged; `unknown`: no gateway has answered; else the kind of the error. */
  outcome: string;
}

/** All of it. */
export class Ledger {
  readonly streamed: Streamed[] = [];
  /** Refusals by gateways although no limit is reached. */
  readonly leaked: string[] = [];
  readonly said: Said[] = [];
  readonly decided: Decided[] = [];
  readonly canceled: Canceled[] = [];
  /** Other refusals that are wrong. */
  readonly refused: { readonly what: string; readonly error: A2AError }[] = [];
  /** Tasks of others that callers saw, or tasks of their own that they did not see. */
  readonly foreign: string[] = [];
  readonly watched: Watched[] = [];
  readonly read: Read[] = [];
  /** By the marker of the message that asked for them. */
  readonly notified = new Map<string, Notified[]>();
}
