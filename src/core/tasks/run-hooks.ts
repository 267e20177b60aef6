import type { Part, SendMessageRequest, StreamResponse, Struct, TaskStatus } from '../model/a2a.ts';
import type { Call } from '../model/call.ts';
import type { AskingTask, GivenAnswer, Question } from '../model/question.ts';
import type { CanceledTask, Run, RunHook, RunOutcome, RunStart } from '../ports/run-hook.ts';

/** The events that replace an event. */
type Replaced = Iterable<StreamResponse> | Promise<Iterable<StreamResponse>> | undefined;

type Having<K extends keyof RunHook> = RunHook & Required<Pick<RunHook, K>>;

/** The hooks of a configuration, composed once. A member that no hook implements is undefined and is not called. */
export class RunHooks {
  readonly begins: boolean;
  readonly stream: ((run: Run, events: AsyncIterator<StreamResponse>) => AsyncIterator<StreamResponse>) | undefined;
  readonly canceled: ((task: CanceledTask, status: TaskStatus) => Promise<TaskStatus>) | undefined;
  readonly event: ((run: Run, event: StreamResponse) => Replaced) | undefined;
  readonly asked: ((run: Run, event: StreamResponse) => StreamResponse) | undefined;
  readonly answered: ((task: AskingTask, question: Question, answer: GivenAnswer) => void) | undefined;
  readonly path: ((run: Run) => Promise<string | undefined>) | undefined;
  readonly #hooks: readonly RunHook[];

  private constructor(hooks: readonly RunHook[]) {
    this.#hooks = hooks;
    this.begins = hooks.some(({ begin, end }) => begin ?? end);
    const streams = having(hooks, 'stream');
    const cancels = having(hooks, 'canceled');
    const events = having(hooks, 'event');
    const asked = having(hooks, 'asked');
    const answered = having(hooks, 'answered');
    const [path] = having(hooks, 'path');
    this.stream =
      streams.length > 0
        ? (run, given) => streams.reduce((known, hook) => hook.stream(run, known) ?? known, given)
        : undefined;
    this.canceled = cancels.length > 0 ? (task, status) => canceledBy(cancels, task, status) : undefined;
    this.event = events.length > 0 ? (run, event) => replaced(events, run, event) : undefined;
    this.asked =
      asked.length > 0 ? (run, event) => asked.reduce((known, hook) => hook.asked(run, known), event) : undefined;
    this.answered =
      answered.length > 0
        ? (...answer) => {
            for (const hook of answered) hook.answered(...answer);
          }
        : undefined;
    this.path = path && ((run) => path.path(run));
  }

  /** Composes a list of hooks. Undefined if the list has none. */
  static of(hooks: readonly (RunHook | undefined)[]): RunHooks | undefined {
    const all = hooks.filter((hook) => hook !== undefined);
    return all.length > 0 ? new RunHooks(all) : undefined;
  }

  /**
   * Begins a run with each hook. Rejects with the error of the first hook that refuses; `end` of the hooks before it has been
   * called by then.
   *
   * @param take called with the contribution of each hook, before the next one begins
   */
  async begin(run: Run, call: Call | undefined, take: (start: RunStart) => void): Promise<void> {
    const begun: RunHook[] = [];
    let now = call;
    try {
      for (const hook of this.#hooks) {
        const start = await hook.begin?.(run, now);
        begun.push(hook);
        if (start) take(start);
        if (start?.parts && now) now = withParts(now, start.parts);
      }
    } catch (thrown) {
      for (const hook of begun) hook.end?.(run, 'refused');
      throw thrown;
    }
  }

  end(run: Run, outcome: RunOutcome): void {
    for (const hook of this.#hooks) hook.end?.(run, outcome);
  }
}

const having = <K extends keyof RunHook>(hooks: readonly RunHook[], name: K): readonly Having<K>[] =>
  hooks.filter((hook): hook is Having<K> => hook[name] !== undefined);

/** A copy of a call whose message has these parts. */
function withParts(call: Call, parts: Part[]): Call {
  const { message, ...request } = call.request as SendMessageRequest;
  return { ...call, request: { ...request, message: { ...message, parts } } } as Call;
}

async function canceledBy(
  hooks: readonly Having<'canceled'>[],
  task: CanceledTask,
  status: TaskStatus,
): Promise<TaskStatus> {
  let known = status;
  for (const hook of hooks) known = await hook.canceled(task, known);
  return known;
}

/** Gives an event to the first hook, and the events that replace it to the next hook, and so on. */
function replaced(hooks: readonly Having<'event'>[], run: Run, event: StreamResponse): Replaced {
  const [first, ...others] = hooks;
  const taken = first?.event(run, event);
  if (others.length === 0) return taken;
  if (taken === undefined) return replaced(others, run, event);
  return replacedEach(others, run, taken);
}

async function replacedEach(
  hooks: readonly Having<'event'>[],
  run: Run,
  events: NonNullable<Replaced>,
): Promise<StreamResponse[]> {
  const all: StreamResponse[] = [];
  for (const event of await events) all.push(...((await replaced(hooks, run, event)) ?? [event]));
  return all;
}

/** Metadata, with the metadata that a hook adds. */
export const withMetadata = (known: Struct | undefined, added: Struct | undefined): Struct | undefined =>
  added ? { ...known, ...added } : known;
