import type { StreamResponse } from '../../core/model/a2a.ts';
import type { Agent, AgentContext, AgentHealth } from '../../core/model/agent.ts';
import type { Invoke, ObserveAttempt } from '../../core/model/call.ts';
import { A2AError, isUndelivered, markUndelivered } from '../../core/model/errors.ts';
import { shownUrl } from '../../core/model/shown-url.ts';
import { steadyNow, withSignal } from '../../core/model/timing.ts';
import { retryWhileUnavailable } from '../../core/tasks/outage.ts';
import { createUpstreamAgent, type UpstreamOptions } from './index.ts';

type Work = (agent: Agent, context: AgentContext) => AsyncIterable<StreamResponse> | undefined;
type Options = Omit<UpstreamOptions, 'url'>;

/** Key under which the URL of the copy is stored in the state of a task and of a conversation. */
const kept = 'copy';

/**
 * An upstream agent at several URLs as one agent. A new task goes to the copy with the fewest runs in progress, and stays there
 * with its conversation. Another copy gets the message only if the first one cannot have run it.
 */
export function createCopies({ urls, ...options }: Options & { readonly urls: readonly string[] }): Agent {
  const copies = urls.map((url) => new Copy({ ...options, url }));
  const leader = (): Agent => (copies.find(({ isWell }) => isWell) ?? (copies[0] as Copy)).agent;
  let turn = 0;
  const own: Partial<Agent> = {
    open() {
      for (const { agent } of copies) agent.open?.();
    },
    close: async () => void (await Promise.all(copies.map(({ agent }) => agent.close?.()))),
    health() {
      const answering = `${copies.filter(({ isWell }) => isWell).length} of ${copies.length} answer`;
      return { state: 'ok', ...leader().health?.(), copies: answering, parts: copies.map(({ health }) => health) };
    },
    gateways: () => copies.flatMap(({ agent }) => agent.gateways?.() ?? []),
    execute(request, context) {
      const work: Work = (agent, inner) => agent.execute(request, inner);
      return context.task ? continueTask(copies, context, work) : openTask(copies, turn++, options, context, work);
    },
    resume: (task, context, last) => continueTask(copies, context, (agent, inner) => agent.resume?.(task, inner, last)),
    async cancel(task, context) {
      // A task is given up if the URL of its copy was removed.
      const copy = await copyOfTask(copies, context);
      return (await copy?.agent.cancel?.(task, context)) || undefined;
    },
  };
  // All other members, such as the card and the knowledge, are those of the first copy that is well.
  return new Proxy({} as Agent, { get: (_, member) => Reflect.get(own, member) ?? Reflect.get(leader(), member) });
}

/** The copy that has a task. Undefined: its URL was removed. */
async function copyOfTask(copies: readonly Copy[], { state, signal }: AgentContext): Promise<Copy | undefined> {
  const url = await retryWhileUnavailable(() => state.task.get(kept), signal);
  // The task was opened before the agent had several URLs.
  return url === undefined ? copies[0] : copies.find((copy) => copy.url === url);
}

async function* continueTask(copies: readonly Copy[], context: AgentContext, work: Work) {
  const copy = await copyOfTask(copies, context);
  if (copy) return yield* copy.run(async () => work(copy.agent, context));
  const message = 'The copy of the upstream agent that has this task is gone: its URL was removed';
  throw markUndelivered(new A2AError('upstreamUnreachable', message));
}

async function* openTask(
  copies: readonly Copy[],
  turn: number,
  options: Options,
  context: AgentContext,
  work: Work,
): AsyncGenerator<StreamResponse, void> {
  const { state, signal } = context;
  const known = context.newContext ? undefined : await copyOfContext(copies, options, context);
  // A conversation that no copy knows begins anew.
  const inner = known ? context : withSignal<AgentContext>({ ...context, newContext: true }, () => context.signal);
  let left = copies;
  for (let copy = known ?? nextCopy(left, turn); copy; ) {
    const { url, agent } = copy;
    let isAnswered = false;
    try {
      const begin = async () => {
        // Stored before the message is sent, so that a replica that takes the task over finds the copy in any case.
        await retryWhileUnavailable(
          () => Promise.all([state.task.set(kept, url), state.context.set(kept, url)]),
          signal,
        );
        return work(agent, inner);
      };
      for await (const event of copy.run(begin)) {
        isAnswered = true;
        yield event;
      }
      return;
    } catch (thrown) {
      if (known || isAnswered || !isUndelivered(thrown as A2AError) || signal.aborted) throw thrown;
      copy.fail(A2AError.from(thrown));
      left = left.filter((each) => each !== copy);
      copy = nextCopy(left, turn);
      if (!copy) {
        await state.context.delete(kept);
        throw thrown;
      }
      options.onRetry?.(options.name);
    }
  }
}

async function copyOfContext(copies: readonly Copy[], { name: agent, ids }: Options, context: AgentContext) {
  const { state, signal, tenant, principal, contextId } = context;
  const url = await retryWhileUnavailable(() => state.context.get(kept), signal);
  if (url !== undefined) return copies.find((copy) => copy.url === url);
  // A conversation may have begun before the agent had several URLs.
  const known = await ids.upstreamContextOf({ agent, tenant, principal: principal.id }, contextId);
  return known === undefined ? undefined : copies[0];
}

/** The copy with the fewest runs in progress. Copies with equal numbers take turns. */
function nextCopy(copies: readonly Copy[], turn: number): Copy | undefined {
  const due = copies.filter(({ isDue }) => isDue);
  const pool = due.length > 0 ? due : copies;
  const at = turn % Math.max(1, pool.length);
  const [next] = [...pool.slice(at), ...pool.slice(0, at)].sort((a, b) => a.outstanding - b.outstanding);
  // One run tries a copy that failed before. Meanwhile all other runs go to other copies.
  if (next?.isDue && !next.isWell) next.rest();
  return next;
}

/** Milliseconds that a copy gets no new tasks after a failure, doubled with each further one. */
const firstRest = 2_000;
const longestRest = 30_000;
/** Kinds of errors which show that a copy is not well, regardless of the request. */
const failures: ReadonlySet<string> = new Set(
  'upstreamUnreachable upstreamTimeout unavailable tooManyRequests internal invalidAgentResponse'.split(' '),
);

/** An upstream agent at one of its URLs. */
class Copy {
  /** URL without credentials, under which the copy is known in the store. */
  readonly url: string;
  readonly agent: Agent;
  /** Number of runs in progress. */
  outstanding = 0;
  #failures = 0;
  /** End of the time in which the copy gets no new tasks, by `steadyNow`. */
  #restsUntil = steadyNow() + firstRest;

  constructor(options: UpstreamOptions) {
    this.url = shownUrl(new URL(options.url));
    const observe = options.observe?.(options.name) ?? ((next: Invoke): Invoke => next);
    const watch: ObserveAttempt = (next, to) => observe((call) => this.#learnFrom(next(call)), to);
    this.agent = createUpstreamAgent({ ...options, observe: () => watch });
  }

  get isWell(): boolean {
    return this.#failures === 0 && this.agent.health?.().state === 'ok';
  }

  /** Whether the copy may get a new task: it is well, or it is time to try it again. */
  get isDue(): boolean {
    return this.isWell || steadyNow() >= this.#restsUntil;
  }

  get health(): AgentHealth {
    const own = this.agent.health?.() ?? { state: 'ok' };
    return { ...own, url: this.url, outstanding: String(this.outstanding), leftOut: String(!this.isWell) };
  }

  /** The events of a run. The run counts as in progress until they end. */
  async *run(begin: () => Promise<AsyncIterable<StreamResponse> | undefined>): AsyncGenerator<StreamResponse, void> {
    this.outstanding += 1;
    try {
      yield* (await begin()) ?? [];
    } finally {
      this.outstanding -= 1;
    }
  }

  /** Gives the copy no new tasks for a while. @param least smallest number of milliseconds */
  rest(least = 0): void {
    const pause = Math.max(firstRest * 2 ** this.#failures, least);
    this.#failures += 1;
    this.#restsUntil = steadyNow() + Math.min(pause, longestRest);
  }

  /** Notes a failure. Of calls that fail at the same time, only one counts. */
  fail({ retryAfter = 0 }: A2AError): void {
    if (this.#failures === 0) this.rest(retryAfter * 1_000);
  }

  async #learnFrom<T>(calling: Promise<T>): Promise<T> {
    try {
      const reply = await calling;
      this.#failures = 0;
      return reply;
    } catch (thrown) {
      const error = A2AError.from(thrown);
      if (failures.has(error.kind)) this.fail(error);
      else if (error.kind !== 'canceled' && error.kind !== 'deadlineExceeded') this.#failures = 0;
      throw thrown;
    }
  }
}
