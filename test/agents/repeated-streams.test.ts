import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { TaskCalls } from '../../src/agents/upstream/calls.ts';
import type { UpstreamConnection } from '../../src/agents/upstream/connection.ts';
import { IdMapping, noIds } from '../../src/agents/upstream/ids.ts';
import { InterruptibleWait, TaskFollower } from '../../src/agents/upstream/stream.ts';
import { UpstreamTaskState } from '../../src/agents/upstream/task-state.ts';
import type { StreamResponse, Task, TaskState } from '../../src/core/model/a2a.ts';
import type { AgentContext } from '../../src/core/model/agent.ts';
import { unloggedEvent } from '../../src/core/model/agent-events.ts';
import type { Call, LoggedEvent, Reply } from '../../src/core/model/call.ts';
import { A2AError } from '../../src/core/model/errors.ts';
import { copyTask, fold } from '../../src/core/model/fold.ts';
import { joinReplies } from '../../src/dialects/kernel/calls.ts';
import type { CodecContext } from '../../src/dialects/kernel/codec.ts';
import type { Dialect } from '../../src/dialects/kernel/dialect.ts';
import { createDialects } from '../../src/dialects/kernel/registry.ts';
import type { Method } from '../../src/dialects/kernel/wire.ts';

/** Agents that repeat to each subscriber what they have said, and whose streams break and end before their task does. */

const ids = { taskId: 'theirs', contextId: 'theirs' };
const owner = { agent: 'up', tenant: '', principal: 'p' };

interface Step {
  readonly kind: 'message' | 'x' | 'y';
  readonly word: string;
  readonly anew: boolean;
}

/** One stream: from where it repeats the past, how much it adds, and how it goes. */
interface Script {
  readonly from: number;
  readonly adds: number;
  /** What happens while nothing follows the task. */
  readonly misses: number;
  readonly twice: boolean;
  readonly breaks: boolean;
  readonly leads: boolean;
}

const scripts = fc.array(
  fc.record({
    from: fc.double({ min: 0, max: 1, noNaN: true }),
    adds: fc.nat(3),
    misses: fc.nat(2),
    twice: fc.boolean(),
    breaks: fc.boolean(),
    leads: fc.boolean(),
  }),
  { minLength: 1, maxLength: 5 },
);

const stepsOf = (word: fc.Arbitrary<string>): fc.Arbitrary<Step[]> =>
  fc.array(
    fc.record({ kind: fc.constantFrom('message' as const, 'x' as const, 'y' as const), word, anew: fc.boolean() }),
    {
      minLength: 1,
      maxLength: 10,
    },
  );

/** The events of the agent's task, each later than the one before. */
function eventsOf(steps: readonly Step[]): StreamResponse[] {
  const at = (n: number): string => new Date(Date.UTC(2027, 0, 1) + n * 1_000).toISOString();
  const seen = new Set<string>();
  const told = steps.map(({ kind, word, anew }, n): StreamResponse => {
    if (kind === 'message') {
      const message = { messageId: `m${n}`, role: 'ROLE_AGENT' as const, parts: [{ text: word }], ...ids };
      return { statusUpdate: { ...ids, status: { state: 'TASK_STATE_WORKING', timestamp: at(n), message } } };
    }
    const append = seen.has(kind) && !anew;
    seen.add(kind);
    return { artifactUpdate: { ...ids, artifact: { artifactId: kind, parts: [{ text: word }] }, append } };
  });
  const status = { state: 'TASK_STATE_COMPLETED' as const, timestamp: at(steps.length) };
  return [...told, { statusUpdate: { ...ids, status } }];
}

/** An agent whose calls go through the codecs of a dialect, in both directions. */
class RepeatingAgent {
  readonly calls = { GetTask: 0, SubscribeToTask: 0 };
  readonly #dialect: Dialect;
  readonly #events: readonly StreamResponse[];
  readonly #scripts: readonly Script[];
  /** How much of the task has happened. */
  #now = 0;
  #streams = 0;
  #idle = 0;

  constructor(dialect: Dialect, events: readonly StreamResponse[], streams: readonly Script[]) {
    this.#dialect = dialect;
    this.#events = events;
    this.#scripts = streams;
  }

  /** The task after the first `count` events. */
  taskAt(count: number): Task {
    const begun: Task = { id: ids.taskId, contextId: ids.contextId, status: { state: 'TASK_STATE_SUBMITTED' } };
    begun.status.timestamp = '2026-12-31T00:00:00.000Z';
    return this.#events.slice(0, count).reduce((task, event) => fold(task, structuredClone(event)), begun);
  }

  get truth(): Task {
    return this.taskAt(this.#events.length);
  }

  get #binding() {
    return this.#dialect.jsonrpc ?? expect.fail('every dialect has JSON-RPC');
  }

  #get(): Task {
    const method = this.#binding.calls.get('GetTask')?.method ?? expect.fail('no GetTask');
    const cx = { losses: new Set<string>(), taskId: ids.taskId };
    const wire = method.result?.encode({ value: this.taskAt(this.#now) } as never, cx);
    return method.result?.decode(JSON.parse(JSON.stringify(wire)), cx).value as Task;
  }

  /** The next stream. The first one begins with the task. */
  stream(): AsyncIterable<LoggedEvent> {
    const plan = this.#binding.calls.get('SubscribeToTask') ?? expect.fail('no SubscribeToTask');
    const script = this.#scripts[this.#streams];
    this.#idle = 0;
    this.#streams += 1;
    const task = this.#get();
    const events = this.#tell(plan.next ?? plan.method, script);
    const leads = this.#streams === 1 || script?.leads !== false;
    const leading = { value: task } as Reply;
    if (plan.next) return (joinReplies(plan, leading, { events }) as { events: AsyncIterable<LoggedEvent> }).events;
    return leads ? prefixed(unloggedEvent({ task }, 0, 0), events) : events;
  }

  async *#tell({ stream }: Method, script: Script | undefined): AsyncGenerator<LoggedEvent> {
    if (!stream) throw new TypeError('the method has no stream');
    const first = this.#streams === 1;
    // After its last stream it repeats everything to each subscriber, and does not work on.
    const from = first || !script ? 0 : Math.floor(script.from * this.#now);
    const to = script ? Math.min(this.#events.length, this.#now + script.adds) : this.#now;
    const cx: CodecContext = { losses: new Set(), taskId: ids.taskId, before: this.taskAt(from) };
    const encoder = stream.encoder(cx);
    const decoder = stream.decoder({ losses: new Set(), taskId: ids.taskId });
    const decode = (frames: readonly { readonly event?: string; readonly data: string }[]) =>
      frames.flatMap(({ event, data }) => {
        const name = event !== undefined && { event };
        return data === '' ? [] : decoder.decode({ ...name, data: JSON.parse(data) });
      });
    for (let n = from; n < to; n++) {
      const isPast = n < this.#now;
      this.#now = Math.max(this.#now, n + 1);
      const event = this.#events[n] as StreamResponse;
      const told = decode(encoder.encode(unloggedEvent(structuredClone(event), n, n * 1_000)));
      for (const one of told) yield unloggedEvent(one, 0, 0);
      if (isPast && script?.twice) for (const one of told) yield unloggedEvent(structuredClone(one), 0, 0);
    }
    if (!script?.breaks) for (const one of decode(encoder.end?.() ?? [])) yield unloggedEvent(one, 0, 0);
    for (const one of decoder.end?.() ?? []) yield unloggedEvent(one, 0, 0);
    if (script) this.#now = Math.min(this.#events.length, this.#now + script.misses);
    if (script?.breaks) throw new A2AError('upstreamUnreachable', 'the connection was closed');
  }

  /** The connection to it. */
  get connection(): UpstreamConnection {
    const invoke = async ({ operation }: Call): Promise<Reply> => {
      this.calls[operation as 'GetTask'] += 1;
      if (operation === 'SubscribeToTask') return { events: this.stream() };
      // When it is polled often enough, the task is over.
      this.#idle += 1;
      if (this.#idle > 8) this.#now = this.#events.length;
      return { value: this.#get() } as Reply;
    };
    return { invoke, streams: true, open: async () => undefined, onRetry: () => undefined } as never;
  }
}

async function* prefixed(first: LoggedEvent, events: AsyncIterable<LoggedEvent>): AsyncGenerator<LoggedEvent> {
  yield first;
  yield* events;
}

const times = {
  silence: 600_000,
  call: 30_000,
  attempts: 5,
  pause: 1_000,
  quiet: 2_000,
  pulse: 30_000,
  restart: 60_000,
  settle: 5_000,
};

/** Follows the agent's task to the end. Returns the task after each event. */
async function follow(agent: RepeatingAgent): Promise<Task[]> {
  const { signal } = new AbortController();
  const context = {
    ...ids,
    taskId: 'ours',
    contextId: 'ours',
    requestId: 'r',
    extensions: [],
    hops: 0,
    bind: () => undefined,
  };
  const state = new UpstreamTaskState(context as never as AgentContext, new IdMapping(noIds, owner), {
    reach: () => undefined,
  });
  const calls = new TaskCalls(agent.connection, context as never as AgentContext, times, signal);
  const follower = new TaskFollower(state, calls, new InterruptibleWait(signal), times);
  const seen: Task[] = [];
  const all = (async () => {
    for await (const _ of follower.followStream(agent.stream())) seen.push(copyTask(state.known));
  })();
  let over = false;
  const ended = all.finally(() => {
    over = true;
  });
  ended.catch(() => undefined);
  while (!over) await vi.advanceTimersByTimeAsync(5_000);
  await ended;
  return seen;
}

const textOf = (parts: readonly { readonly text?: string }[]): string => parts.map(({ text }) => text ?? '').join('');

const saidIn = ({ history = [], status: { message } }: Task): string[] =>
  [...history, ...(message ? [message] : [])].map(({ parts }) => textOf(parts));

const essence = (task: Task): object => ({
  state: task.status.state satisfies TaskState,
  said: saidIn(task),
  artifacts: Object.fromEntries((task.artifacts ?? []).map(({ artifactId, parts }) => [artifactId, textOf(parts)])),
});

const copiesOf = (words: readonly string[], word: string): number => words.filter((one) => one === word).length;

const streaming = createDialects().list.filter(({ jsonrpc }) => jsonrpc?.calls.has('SubscribeToTask'));

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe.each(streaming.map((dialect) => [dialect.name, dialect] as const))('an agent of %s', (_, dialect) => {
  /** What a dialect without artifact ids calls them differs; their order is the same. */
  const normal = (task: Task, agent: RepeatingAgent): object => {
    const names = agent.truth.artifacts?.map(({ artifactId }) => artifactId) ?? [];
    const artifacts = (task.artifacts ?? []).map((artifact, at) => ({ ...artifact, artifactId: names[at] ?? '' }));
    return essence(dialect.name === 'a2a-0.1' ? { ...task, artifacts } : task);
  };

  test('that repeats itself and breaks off is followed to the end of its task, and called a bounded number of times', async () => {
    await fc.assert(
      fc.asyncProperty(stepsOf(fc.constantFrom('a', 'b')), scripts, async (steps, streams) => {
        const agent = new RepeatingAgent(dialect, eventsOf(steps), streams);
        const seen = await follow(agent);
        const end = seen.at(-1) ?? expect.fail('nothing was reported');
        expect(normal(end, agent)).toEqual(essence(agent.truth));
        // Two streams that bring nothing new, after those that do.
        expect(agent.calls.SubscribeToTask).toBeLessThanOrEqual(streams.length + 2);
      }),
      { numRuns: 30 },
    );
  }, 120_000);

  test('never makes a message or a chunk appear twice by repeating it from the beginning', async () => {
    let n = 0;
    const words = fc.constant(undefined).map(() => `word ${n++} `);
    const fromBeginning = scripts.map((list) => list.map((script) => ({ ...script, from: 0, twice: false })));
    await fc.assert(
      fc.asyncProperty(stepsOf(words), fromBeginning, async (steps, streams) => {
        const agent = new RepeatingAgent(dialect, eventsOf(steps), streams);
        const said = saidIn(agent.truth);
        const seen = await follow(agent);
        for (const task of seen) {
          for (const word of saidIn(task)) expect(copiesOf(saidIn(task), word)).toBe(copiesOf(said, word));
          for (const { parts } of task.artifacts ?? []) {
            const chunks = textOf(parts).match(/word \d+ /g) ?? [];
            expect(chunks).toEqual([...new Set(chunks)]);
          }
        }
        expect(normal(seen.at(-1) as Task, agent)).toEqual(essence(agent.truth));
      }),
      { numRuns: 30 },
    );
  }, 120_000);
});
