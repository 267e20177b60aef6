import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { A2AError } from '../../../src/core/model/errors.ts';
import type { ReplicaRecord } from '../../../src/core/ports/store.ts';
import { createReplicaList, type StatusDeps, StatusWatch } from '../../../src/extensions/admin/status.ts';
import type { GatewayStatus, ListReplicasResponse } from '../../../src/gen/admin-v1/types.ts';
import { artifact, ask, defineAgent } from '../../../src/index.ts';
import { askAdmin, callsOf } from '../../support/admin.ts';
import { type Opened, openGateway } from '../../support/gateway.ts';
import { sharedPostgres } from '../../support/postgres.ts';
import { type Replica, startReplica } from '../../support/replicas.ts';
import { pollingTopic } from '../../support/topic.ts';

const replica = (id: string, isThis: boolean): ReplicaRecord => ({
  id,
  host: 'host',
  pid: 1,
  startedAt: 0,
  heartbeatAt: 0,
  isAlive: true,
  isThis,
  tasks: 0,
});

/** A store whose answers tests choose, and how often it was read. */
function watched() {
  const state = { reads: 0, waiting: 0, draining: false, failure: undefined as Error | undefined };
  const deps = {
    store: {
      topics: { replicas: pollingTopic(1_000), tasks: pollingTopic(1_000) },
      now: () => 1_000,
      countWaiting: async () => state.waiting,
      countDead: async () => 0,
      replicas: async () => {
        state.reads += 1;
        if (state.failure) throw state.failure;
        return [replica('this', true), replica('other', false)];
      },
    },
    presence: { listen: pollingTopic(1_000).listen, countLost: async () => 0, draining: async () => new Set<string>() },
    ask: async () => ({ answers: [{ replica: 'other', value: '0.9.0' as never }], missing: [] }),
    version: '1.0.0',
    facts: () => ({ draining: state.draining, configActiveSince: '2026-01-01T00:00:00Z', knowledge: false }),
    eventLoopLag: () => undefined,
  } satisfies StatusDeps & Parameters<typeof createReplicaList>[0];
  return { state, watch: new StatusWatch(deps, createReplicaList(deps)) };
}

type Stream = AsyncIterator<{ readonly event: GatewayStatus }>;

const nextOf = async (stream: Stream): Promise<GatewayStatus> => (await stream.next()).value.event;

/** The first state that the predicate holds for. */
async function until(stream: Stream, isWanted: (status: GatewayStatus) => boolean): Promise<GatewayStatus> {
  for (;;) {
    const status = await nextOf(stream);
    if (isWanted(status)) return status;
  }
}

describe('the state of a replica', () => {
  beforeEach(() => void vi.useFakeTimers());

  /** The next state, which comes so many milliseconds from now at the latest. */
  const nextWithin = async (stream: Stream, ms: number): Promise<GatewayStatus> => {
    const [status] = await Promise.all([nextOf(stream), vi.advanceTimersByTimeAsync(ms)]);
    return status;
  };

  test('the state of a replica is read once for all streams, and not at all while there is none', async () => {
    const { state, watch } = watched();
    const streams = Array.from({ length: 5 }, () => watch.watch(() => {}));
    const first = await Promise.all(streams.map((stream) => nextWithin(stream, 0)));
    expect(new Set(first.map((status) => JSON.stringify(status))).size).toBe(1);
    expect(state.reads).toBe(1);
    // A stream that comes later has the whole state at once.
    const late = watch.watch(() => {});
    expect(await nextOf(late)).toMatchObject({ replica: 'this', version: '1.0.0', store: { state: 'ok' } });
    expect(state.reads).toBe(1);
    await Promise.all([...streams, late].map((stream) => stream.return?.()));
    await vi.advanceTimersByTimeAsync(60_000);
    expect(state.reads).toBe(1);
  });

  test('the state of a replica is sent when it changes, and every six seconds although nothing does', async () => {
    const { state, watch } = watched();
    const stream = watch.watch(() => {});
    expect(await nextWithin(stream, 0)).toMatchObject({ waitingTasks: 0, draining: false });
    expect(await nextWithin(stream, 1_000)).toMatchObject({
      others: [{ id: 'other', version: '0.9.0', heartbeatLagMs: 1_000 }],
    });
    state.waiting = 3;
    expect(await nextWithin(stream, 1_000)).toMatchObject({ waitingTasks: 3 });
    state.draining = true;
    expect(await nextWithin(stream, 1_000)).toMatchObject({ draining: true });
    let again: GatewayStatus | undefined;
    void nextOf(stream).then((status) => {
      again = status;
    });
    await vi.advanceTimersByTimeAsync(5_999);
    expect(again).toBeUndefined();
    await vi.advanceTimersByTimeAsync(1);
    expect(again).toMatchObject({ draining: true });
    await stream.return?.();
  });

  test('the state of a replica says since when and why the store is away, and nothing that only the store knows', async () => {
    const { state, watch } = watched();
    state.waiting = 3;
    const stream = watch.watch(() => {});
    await nextWithin(stream, 0);
    state.failure = new A2AError('unavailable', 'The store is unavailable: no route');
    const away = await nextWithin(stream, 1_000);
    expect(away).toMatchObject({
      replica: 'this',
      store: { state: 'away', since: '1970-01-01T00:00:01.000Z', reason: 'The store is unavailable: no route' },
    });
    expect([away.waitingTasks, away.others]).toEqual([undefined, undefined]);
    state.failure = undefined;
    expect(await nextWithin(stream, 1_000)).toMatchObject({ store: { state: 'ok' }, waitingTasks: 3 });
    await stream.return?.();
  });

  test('the state of a replica ends with the gateway', async () => {
    const { watch } = watched();
    const ends: string[] = [];
    const stream = watch.watch(() => ends.push('over'));
    await nextWithin(stream, 0);
    watch.close();
    await expect(stream.next()).rejects.toMatchObject({ kind: 'unavailable' });
    expect(ends).toEqual(['over']);
  });
});

describe('WatchStatus', () => {
  let gateway: Opened;
  let calls: ReturnType<typeof callsOf>;

  beforeAll(async () => {
    gateway = await openGateway('agents: { demo: { kind: reference } }\ndefaultAgent: demo\n');
    calls = callsOf(gateway.url);
  });

  test('WatchStatus streams the number of tasks that wait, and another configuration', async () => {
    const end = new AbortController();
    const events = calls.stream<GatewayStatus>('/admin/v1/status:watch', { signal: end.signal });
    const first = await nextOf(events);
    expect(first).toMatchObject({ store: { state: 'ok' }, waitingTasks: 0, replica: expect.stringMatching(/./) });
    expect(first.version).toMatch(/^\d+\.\d+\.\d+/);
    const { id } = await calls.send('ask');
    await until(events, ({ waitingTasks }) => waitingTasks === 1);
    await calls.send('Ada', { taskId: id, immediately: false });
    await until(events, ({ waitingTasks }) => waitingTasks === 0);
    await sleep(2);
    await gateway.gateway.reload({ listen: { port: 0 }, store: 'memory:', agents: { demo: { kind: 'reference' } } });
    await until(events, ({ configActiveSince }) => configActiveSince !== first.configActiveSince);
    end.abort();
  });
});

test('WatchStatus and ListQuestions agree about a task whose client has answered, and whose agent is silent since', async () => {
  const spoke = Promise.withResolvers<void>();
  const thinker = defineAgent({ name: 'Thinker', description: 'Thinks about answers' }, async ({ answer }) => {
    if (!answer) return ask('Which city?');
    await spoke.promise;
    return artifact({ content: 'Booked' });
  });
  const gateway = await openGateway('', { agents: { thinker } });
  const calls = callsOf(gateway.url);
  const agent = callsOf(`${gateway.url}/thinker`);
  const end = new AbortController();
  const events = calls.stream<GatewayStatus>('/admin/v1/status:watch', { signal: end.signal });
  const { id } = await agent.send('a journey');
  await until(events, ({ waitingTasks }) => waitingTasks === 1);
  expect((await askAdmin(gateway.url, 'ListQuestions', {})).questions).toHaveLength(1);
  await agent.send('Paris', { taskId: id });
  expect((await askAdmin(gateway.url, 'ListQuestions', {})).questions ?? []).toEqual([]);
  await until(events, ({ waitingTasks, waitingForInput }) => waitingTasks === 0 && waitingForInput === 0);
  spoke.resolve();
  end.abort();
});

describe('WatchStatus at one of two replicas', () => {
  let one: Replica;
  let other: Replica;

  beforeAll(async () => {
    const url = await (await sharedPostgres()).migrated();
    one = await startReplica(url, 'one');
    other = await startReplica(url, 'other');
  });

  test('WatchStatus at one of two replicas shows the other one with its version until it drains and goes away, and that the one that answers drains', async () => {
    const calls = callsOf(one.url);
    const end = new AbortController();
    const events = calls.stream<GatewayStatus>('/admin/v1/status:watch', { signal: end.signal });
    const both = await until(events, ({ others = [] }) => Boolean(others[0]?.version));
    expect(both.replica).toMatch(/^one\//);
    expect(both.others).toMatchObject([{ id: expect.stringMatching(/^other\//), alive: true, version: both.version }]);
    expect(Number(both.others?.[0]?.heartbeatLagMs)).toBeLessThan(8_000);
    const { replicas = [] } = await calls.get<ListReplicasResponse>('/admin/v1/replicas');
    expect(replicas.map(({ version }) => version)).toEqual([both.version, both.version]);
    const leaving = other.gateway.close({ delayMs: 3_000, drainMs: 0 });
    await until(events, ({ others: [first] = [] }) => first?.draining === true);
    await leaving;
    await until(events, ({ others = [] }) => others.length === 0);
    expect((await calls.get<ListReplicasResponse>('/admin/v1/replicas')).lost).toEqual([]);
    const closing = one.gateway.close({ delayMs: 5_000, drainMs: 0 });
    await until(events, ({ draining = false }) => draining);
    await closing;
    // The error that ends the stream.
    const last = (await events.next()).value?.event as unknown as { error?: { message: string } };
    expect(last.error?.message).toBe('The gateway is stopping');
  });
});
