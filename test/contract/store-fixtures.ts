import type { StreamResponse, Task, TaskState } from '../../src/core/model/a2a.ts';
import type { LoggedEvent } from '../../src/core/model/call.ts';
import { fold } from '../../src/core/model/fold.ts';
import { type CallKey, newId, type TaskOwner, taskKey } from '../../src/core/model/ids.ts';
import { isTerminal } from '../../src/core/model/lifecycle.ts';
import type { Store } from '../../src/core/ports/store.ts';
import type { Append, TaskPage } from '../../src/core/ports/task-store.ts';

export const alice: TaskOwner = { agent: 'demo', tenant: '', principal: 'alice' };
export const bob: TaskOwner = { agent: 'demo', tenant: '', principal: 'bob' };

/** A call with an idempotency key; another one each time. */
export const callKey = (key: string, over: Partial<CallKey> = {}): CallKey => ({
  owner: alice,
  key,
  digest: 'd',
  nonce: newId(),
  ...over,
});

/** An event at a position of a log, by default of one without messages of the client. */
export const logged = (seq: number, event: StreamResponse, at = Date.now(), generation = seq): LoggedEvent => ({
  seq,
  at,
  generation,
  event,
  json: JSON.stringify(event),
});

export interface WriterOptions {
  readonly owner?: TaskOwner;
  /** An id that the caller chose; absent: the gateway makes one. */
  readonly chosenId?: string;
  readonly contextId?: string;
  /** Clock of the events, milliseconds. */
  readonly now?: () => number;
}

/** Writes one task's log as the core does: positions, states and the final snapshot follow from the events. */
export class TaskWriter {
  readonly id: string;
  readonly key: string;
  readonly owner: TaskOwner;
  readonly contextId: string;
  /** The task folded from everything that was appended. */
  task: Task | undefined;
  seq = 0;
  /** Number of events without messages of the client. */
  generation = 0;
  /** Time when the task entered its state. */
  statusAt = 0;
  /** Position of the last message of the client, or 1. */
  latestTurn = 1;
  readonly #now: () => number;

  constructor({ owner = alice, chosenId, contextId = newId(), now = Date.now }: WriterOptions = {}) {
    this.owner = owner;
    this.id = chosenId ?? newId();
    this.key = taskKey(owner, this.id, chosenId !== undefined);
    this.contextId = contextId;
    this.#now = now;
  }

  /** Returns a writer of the task for another gateway that continues it. */
  copy(): TaskWriter {
    const copy = new TaskWriter({ owner: this.owner, contextId: this.contextId });
    const { id, key, seq, generation, latestTurn, statusAt } = this;
    return Object.assign(copy, { id, key, task: structuredClone(this.task), seq, generation, latestTurn, statusAt });
  }

  /** Makes the task. */
  create(state: TaskState = 'TASK_STATE_SUBMITTED', more: Partial<Task> = {}): Append {
    return this.next({ task: { id: this.id, contextId: this.contextId, status: { state }, ...more } });
  }

  status(state: TaskState): Append {
    return this.next({ statusUpdate: { taskId: this.id, contextId: this.contextId, status: { state } } });
  }

  chunk(text: string): Append {
    return this.next(this.chunkEvent(text));
  }

  chunkEvent(text: string): StreamResponse {
    const artifact = { artifactId: 'a', parts: [{ text }] };
    return { artifactUpdate: { taskId: this.id, contextId: this.contextId, artifact, append: true } };
  }

  message(text: string): Append {
    return this.next({ message: { messageId: newId(), role: 'ROLE_USER', parts: [{ text }] } });
  }

  /** Returns the append of these events. */
  next(...events: StreamResponse[]): Append {
    const at = this.#now();
    const first = this.seq === 0;
    const entries = events.map((event) => {
      this.seq += 1;
      if (event.message) this.latestTurn = this.seq;
      else this.generation += 1;
      this.task = fold(this.task, structuredClone(event));
      return logged(this.seq, event, at, this.generation);
    });
    if (events.some((event) => event.statusUpdate ?? event.task)) this.statusAt = at;
    const state = this.task?.status.state;
    const { id, key, contextId, owner } = this;
    return {
      key,
      events: entries,
      ...(first && { create: { ...owner, key, id, contextId, createdAt: at, dialect: 'a2a-1.0' } }),
      ...(state && { status: { state, at: this.statusAt } }),
      // A task whose only event ends it needs none.
      ...(state &&
        isTerminal(state) &&
        this.seq > 1 &&
        this.task && { snapshot: { task: this.task, json: JSON.stringify(this.task) } }),
    };
  }
}

/** A task of four events that has completed. */
export async function completed(store: Store, options: WriterOptions = {}): Promise<TaskWriter> {
  const writer = new TaskWriter(options);
  await store.append(writer.create('TASK_STATE_SUBMITTED', { history: [] }));
  await store.append(writer.status('TASK_STATE_WORKING'));
  await store.append(writer.chunk('hello'));
  await store.append(writer.status('TASK_STATE_COMPLETED'));
  return writer;
}

/** The tasks of a page of a list. */
export const tasksOf = ({ texts }: Pick<TaskPage, 'texts'>): Task[] => texts.map((text) => JSON.parse(text) as Task);
