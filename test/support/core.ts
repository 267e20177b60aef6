import type { MemoryBudget } from '../../src/core/limits/memory-budget.ts';
import type { StreamLimit } from '../../src/core/limits/stream-limit.ts';
import type { Message, OperationName, RequestOf, ResponseOf, StreamResponse, Task } from '../../src/core/model/a2a.ts';
import type { Agent } from '../../src/core/model/agent.ts';
import { type CallContext, isStream, type LoggedEvent, type Reply } from '../../src/core/model/call.ts';
import { createService, type Service } from '../../src/core/operations/service.ts';
import type { AgentDirectory } from '../../src/core/ports/agent-directory.ts';
import type { Logger } from '../../src/core/ports/logger.ts';
import type { RunHook } from '../../src/core/ports/run-hook.ts';
import type { Store } from '../../src/core/ports/store.ts';
import { RunHooks } from '../../src/core/tasks/run-hooks.ts';
import { createStore } from '../../src/stores/index.ts';
import { afterTest, endAfterTest } from './peer.ts';

export const silent: Logger = { debug() {}, info() {}, warn() {}, error() {} };

export function directory(agents: Record<string, Agent>): AgentDirectory {
  const names = Object.keys(agents);
  return { defaultName: names[0], names, get: (name) => agents[name], forHost: () => undefined };
}

/** A context as a transport would make it, for the first agent and one principal. */
export function contextFor(agent: string, over: Partial<CallContext> = {}): CallContext {
  return {
    requestId: 'test',
    agent,
    tenant: '',
    principal: { id: 'tester', anonymous: false },
    dialect: 'a2a-1.0',
    semantics: {},
    extensions: [],
    signal: new AbortController().signal,
    hops: 0,
    notes: { extensions: new Set(), losses: new Set() },
    ...over,
  };
}

export interface Bench {
  readonly service: Service;
  readonly store: Store;
  call<K extends OperationName>(
    operation: K,
    request: RequestOf<K>,
    over?: Partial<CallContext>,
  ): Promise<ResponseOf<K>>;
  stream(operation: OperationName, request: object, over?: Partial<CallContext>): Promise<AsyncIterator<LoggedEvent>>;
  close(): Promise<void>;
}

/** A store in memory, or at another URL, until the test is over. */
export async function openStore(url = 'memory:'): Promise<Store> {
  const store = createStore(url, { instance: 'test' });
  await store.open();
  afterTest(() => store.close());
  return store;
}

/** The core service over a real store in memory, closed after the test; or over the one that is given, which stays open. */
export async function startCore(
  agents: Record<string, Agent>,
  options: {
    store?: Store;
    answer?: number;
    streams?: StreamLimit;
    page?: number;
    state?: number;
    task?: number;
    budget?: MemoryBudget;
    hooks?: readonly RunHook[];
    wrap?: (service: Service, store: Store) => Service['invoke'];
  } = {},
): Promise<Bench> {
  const store = options.store ?? (await openStore());
  const agentDirectory = directory(agents);
  const service = createService({
    store,
    agents: agentDirectory,
    logger: silent,
    limits: {
      answer: options.answer ?? 10_000,
      page: options.page ?? 8 * 1_048_576,
      state: options.state ?? 1_048_576,
      ...(options.task !== undefined && { task: options.task }),
    },
    streams: options.streams,
    hooks: { active: RunHooks.of(options.hooks ?? []) },
    ...(options.budget && { budget: options.budget }),
    extendedCard: (name) => ({ ...agentDirectory.get(name)?.extendedCard, supportedInterfaces: [] }) as never,
  });
  const invoke = options.wrap?.(service, store) ?? service.invoke;
  const name = agentDirectory.defaultName ?? '';
  const call = (operation: OperationName, request: object, over?: Partial<CallContext>): Promise<Reply> =>
    invoke({ operation, request: request as never, context: contextFor(name, over) });
  const close = endAfterTest(() => service.close(AbortSignal.abort()));
  return {
    service,
    store,
    call: async (operation, request, over) => {
      const reply = await call(operation, request, over);
      if (isStream(reply)) throw new TypeError('a stream');
      return reply.value as never;
    },
    stream: async (operation, request, over) => {
      const reply = await call(operation, request, over);
      if (!isStream(reply)) throw new TypeError('no stream');
      return reply.events[Symbol.asyncIterator]();
    },
    close,
  };
}

let messages = 0;

/** A user's text message. */
export const userMessage = (text: string, over: Partial<Message> = {}): Message => {
  messages += 1;
  return { messageId: `m${messages}`, role: 'ROLE_USER', parts: [{ text }], ...over };
};

/** Returns the remaining events of a stream. */
export async function collect(events: AsyncIterator<LoggedEvent>): Promise<StreamResponse[]> {
  const all: StreamResponse[] = [];
  for (let next = await events.next(); !next.done; next = await events.next()) all.push(next.value.event);
  return all;
}

/** One word per event: task, the state of a status update, artifact, message. */
export const outline = (events: readonly StreamResponse[]): string[] =>
  events.map((event) => {
    const state = event.statusUpdate?.status.state.replace('TASK_STATE_', '').toLowerCase();
    return state ?? (event.task ? 'task' : event.artifactUpdate ? 'artifact' : 'message');
  });

export function taskIn(response: { task?: Task }): Task {
  if (!response.task) throw new TypeError('no task in the answer');
  return response.task;
}
