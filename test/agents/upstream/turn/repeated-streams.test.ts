import fc from 'fast-check';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import type { UpstreamConnection } from '../../../../src/agents/upstream/connection/connection.ts';
import { IdMapping, noIds } from '../../../../src/agents/upstream/ids.ts';
import { TaskCalls } from '../../../../src/agents/upstream/turn/task-calls.ts';
import { TaskFollower } from '../../../../src/agents/upstream/turn/task-follower.ts';
import { UpstreamTaskState } from '../../../../src/agents/upstream/turn/task-state.ts';
import { InterruptibleWait } from '../../../../src/agents/upstream/turn/waits.ts';
import type { StreamResponse, Task, TaskState } from '../../../../src/core/model/a2a.ts';
import type { AgentContext } from '../../../../src/core/model/agent.ts';
import { unloggedEvent } from '../../../../src/core/model/agent-events.ts';
import type { Call, LoggedEvent, Reply } from '../../../../src/core/model/call.ts';
import { A2AError } from '../../../../src/core/model/errors.ts';
import { copyTask, fold } from '../../../../src/core/model/fold.ts';
import { joinReplies } from '../../../../src/dialects/kernel/calls.ts';
import type { CodecContext, Frame, StreamShape } from '../../../../src/dialects/kernel/codec.ts';
import type { CallPlan, Method } from '../../../../src/dialects/kernel/wire.ts';
import { createDialects } from '../../../../src/dialects/registry.ts';
import type { OperationName } from '../../../../src/gen/services.ts';
import { decode as fromBytes, encode as toBytes } from '../../../../src/wire/protobuf.ts';
import { paced } from '../../../support/pace.ts';

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
  /** Number of events that happen while nothing follows the task. */
  readonly misses: number;
  readonly twice: boolean;
  readonly breaks: boolean;
  readonly leads: boolean;
  /** Whether events that it repeats come in pairs, the later one first. */
  readonly swapsPast: boolean;
  /** Whether events that it adds come in pairs, the later one first. */
  readonly swapsNew: boolean;
}

const scripts = fc.array(
  fc.record({
    from: fc.double({ min: 0, max: 1, noNaN: true }),
    adds: fc.nat(3),
    misses: fc.nat(2),
    twice: fc.boolean(),
    breaks: fc.boolean(),
    leads: fc.boolean(),
    swapsPast: fc.boolean(),
    swapsNew: fc.constant(false),
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

/** The events of the agent's task, each later than the one before; with a `pace` below one, many in the same second. */
function eventsOf(steps: readonly Step[], pace = 1): StreamResponse[] {
  const at = (n: number): string => new Date(Date.UTC(2027, 0, 1) + Math.floor(n * pace) * 1_000).toISOString();
  const seen = new Set<string>();
  const sent = steps.map(({ kind, word, anew }, n): StreamResponse => {
    if (kind === 'message') {
      const message = { messageId: `m${n}`, role: 'ROLE_AGENT' as const, parts: [{ text: word }], ...ids };
      return { statusUpdate: { ...ids, status: { state: 'TASK_STATE_WORKING', timestamp: at(n), message } } };
    }
    const append = seen.has(kind) && !anew;
    seen.add(kind);
    return { artifactUpdate: { ...ids, artifact: { artifactId: kind, parts: [{ text: word }] }, append } };
  });
  const status = { state: 'TASK_STATE_COMPLETED' as const, timestamp: at(steps.length) };
  return [...sent, { statusUpdate: { ...ids, status } }];
}

/** The calls of agents of one dialect over one binding. */
interface Wire {
  readonly name: string;
  planOf(operation: OperationName): CallPlan | undefined;
  /** A value of an operation as it arrives. */
  carry(operation: OperationName, value: unknown): unknown;
  /** Whether streams are framed as text. Streams of protobuf messages are not. */
  readonly framed: boolean;
}

const throughText = (_: OperationName, value: unknown): unknown => JSON.parse(JSON.stringify(value));

/** Every binding of every dialect that follows tasks. */
const wires: readonly Wire[] = createDialects()
  .list.flatMap(({ name, jsonrpc, rest, grpc }): Wire[] => {
    const planned = (methods: Iterable<Method>): Wire['planOf'] => {
      const plans = new Map([...methods].map((method) => [method.operation, { method }]));
      return (operation) => plans.get(operation);
    };
    const over: Wire[] = [];
    if (jsonrpc) {
      const { calls } = jsonrpc;
      over.push({ name: `${name} over JSON-RPC`, planOf: (of) => calls.get(of), carry: throughText, framed: true });
    }
    if (rest) {
      const planOf = planned(rest.routes.map(({ method }) => method));
      over.push({ name: `${name} over HTTP+JSON`, planOf, carry: throughText, framed: true });
    }
    if (grpc) {
      const { api, methods } = grpc;
      const carry: Wire['carry'] = (operation, value) => {
        const rpc = api.operations.find(({ rpc: of }) => methods.get(of)?.operation === operation);
        const type = rpc?.response ?? expect.fail(`no ${operation}`);
        return fromBytes(api, type, toBytes(api, type, value as object));
      };
      over.push({ name: `${name} over gRPC`, planOf: planned(methods.values()), carry, framed: false });
    }
    return over;
  })
  .filter(({ planOf }) => planOf('SubscribeToTask'));

/** Returns the list; with `swaps`, it swaps each two neighbours. */
const swapped = <T>(list: readonly T[], swaps: boolean): T[] =>
  swaps ? list.flatMap((_, at) => (at % 2 === 0 ? list.slice(at, at + 2).toReversed() : [])) : [...list];

/** An agent whose answers go through the codecs of a dialect, in both directions. */
class RepeatingAgent {
  readonly calls = { GetTask: 0, SubscribeToTask: 0 };
  readonly #wire: Wire;
  readonly #events: readonly StreamResponse[];
  readonly #scripts: readonly Script[];
  /** The number of events that have happened. */
  #now = 0;
  #streams = 0;
  #idle = 0;

  constructor(wire: Wire, events: readonly StreamResponse[], streams: readonly Script[]) {
    this.#wire = wire;
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

  #planOf(operation: OperationName): CallPlan {
    return this.#wire.planOf(operation) ?? expect.fail(`no ${operation}`);
  }

  #get(): Task {
    const { result } = this.#planOf('GetTask').method;
    const cx = { losses: new Set<string>(), taskId: ids.taskId };
    const encoded = result?.encode({ value: this.taskAt(this.#now) } as never, cx);
    return result?.decode(this.#wire.carry('GetTask', encoded), cx).value as Task;
  }

  /** The next stream. The first one begins with the task. */
  stream(): AsyncIterable<LoggedEvent> {
    const plan = this.#planOf('SubscribeToTask');
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
    const { encode, decode, encodeEnd, decodeEnd } = this.#codecOf(stream, cx);
    // The events become frames, so that later ones can come first on the wire.
    const past: (readonly unknown[])[] = [];
    const added: (readonly unknown[])[] = [];
    const known = this.#now;
    const last = this.#events.length - 1;
    for (let n = from; n < to; n++) {
      // The event that ends the task also ends the stream. It is written once, at the end: the writer then completes the
      // artifacts.
      if (n === last && n >= known) break;
      const event = this.#events[n] as StreamResponse;
      const frames = encode(unloggedEvent(structuredClone(event), n, n * 1_000));
      if (n < known) past.push(...(script?.twice ? [frames, frames] : [frames]));
      else added.push(frames);
    }
    for (const frames of swapped(past, script?.swapsPast === true)) for (const one of decode(frames)) yield one;
    for (const frames of swapped(added, script?.swapsNew === true)) {
      this.#now += 1;
      for (const one of decode(frames)) yield one;
    }
    if (to > last && known <= last) {
      this.#now = this.#events.length;
      const event = this.#events[last] as StreamResponse;
      for (const one of decode(encode(unloggedEvent(structuredClone(event), last, last * 1_000)))) yield one;
    }
    if (!script?.breaks) for (const one of decode(encodeEnd())) yield one;
    for (const one of decodeEnd()) yield one;
    if (script) this.#now = Math.min(this.#events.length, this.#now + script.misses);
    if (script?.breaks) throw new A2AError('upstreamUnreachable', 'the connection was closed');
  }

  /** Turns events into what comes over the wire, and back. */
  #codecOf(stream: StreamShape, cx: CodecContext) {
    const reading: CodecContext = { losses: new Set(), taskId: ids.taskId };
    const logged = (event: StreamResponse): LoggedEvent => unloggedEvent(structuredClone(event), 0, 0);
    const { event: shape } = stream;
    if (!this.#wire.framed && shape) {
      return {
        encode: (event: LoggedEvent) => [shape.encode(event, cx)] as readonly unknown[],
        decode: (messages: readonly unknown[]) =>
          messages.map((one) => logged(shape.decode(this.#wire.carry('SubscribeToTask', one), reading))),
        encodeEnd: () => [],
        decodeEnd: () => [],
      };
    }
    const encoder = stream.encoder(cx);
    const decoder = stream.decoder(reading);
    return {
      encode: (event: LoggedEvent) => encoder.encode(event) as readonly unknown[],
      decode: (frames: readonly unknown[]) =>
        (frames as readonly Frame[]).flatMap(({ event, data }) => {
          const name = event !== undefined && { event };
          return data === '' ? [] : decoder.decode({ ...name, data: JSON.parse(data) }).map(logged);
        }),
      encodeEnd: (): readonly unknown[] => encoder.end?.() ?? [],
      decodeEnd: () => (decoder.end?.() ?? []).map(logged),
    };
  }

  /** The connection to it. */
  get connection(): UpstreamConnection {
    const invoke = async ({ operation }: Call): Promise<Reply> => {
      this.calls[operation as 'GetTask'] += 1;
      if (operation === 'SubscribeToTask') return { events: this.stream() };
      // The task is over after it was polled often enough.
      this.#idle += 1;
      if (this.#idle > 8) this.#now = this.#events.length;
      return { value: this.#get() } as Reply;
    };
    const opensLate = (): boolean => false;
    return { invoke, streams: true, opensLate, open: async () => undefined, onRetry: () => undefined } as never;
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
    const fail = (cause: unknown): never => {
      throw cause;
    };
    const events = follower.followStream(agent.stream(), fail, fail);
    for await (const _ of events) seen.push(copyTask(state.known));
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

beforeEach(() => void vi.useFakeTimers());

describe.each(wires.map((wire) => [wire.name, wire] as const))('an agent of %s', (label, wire) => {
  /** A dialect without artifact ids makes up other ids; the order of the artifacts is the same. */
  const normal = (task: Task, agent: RepeatingAgent): object => {
    const names = agent.truth.artifacts?.map(({ artifactId }) => artifactId) ?? [];
    const artifacts = (task.artifacts ?? []).map((artifact, at) => ({ ...artifact, artifactId: names[at] ?? '' }));
    return essence(wire.name.startsWith('a2a-0.1 ') ? { ...task, artifacts } : task);
  };

  /** In 0.1 messages of a history have neither id nor time: two with the same text cannot be distinguished. */
  const distinct = (steps: readonly Step[]): readonly Step[] =>
    wire.name.startsWith('a2a-0.1 ')
      ? steps.map((step, n) => (step.kind === 'message' ? { ...step, word: `${step.word}${n}` } : step))
      : steps;

  test(
    `an agent of ${label} that repeats itself and breaks off is followed to the end of its task, and called a bounded number of times`,
    async () => {
      await fc.assert(
        fc.asyncProperty(stepsOf(fc.constantFrom('a', 'b')), scripts, async (steps, streams) => {
          const agent = new RepeatingAgent(wire, eventsOf(distinct(steps)), streams);
          const seen = await follow(agent);
          const end = seen.at(-1) ?? expect.fail('nothing was reported');
          expect(normal(end, agent)).toEqual(essence(agent.truth));
          // Two streams that bring nothing new, after those that do.
          expect(agent.calls.SubscribeToTask).toBeLessThanOrEqual(streams.length + 2);
        }),
        { numRuns: 10 },
      );
    },
    paced(120_000),
  );

  test(
    `an agent of ${label} never makes a message or a chunk appear twice by repeating it from the beginning`,
    async () => {
      let n = 0;
      const words = fc.constant(undefined).map(() => `word ${n++} `);
      const fromBeginning = scripts.map((list) =>
        list.map((script) => ({ ...script, from: 0, twice: false, swapsPast: false })),
      );
      await fc.assert(
        fc.asyncProperty(stepsOf(words), fromBeginning, async (steps, streams) => {
          const agent = new RepeatingAgent(wire, eventsOf(steps), streams);
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
        { numRuns: 10 },
      );
    },
    paced(120_000),
  );

  test(
    `a stream of ${label} whose events come in another order is followed to the end, no message ever appears twice, and no chunk in the end`,
    async () => {
      let n = 0;
      const words = fc.constant(undefined).map(() => `word ${n++} `);
      const outOfOrder = scripts.map((list) => list.map((script) => ({ ...script, swapsPast: true, swapsNew: true })));
      await fc.assert(
        fc.asyncProperty(stepsOf(words), outOfOrder, async (steps, streams) => {
          const agent = new RepeatingAgent(wire, eventsOf(steps), streams);
          const seen = await follow(agent);
          const said = saidIn(agent.truth);
          for (const task of seen) {
            for (const word of saidIn(task)) expect(copiesOf(saidIn(task), word)).toBe(copiesOf(said, word));
          }
          const end = seen.at(-1) ?? expect.fail('nothing was reported');
          expect(end.status.state).toBe('TASK_STATE_COMPLETED');
          expect(saidIn(end).toSorted()).toEqual(said.toSorted());
          // Only the order tells chunks of the same text apart: what was repeated in another order is put right by the whole task.
          for (const { parts } of end.artifacts ?? []) {
            const chunks = textOf(parts).match(/word \d+ /g) ?? [];
            expect(chunks).toEqual([...new Set(chunks)]);
          }
          expect(agent.calls.SubscribeToTask).toBeLessThanOrEqual(streams.length + 2);
        }),
        { numRuns: 10 },
      );
    },
    paced(120_000),
  );

  test(
    `the messages of an agent of ${label} that says the same several times within a second are all passed on, also over streams that break and begin again`,
    async () => {
      const once = scripts.map((list) =>
        list.map((script) => ({ ...script, from: 0, twice: false, swapsPast: false, swapsNew: false })),
      );
      await fc.assert(
        fc.asyncProperty(stepsOf(fc.constantFrom('ha', ' no ')), once, async (steps, streams) => {
          const agent = new RepeatingAgent(wire, eventsOf(steps, 0.25), streams);
          const seen = await follow(agent);
          expect(normal(seen.at(-1) as Task, agent)).toEqual(essence(agent.truth));
        }),
        { numRuns: 10 },
      );
    },
    paced(120_000),
  );
});
