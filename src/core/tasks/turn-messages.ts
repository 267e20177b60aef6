import type { Message, TaskStatus } from '../model/a2a.ts';
import type { TaskIds } from '../model/agent-events.ts';
import { timestamp } from '../model/agent-events.ts';
import { A2AError } from '../model/errors.ts';
import { isInterrupted, mayContinueWithoutClient } from '../model/lifecycle.ts';
import { turnKey, type WaitingMessage } from '../model/turns.ts';
import { isForAgent } from './held-call.ts';
import type { LiveTask } from './live-tasks.ts';
import type { AgentRun, WaitingTurn } from './turn-queue.ts';

/** Milliseconds in which a run must end that has asked a question which is answered by now. */
const lingering = 1_000;
/** Reason for aborting such a run. */
const wasAnswered = new A2AError('canceled', 'The question was answered, and the answer begins a turn of its own.');

/** A message of a log. */
export interface LoggedMessage extends WaitingMessage {
  readonly message: Message;
}

/** The run whose agent takes messages into its turn. */
interface TakingRun extends AgentRun {
  readonly aborted: A2AError | undefined;
  readonly isOver: boolean;
  /** Position of the turn's message. */
  readonly seq: number;
}

/** The messages that an agent takes from `context.messages` into the turn that it works on. */
export class TurnMessages {
  readonly #run: TakingRun;
  readonly #ids: TaskIds;
  /** Messages that the agent has taken in addition to the turn's own. */
  #taken: readonly LoggedMessage[] = [];
  /** The turns that these messages would have begun. */
  readonly #joined: WaitingTurn[] = [];
  /** Resolved when a message arrives that the agent may take, and when no more can arrive. */
  #arrival: PromiseWithResolvers<void> | undefined;

  /** @param taken messages that the agent took in another process */
  constructor(run: TakingRun, ids: TaskIds, taken: readonly LoggedMessage[] = []) {
    this.#run = run;
    this.#ids = ids;
    this.#taken = taken;
  }

  /** Called when a message has arrived, and when no more can arrive. */
  arrived(): void {
    this.#arrival?.resolve();
    this.#arrival = undefined;
  }

  /** Called when the run is over. */
  end(): void {
    this.arrived();
    for (const joined of this.#joined.splice(0)) joined.discard();
  }

  /**
   * Records in the log which messages are in hand, and which wait. @param at milliseconds since the epoch, by the store's clock
   */
  mark(live: LiveTask, at: number, status: TaskStatus = { state: 'TASK_STATE_WORKING' }): void {
    const taken = this.#taken.map(({ seq }) => seq);
    const waiting = (live.queue?.waiting ?? []).map(({ seq, id }) => ({ seq, id }));
    const marker = { seq: this.#run.seq, ...(taken.length > 0 && { taken }), waiting };
    const marked = { timestamp: timestamp(at), ...status };
    live.end({ statusUpdate: { ...this.#ids, status: marked, metadata: { [turnKey]: marker } } });
  }

  /** @param now the store's clock */
  async *take(live: () => LiveTask | undefined, now: () => number): AsyncGenerator<Message, void> {
    const run = this.#run;
    for (const { message } of this.#taken) yield message;
    while (!run.isOver && !run.aborted) {
      const task = live();
      const [first] = task?.queue?.waiting ?? [];
      if (!task?.runs.includes(run) || !first || !isForAgent(first)) {
        this.#arrival ??= Promise.withResolvers();
        await this.#arrival.promise;
        continue;
      }
      try {
        // Read before the message is taken, because an event that ends the task meanwhile names the message.
        const status = isInterrupted(task.log.state) ? (await task.journal.latest()).status : undefined;
        // An answer that waits for people may have been placed before the others meanwhile.
        const isFirst = task.queue?.waiting[0] === first && task.runs.includes(run);
        const next = isFirst ? task.queue?.take() : undefined;
        if (!next) continue;
        this.#joined.push(next);
        this.#taken = [...this.#taken, next];
        this.mark(task, now(), status);
        await task.journal.written();
        if (!run.aborted) yield next.message;
      } catch {
        return;
      }
    }
  }
}

/** The answer to the turn's question, if it waits until the turn is over. */
export function nextAfterRest(turn: TakingRun, live: LiveTask): WaitingTurn | undefined {
  const isWorking = live.runs.includes(turn) && live.log.hasRested(turn.after);
  return isWorking ? live.queue?.take(live.log.statePosition) : undefined;
}

/** Aborts a turn that has asked a question and goes on although its client has answered, unless it ends by itself. */
export function releaseLingering(turn: TakingRun, live: LiveTask): void {
  if (mayContinueWithoutClient(live.log.state)) return;
  const end = (): void => {
    const next = turn.aborted ? undefined : nextAfterRest(turn, live);
    if (!next) return;
    turn.abort(wasAnswered);
    next.follow(turn);
  };
  setTimeout(end, lingering).unref();
}
