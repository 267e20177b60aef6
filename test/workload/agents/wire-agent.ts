import { setTimeout as delay } from 'node:timers/promises';
import type { Message, StreamResponse, Task } from '../../../src/core/model/a2a.ts';
import type { HostileError, ReceivedCall } from '../../support/hostile-words.ts';
import type { Random } from '../../support/random.ts';
import type { Speech } from './speeches.ts';
import { isOver, Work } from './work.ts';

/** Occasional misbehaviour of an agent. */
export type Manner =
  /** It repeats a state, and sends each new subscriber everything again. */
  | 'repeats'
  /** It breaks the connection in the middle of a frame, or instead of an answer. */
  | 'breaks'
  /** It ends streams before their tasks. */
  | 'ends early'
  /** It takes seconds to answer. */
  | 'slow'
  /** Its card does not say which version it speaks. */
  | 'no version'
  /** It takes messages while it works. */
  | 'takes more';

/** A message that an agent was given, as the agent has written it down before anything else. */
export interface Given {
  readonly agent: string;
  readonly marker: string;
  readonly text: string;
  /** The agent's task; undefined where the answer is a message. */
  readonly task: Task | undefined;
}

/** Work and actions of agents; the records outlive them, and their memory. */
export class AgentRecords {
  readonly given: Given[] = [];
  /** Tasks that their agents have forgotten. */
  readonly forgotten = new Set<Task>();
}

/** One call on its connection. */
export interface Line {
  answer(value: object): void;
  refuse(error: HostileError): void;
  /** Sends an event of a stream. Resolves when it is gone. */
  tell(event: StreamResponse): Promise<void>;
  /** Sends half of an event, and breaks the connection. */
  breakIn(event: StreamResponse): Promise<void>;
  /** Ends the stream. */
  end(): void;
  /** Breaks the connection. */
  reset(): void;
  /** Aborted when the caller has gone. */
  readonly gone: AbortSignal;
}

const errors = {
  absent: { code: -32004, status: 501, reason: 'UNSUPPORTED_OPERATION', message: 'There is no such operation' },
  notFound: { code: -32001, status: 404, reason: 'TASK_NOT_FOUND', message: 'Task not found' },
  notCancelable: { code: -32002, status: 409, reason: 'TASK_NOT_CANCELABLE', message: 'Task cannot be canceled' },
  unsupported: { code: -32004, status: 400, reason: 'UNSUPPORTED_OPERATION', message: 'The task is over' },
} as const satisfies Record<string, HostileError>;

/** Chances of what an agent does by its manners. */
const chances = { repeat: 0.3, breakAnswer: 0.1, breakEvent: 0.05, endEarly: 0.06 } as const;

/** Milliseconds that a slow agent takes at most before it answers. */
const slowness = 3_000;

export interface WireAgentOptions {
  readonly name: string;
  readonly speech: Speech;
  readonly manners: readonly Manner[];
  readonly random: Random;
  readonly records: AgentRecords;
  /** Its tasks by id: its disk. */
  readonly works: Map<string, Work>;
}

/** An agent that answers in one dialect over one binding, whatever becomes of its connections. */
export class WireAgent {
  readonly #options: WireAgentOptions;

  constructor(options: WireAgentOptions) {
    this.#options = options;
  }

  /** Whether its card says which version it speaks. */
  get namesVersion(): boolean {
    return !this.#has('no version');
  }

  /** Answers one call. */
  async serve(call: ReceivedCall, line: Line): Promise<void> {
    if (this.#has('slow')) await delay(this.#options.random.between(0, slowness));
    const operations: Readonly<Record<string, () => Promise<void> | void>> = {
      SendMessage: () => this.#send(call, line),
      SendStreamingMessage: () => this.#stream(call, line),
      GetTask: () => this.#withWork(call, line, ({ task }) => this.#answer(line, structuredClone(task))),
      CancelTask: () => this.#withWork(call, line, (work) => this.#cancel(work, line)),
      SubscribeToTask: () => this.#withWork(call, line, (work) => this.#subscribe(work, line)),
    };
    const operation = operations[call.operation];
    if (operation) await operation();
    else line.refuse(errors.absent);
  }

  #has(manner: Manner): boolean {
    return this.#options.manners.includes(manner);
  }

  #chance(manner: Manner, chance: number): boolean {
    return this.#has(manner) && this.#options.random.chance(chance);
  }

  #answer(line: Line, value: object): void {
    if (this.#chance('breaks', chances.breakAnswer)) line.reset();
    else line.answer(value);
  }

  async #withWork({ request }: ReceivedCall, line: Line, use: (work: Work) => Promise<void> | void): Promise<void> {
    const work = this.#options.works.get(request.id);
    if (work) await use(work);
    else line.refuse(errors.notFound);
  }

  /** Takes a message. Undefined: it was refused. */
  #take({ request }: ReceivedCall, line: Line): { readonly work?: Work; readonly message?: Message } | undefined {
    const { name: agent, speech, records, works } = this.#options;
    const message = speech.message(request);
    const text = message.parts[0]?.text ?? '';
    const marker = message.parts[1]?.text ?? '';
    const known = works.get(message.taskId ?? '');
    if (!known && message.taskId && speech.names !== 'client') {
      line.refuse(errors.notFound);
      return undefined;
    }
    if (known && (isOver(known.task) || !(known.isResting || this.#has('takes more')))) {
      line.refuse(errors.unsupported);
      return undefined;
    }
    if (!known && speech.hasMessages && text.startsWith('say ')) {
      records.given.push({ agent, marker, text, task: undefined });
      const words = { messageId: crypto.randomUUID(), role: 'ROLE_AGENT' as const, parts: [{ text: text.slice(4) }] };
      return { message: { ...words, contextId: message.contextId ?? crypto.randomUUID() } };
    }
    const work = known ?? this.#open(message);
    records.given.push({ agent, marker, text, task: work.task });
    work.give(message, known !== undefined);
    return { work };
  }

  #open(message: Message): Work {
    const { works } = this.#options;
    const id = message.taskId ?? crypto.randomUUID();
    const contextId = message.contextId ?? crypto.randomUUID();
    const status = { state: 'TASK_STATE_SUBMITTED' as const, timestamp: new Date().toISOString() };
    const work = new Work({ id, contextId, status, history: [{ ...message, taskId: id, contextId }] });
    works.set(id, work);
    return work;
  }

  async #send(call: ReceivedCall, line: Line): Promise<void> {
    const taken = this.#take(call, line);
    if (!taken) return;
    const { work, message } = taken;
    if (!work) {
      this.#answer(line, { message });
      return;
    }
    const { returnImmediately, blocking } = call.request.configuration ?? {};
    const waits = this.#options.speech.names !== 'agent' && !returnImmediately && blocking !== false;
    if (waits) await this.#untilRest(work, line);
    this.#answer(line, { task: structuredClone(work.task) });
  }

  /** Resolves when a task rests, or its caller has gone. */
  async #untilRest(work: Work, { gone }: Line): Promise<void> {
    const rest = Promise.withResolvers<void>();
    const look = (): void => {
      if (work.isResting) rest.resolve();
    };
    const leave = work.listen(look);
    gone.addEventListener('abort', () => rest.resolve(), { once: true });
    if (gone.aborted) rest.resolve();
    await rest.promise;
    leave();
  }

  #cancel(work: Work, line: Line): void {
    if (isOver(work.task)) {
      line.refuse(errors.notCancelable);
      return;
    }
    work.end('CANCELED', 'Stopped, as asked.');
    this.#answer(line, structuredClone(work.task));
  }

  async #stream(call: ReceivedCall, line: Line): Promise<void> {
    const taken = this.#take(call, line);
    if (!taken) return;
    const { work, message } = taken;
    if (message) {
      await this.#tell(line, { message });
      line.end();
    } else if (work) await this.#follow(work, line, [this.#opening(work)]);
  }

  async #subscribe(work: Work, line: Line): Promise<void> {
    if (isOver(work.task) && this.#options.speech.endsSubscriptions) line.refuse(errors.unsupported);
    else await this.#follow(work, line, [this.#opening(work), ...(this.#has('repeats') ? work.log : [])]);
  }

  /** The event with which a stream begins. */
  #opening({ task }: Work): StreamResponse {
    if (this.#options.speech.streamsTask) return { task: structuredClone(task) };
    return { statusUpdate: { taskId: task.id, contextId: task.contextId ?? '', status: { ...task.status } } };
  }

  /** Tells the events of a task, from some first ones on, until it rests. */
  async #follow(work: Work, line: Line, first: readonly StreamResponse[]): Promise<void> {
    const waiting = [...first];
    let wake = Promise.withResolvers<void>();
    const leave = work.listen((event) => {
      waiting.push(event);
      wake.resolve();
    });
    line.gone.addEventListener('abort', () => wake.resolve(), { once: true });
    try {
      while (!line.gone.aborted) {
        const next = waiting.shift();
        if (next) {
          if (!(await this.#tell(line, this.#spoken(next, work)))) return;
        } else if (work.isResting) break;
        else {
          wake = Promise.withResolvers();
          await wake.promise;
        }
      }
      line.end();
    } finally {
      leave();
    }
  }

  /** An event as the dialect has it: in some an artifact is sent whole each time. */
  #spoken(event: StreamResponse, { task }: Work): StreamResponse {
    const { artifactUpdate } = event;
    if (!artifactUpdate || this.#options.speech.names !== 'agent') return event;
    const artifact = structuredClone(task.artifacts?.[0]) ?? artifactUpdate.artifact;
    return { artifactUpdate: { ...artifactUpdate, artifact } };
  }

  /** Tells an event, by the agent's manners. False: the stream is over. */
  async #tell(line: Line, event: StreamResponse): Promise<boolean> {
    if (this.#chance('breaks', chances.breakEvent)) {
      await line.breakIn(event);
      return false;
    }
    await line.tell(event);
    if (event.statusUpdate && this.#chance('repeats', chances.repeat)) await line.tell(event);
    if (!this.#chance('ends early', chances.endEarly)) return true;
    line.end();
    return false;
  }
}
