import { setTimeout as delay } from 'node:timers/promises';
import type { Message, StreamResponse, Task, TaskState } from '../../../src/core/model/a2a.ts';

/** An event of a task, without its ids, after some milliseconds. */
interface Step {
  readonly ms: number;
  readonly state?: string;
  readonly says?: string;
  readonly chunk?: { readonly text: string; readonly append: boolean; readonly last: boolean };
}

const isResting = (state: string): boolean => /COMPLETED|FAILED|CANCELED|REJECTED|REQUIRED/.test(state);
export const isOver = ({ status }: Task): boolean => /COMPLETED|FAILED|CANCELED|REJECTED/.test(status.state);

const done: Step = { ms: 0, state: 'COMPLETED', says: 'Done.' };
const whole = (text: string, ms = 0): Step => ({ ms, chunk: { text, append: false, last: true } });
const further = (text: string): Step => ({ ms: 5, chunk: { text, append: true, last: true } });

/** Returns the steps for a text: the commands of the reference agent, as far as clients use them. */
function stepsOf(text: string, isAnswer: boolean): Step[] {
  const [command = '', ...values] = text.split(' ');
  const [first = 0, pause = 10] = values.map(Number);
  const working: Step = { ms: 0, state: 'WORKING' };
  if (isAnswer) return [working, whole(`Hello, ${text}`), done];
  switch (command) {
    case 'ask':
      return [{ ms: 0, state: 'INPUT_REQUIRED', says: 'What is your name?' }];
    case 'fail':
      return [working, { ms: 0, state: 'FAILED', says: 'Failed, as asked.' }];
    case 'wait':
      return [working];
    case 'slow':
      return [working, whole('slow', first), done];
    case 'stream': {
      const chunks = Array.from({ length: first }, (_, i) => ({
        ms: pause,
        chunk: { text: `chunk ${i + 1}`, append: i > 0, last: i + 1 === first },
      }));
      return [working, ...chunks, done];
    }
    default:
      return [working, whole(text, 5), done];
  }
}

/** A task of an agent, with what is left to do. It outlives the agent's process where the agent has a disk. */
export class Work {
  readonly task: Task;
  /** All reported events, for subscribers that get them again. */
  readonly log: StreamResponse[] = [];
  readonly #left: Step[] = [];
  readonly #listeners = new Set<(event: StreamResponse) => void>();
  #stop = new AbortController();
  #isRunning = false;
  #said = 0;

  constructor(task: Task) {
    this.task = task;
  }

  /** Whether it waits for nothing but its client. */
  get isResting(): boolean {
    return this.#left.length === 0 && isResting(this.task.status.state);
  }

  /** Takes a message, and works on it: on one that comes while it works, when it is done with the earlier ones. */
  give(message: Message, isAnswer: boolean): void {
    if (isAnswer) this.task.history?.push(message);
    const text = message.parts[0]?.text ?? '';
    if (isAnswer && !this.isResting) {
      if (this.#left.at(-1) === done) this.#left.pop();
      this.#left.push(further(text), done);
      // A task that has waited for its end alone is not at work.
      if (this.#isRunning) return;
    } else this.#left.push(...stepsOf(text, isAnswer));
    void this.run();
  }

  /** Goes on with what is left. */
  async run(): Promise<void> {
    this.#stop = new AbortController();
    const { signal } = this.#stop;
    this.#isRunning = true;
    try {
      for (let next = this.#left[0]; next; next = this.#left[0]) {
        await delay(next.ms, undefined, { signal });
        // Another message has come before the end.
        if (this.#left[0] !== next) continue;
        this.#left.shift();
        this.#do(next);
      }
      this.#isRunning = false;
    } catch {
      // It was stopped.
    }
  }

  /** Ends in a state at once. */
  end(state: 'CANCELED' | 'FAILED', says: string): void {
    this.#stop.abort();
    this.#left.length = 0;
    this.#do({ ms: 0, state, says });
  }

  /** Calls a listener with each further event. Returns what ends that. */
  listen(listener: (event: StreamResponse) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Forgets the connections of a process that is gone. */
  loseListeners(): void {
    this.#stop.abort();
    this.#listeners.clear();
  }

  #do({ state, says, chunk }: Step): void {
    const { id: taskId, contextId = '' } = this.task;
    const ids = { taskId, contextId };
    if (chunk) {
      const artifact = { artifactId: 'result', name: 'result', parts: [{ text: chunk.text }] };
      this.#tell({ artifactUpdate: { ...ids, artifact, append: chunk.append, lastChunk: chunk.last } });
      return;
    }
    this.#said += 1;
    const words = { messageId: `${taskId}-${this.#said}`, role: 'ROLE_AGENT', parts: [{ text: says ?? '' }] } as const;
    const message = says !== undefined && { message: { ...words, parts: [...words.parts], ...ids } };
    const timestamp = new Date().toISOString();
    this.#tell({
      statusUpdate: { ...ids, status: { state: `TASK_STATE_${state}` as TaskState, timestamp, ...message } },
    });
  }

  #tell(event: StreamResponse): void {
    const { task } = this;
    const { statusUpdate, artifactUpdate } = structuredClone(event);
    if (statusUpdate) {
      if (task.status.message) task.history?.push(task.status.message);
      task.status = statusUpdate.status;
    }
    if (artifactUpdate) {
      task.artifacts ??= [];
      const known = task.artifacts.find(({ artifactId }) => artifactId === artifactUpdate.artifact.artifactId);
      if (known && artifactUpdate.append) known.parts.push(...artifactUpdate.artifact.parts);
      else task.artifacts = [artifactUpdate.artifact];
    }
    this.log.push(event);
    for (const listener of this.#listeners) listener(event);
  }
}
