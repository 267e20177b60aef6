import type { Message, StreamResponse, Task, TaskState, TaskStatus } from '../model/a2a.ts';
import { completeEvent, timestamp } from '../model/agent-events.ts';
import { A2AError } from '../model/errors.ts';
import { isInterrupted, isLegal, isResting, stateOf } from '../model/lifecycle.ts';
import { parentKey } from '../model/lineage.ts';
import { difference } from '../model/task-diff.ts';
import type { TurnState } from './hooked-run.ts';
import type { LiveTask } from './live-task.ts';

/** Whether the agent has got several messages at once: the run goes on where one call of it ends. */
export const hasFurtherCalls = ({ runs }: LiveTask): boolean => runs.length > 1;

/** Makes events of a task's log of the events that its agent yields. */
export class TurnEvents {
  /** Whether the agent was restarted, and may repeat events. */
  isRestart = false;
  readonly #turn: TurnState;
  /** Status of the last Task that the agent reported within its task, where the task rests by it. */
  #restsAs: TaskStatus | undefined;

  constructor(turn: TurnState) {
    this.#turn = turn;
  }

  /** The first event of the task's log: the agent's first task, or a submitted task, with the message that opened it. */
  opening(message: Message, first?: StreamResponse) {
    const { taskMetadata, deps } = this.#turn;
    const { ids, services } = deps;
    const event = first && this.#complete(first);
    const state = (event?.task ?? event?.statusUpdate)?.status.state;
    const { task, statusUpdate } = (event && state && isInterrupted(state) ? this.#asking(event) : event) ?? {};
    const status = (task ?? statusUpdate)?.status ?? {
      state: 'TASK_STATE_SUBMITTED' as const,
      timestamp: timestamp(services.store.now()),
    };
    const metadata = statusUpdate?.metadata ? { ...taskMetadata, ...statusUpdate.metadata } : taskMetadata;
    const opened = { id: ids.taskId, contextId: ids.contextId, ...(metadata && { metadata }), ...task, status };
    return { task: withMessage(opened, message) };
  }

  /** The direct Message that an agent yields first, or that hooks put in its place. Undefined: they leave none. */
  async messageOf(event: StreamResponse): Promise<Message | undefined> {
    const {
      run,
      deps: { hooks },
    } = this.#turn;
    const replaced = await hooks?.event?.(run, event);
    if (!replaced) return event.message;
    for (const { message } of replaced) if (message) return message;
    return undefined;
  }

  /** The event of an agent that opens a task, or what hooks put in its place. */
  async openingOf(event: StreamResponse): Promise<StreamResponse> {
    const {
      run,
      deps: { hooks },
    } = this.#turn;
    const replaced = await hooks?.event?.(run, event);
    for (const one of replaced ?? []) if (opensTask(one)) return one;
    return event;
  }

  async acceptEach(live: LiveTask, events: Iterable<StreamResponse>): Promise<boolean> {
    for (const event of events) {
      const goesOn = event.task ? await this.acceptTask(live, event) : this.accept(live, event);
      if (!goesOn) return false;
    }
    return true;
  }

  /** Appends an agent's event, unless the task or the run is over. Returns whether the run continues. */
  accept(live: LiveTask, yielded: StreamResponse): boolean {
    if (this.#turn.aborted || live.log.isTerminal) return false;
    let event = this.#complete(yielded);
    if (event.message) event = this.#statusOf(live, event.message);
    const state = stateOf(event);
    if (!this.#isNext(live, state)) return true;
    if (state !== undefined) this.#restsAs = undefined;
    live.emit(state !== undefined && isInterrupted(state) ? this.#asking(event) : event);
    return !live.log.isTerminal;
  }

  /**
   * Appends what is new in a Task that the agent reports within its task, as updates: a stream has one Task, with which it
   * begins. Returns whether the run continues.
   */
  async acceptTask(live: LiveTask, yielded: StreamResponse): Promise<boolean> {
    if (this.#turn.aborted || live.log.isTerminal) return false;
    const { task } = this.#complete(yielded);
    if (!task || !this.#isNext(live, task.status.state)) return true;
    const known = await live.latest();
    if (this.#turn.aborted || live.log.isTerminal) return false;
    this.#restsAs = isResting(task.status.state) ? task.status : undefined;
    for (const event of difference(known, task)) this.#append(live, event);
    return !live.log.isTerminal;
  }

  /** Brings the task to rest as the agent's last Task said. False: it did not. */
  rest(live: LiveTask): boolean {
    if (!this.#restsAs) return false;
    this.#append(live, { statusUpdate: { ...this.#turn.deps.ids, status: this.#restsAs } });
    return true;
  }

  /**
   * v1 streams carry no Message after the Task: a Message completes the task instead. While others wait, or further calls of the
   * run go on, it is a word on the way.
   */
  #statusOf(live: LiveTask, message: Message): StreamResponse {
    const { ids, services } = this.#turn.deps;
    const isLast = !live.queue?.waiting.length && !hasFurtherCalls(live);
    const state = isLast ? ('TASK_STATE_COMPLETED' as const) : ('TASK_STATE_WORKING' as const);
    return { statusUpdate: { ...ids, status: { state, timestamp: timestamp(services.store.now()), message } } };
  }

  /** An agent's event with what it left out. A task has the metadata that the message brought for it. */
  #complete(yielded: StreamResponse): StreamResponse {
    const { taskMetadata, parent, deps } = this.#turn;
    const event = completeEvent(yielded, deps.ids, deps.services.store.now());
    if (!event.task || !(taskMetadata ?? parent)) return event;
    const metadata = { ...taskMetadata, ...event.task.metadata, ...(parent && { [parentKey]: { ...parent } }) };
    return { task: { ...event.task, metadata } };
  }

  /** An event that asks, with what hooks say of its question. */
  #asking(event: StreamResponse): StreamResponse {
    const { hooks } = this.#turn.deps;
    return hooks?.asked ? hooks.asked(this.#turn.run, event) : event;
  }

  /** Whether an event with a state is for the task: one that was restarted is not submitted again. Throws for an illegal state. */
  #isNext(live: LiveTask, state: TaskState | undefined): boolean {
    if (this.isRestart && state === 'TASK_STATE_SUBMITTED') return false;
    if (state !== undefined && !isLegal(live.log.state, state)) {
      throw new A2AError('invalidAgentResponse', `The agent went from ${live.log.state} to ${state}.`);
    }
    return true;
  }

  #append(live: LiveTask, event: StreamResponse): void {
    const state = stateOf(event);
    live.emit(state !== undefined && isInterrupted(state) ? this.#asking(event) : event);
  }
}

/** Whether an agent's first event opens the task itself, so that no opening event of the gateway's comes before it. */
export const opensTask = ({ task, statusUpdate }: StreamResponse): boolean =>
  task !== undefined || statusUpdate?.status?.state === 'TASK_STATE_SUBMITTED';

/** The task with the message that opened it at the head of its history. */
function withMessage(task: Task, message: Message): Task {
  const history = task.history ?? [];
  const isIncluded = history.some(({ messageId }) => messageId === message.messageId);
  return { ...task, history: isIncluded ? history : [message, ...history] };
}
