import type { Message, SendMessageRequest, StreamResponse, Task } from '../model/a2a.ts';
import type { AgentContext } from '../model/agent.ts';
import { fold } from '../model/fold.ts';
import { parentKey } from '../model/lineage.ts';
import type { WaitingMessage } from '../model/turns.ts';
import type { LiveTask } from './live-tasks.ts';
import { hasFurtherCalls, type Turn } from './turn.ts';
import type { AgentRun, WaitingTurn } from './turn-queue.ts';

/** The way in which a message reaches an existing task. */
export interface Continuing {
  /** Whether the agent gets the message only after the message has become durable. */
  readonly isDurable: boolean;
  /** Whether the message waits until the turns before it are over. */
  readonly waits: boolean;
  /** Whether the message answers the task's question: then it comes before all messages that wait. */
  readonly isAnswer: boolean;
}

/** Appends a message that continues a task, and runs the agent for it: at once, or when the earlier turns are over. */
export function continueTurn(
  turn: Turn,
  live: LiveTask,
  request: SendMessageRequest,
  task: Task,
  { isDurable, waits, isAnswer }: Continuing,
): void {
  const { deps, taskMetadata } = turn;
  const added = taskMetadata && metadataEvent(turn, task, taskMetadata);
  if (added) live.emit(added);
  const position = live.emit({ message: request.message }, deps.call, turn.requestFor(request));
  begunAt(turn, request.message, position);
  if (waits) {
    turn.live = live;
    live.wait(new MessageInLog(turn, live, request, position), isAnswer);
    return;
  }
  const before = structuredClone(task);
  if (added) fold(before, structuredClone(added));
  turn.given = live.log.bytes;
  turn.attach(live);
  const run = (): void => {
    if (turn.aborted) turn.over();
    else void turn.drive(live, turn.execute(request, before));
  };
  if (isDurable) runOnceWritten(turn, live, run);
  else run();
}

function runOnceWritten(turn: Turn, live: LiveTask, run: () => void): void {
  // The current run may end the task before.
  const queue = hasFurtherCalls(live) ? live.openQueue() : undefined;
  queue?.hold(turn.messageId);
  const written = live.journal.written();
  written.then(
    () => {
      queue?.release(turn.messageId);
      run();
    },
    () => lose(turn, live),
  );
}

function metadataEvent({ deps }: Turn, { status }: Task, taskMetadata: Task['metadata']): StreamResponse {
  const { [parentKey]: _, ...metadata } = taskMetadata ?? {};
  return { statusUpdate: { ...deps.ids, status, metadata } };
}

function begunAt(turn: Turn, { messageId }: Message, position: number): void {
  turn.after = position - 1;
  turn.position = position;
  turn.messageId = messageId;
}

/** A turn that waits, whose message is in the log of a task of this process. */
export function waitingTurn(turn: Turn, live: LiveTask, request: SendMessageRequest, position: number): WaitingTurn {
  const { tenant } = live.record;
  turn.live = live;
  begunAt(turn, request.message, position);
  return new MessageInLog(turn, live, { ...request, ...(tenant && { tenant }) }, position);
}

/**
 * Runs the agent again for a dead process's message, with the task `before` it. The events of that process's run stay in the log.
 */
export function restartTurn(
  turn: Turn,
  live: LiveTask,
  { message, position }: { readonly message: Message; readonly position: number },
  before: Task | undefined,
  waiting: readonly WaitingMessage[],
): void {
  const { tenant } = live.record;
  const own = { seq: position, id: message.messageId };
  turn.events.isRestart = true;
  begunAt(turn, message, position);
  const request = { message, ...(tenant && { tenant }) };
  takeOver(turn, live, () => turn.execute(request, before && withoutMessages(before, [own, ...waiting])));
}

/** Lets the agent resume a task that a dead process was working on. `position` is the position of the client's last message. */
export function resumeTurn(
  turn: Turn,
  live: LiveTask,
  task: Task,
  position: number,
  events: (context: AgentContext) => AsyncIterable<StreamResponse>,
): void {
  turn.position = position;
  takeOver(turn, live, () => turn.execute(undefined, structuredClone(task), events));
}

function takeOver(turn: Turn, live: LiveTask, begin: () => AsyncIterator<StreamResponse>): void {
  // The gateway has begun to stop: another replica takes the task over.
  if (live.journal.failure) {
    turn.over();
    return;
  }
  turn.given = live.log.bytes;
  turn.attach(live);
  turn.after = live.log.head;
  void turn.drive(live, begin());
}

/** Ends a turn that cannot go on in this process. */
function lose(turn: Turn, live: LiveTask): void {
  live.removeRun(turn);
  turn.over();
}

/** A turn that waits until the earlier turns are over. */
class MessageInLog implements WaitingTurn {
  readonly seq: number;
  readonly message: Message;
  readonly bytes: number;
  readonly #turn: Turn;
  readonly #live: LiveTask;
  readonly #request: SendMessageRequest;

  constructor(turn: Turn, live: LiveTask, request: SendMessageRequest, seq: number) {
    this.seq = seq;
    this.message = request.message;
    this.bytes = Buffer.byteLength(JSON.stringify(request.message));
    this.#turn = turn;
    this.#live = live;
    this.#request = request;
  }

  get id(): string {
    return this.message.messageId;
  }

  follow(former: AgentRun): void {
    this.#live.replaceRun(former, this.#turn);
    void this.#begin();
  }

  discard(): void {
    this.#turn.over();
  }

  /** Records durably that the message is in hand, and gives it to the agent with the task as the earlier turns have left it. */
  async #begin(): Promise<void> {
    const turn = this.#turn;
    const live = this.#live;
    let task: Task;
    try {
      turn.messages.mark(live, turn.deps.services.store.now());
      turn.after = live.log.head;
      task = await live.journal.latest();
    } catch {
      lose(turn, live);
      return;
    }
    turn.given = live.log.bytes;
    if (turn.aborted) turn.over();
    else {
      const before = withoutMessages(task, [this, ...(live.queue?.waiting ?? [])]);
      await turn.drive(live, turn.execute(this.#request, before));
    }
  }
}

/** A task without the messages that its agent has not received, and without the one that it receives now. */
function withoutMessages(task: Task, messages: readonly WaitingMessage[]): Task {
  const ids = new Set(messages.map(({ id }) => id));
  const { history = [] } = task;
  return structuredClone({ ...task, history: history.filter(({ messageId }) => !ids.has(messageId)) });
}
