import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, vi } from 'vitest';
import type { Store } from '../../src/core/ports/store.ts';
import type { SizedRecord } from '../../src/core/ports/task-store.ts';
import { generationsOf } from './store.generations.ts';
import type { StoreKind } from './store.suite.ts';
import { alice, callKey, completed, TaskWriter } from './store-fixtures.ts';

const child = fileURLToPath(new URL('store-child.ts', import.meta.url));

async function claimAll(store: Store, limit = 100): Promise<SizedRecord[]> {
  const all: SizedRecord[] = [];
  for (;;) {
    const some = await store.claimOrphans(limit);
    expect(some.length).toBeLessThanOrEqual(limit);
    all.push(...some);
    if (some.length === 0) return all;
  }
}

const keys = (tasks: readonly { key: string }[]): string[] => tasks.map(({ key }) => key).toSorted();

/** More than one store on one database, at once or one after the other. */
export function sharing(kind: StoreKind): void {
  describe('a database opened again', () => {
    it('a database opened again has everything that was in it', async () => {
      const database = await kind.database();
      const first = await database.open();
      const done = await completed(first);
      const waiting = new TaskWriter();
      await first.append(waiting.create());
      await first.append(waiting.status('TASK_STATE_INPUT_REQUIRED'));
      await first.putPushConfig(done.key, { id: 'p', url: 'http://localhost/' }, 'a2a-1.0');
      const call = callKey('k');
      await first.claimCall(call);
      const { nextPageToken } = await first.list(alice, { pageSize: 1 });
      const secret = await first.secret('files');
      const mode = await first.setAgentMode('a', 'draining', 'alice');
      const space = { owner: alice, kind: 'context', id: 'c' } as const;
      await first.writeState(space, 'a', '[1]', 100);
      const { key, contextId } = done;
      await first.append({ key, events: [], upstream: { id: 't', contextId: 'there' } });
      await first.close();

      const second = await database.open();
      for (const { key, task } of [done, waiting]) expect((await second.load(key))?.task).toEqual(task);
      expect(await second.getPushConfig(done.key, 'p')).toBeDefined();
      expect(await second.findCall(alice, 'k')).toEqual({ digest: 'd', nonce: call.nonce, replica: 'dead' });
      expect((await second.list(alice, { pageSize: 1, pageToken: nextPageToken })).texts).toHaveLength(1);
      expect(await second.secret('files')).toBe(secret);
      expect(await second.agentModes()).toEqual([mode]);
      expect(await second.readState(space, 'a')).toBe('[1]');
      expect(await second.upstreamOf(key)).toEqual({ id: 't', contextId: 'there' });
      expect(await second.upstreamContextOf(alice, contextId)).toBe('there');
      expect(await second.claimOrphans(10)).toEqual([]);
      await second.append(waiting.message('go on'));
      await second.append(waiting.status('TASK_STATE_COMPLETED'));
      expect((await second.load(waiting.key))?.task).toEqual(waiting.task);
    });

    it('the same store can be opened again after it was closed', async () => {
      const database = await kind.database();
      const store = await database.open();
      const { key, task } = await completed(store);
      await store.close();
      await store.open();
      expect((await store.load(key))?.task).toEqual(task);
    });

    it('closing loses nothing that was appended', async () => {
      const database = await kind.database();
      const first = await database.open();
      const writers = Array.from({ length: 600 }, () => new TaskWriter());
      const pending = Promise.all(
        writers.flatMap((writer) => [first.append(writer.create()), first.append(writer.chunk('x'))]),
      );
      await Promise.all([first.close(), pending]);
      const second = await database.open();
      expect((await second.list(alice, { pageSize: 1 })).totalSize).toBe(600);
      for (const { key, task } of writers) expect((await second.load(key))?.task).toEqual(task);
    });

    it('tasks under way when their gateway closed are taken over, a few at a time', async () => {
      const database = await kind.database();
      const first = await database.open();
      const working = Array.from({ length: 7 }, () => new TaskWriter());
      for (const writer of working) await first.append(writer.create('TASK_STATE_WORKING'));
      await completed(first);
      await first.close();
      const second = await database.open();
      const claimed = await claimAll(second, 3);
      expect(keys(claimed)).toEqual(keys(working));
      for (const { key } of claimed) {
        expect((await second.load(key))?.task).toEqual(working.find((writer) => writer.key === key)?.task);
      }
      for (const writer of working) await second.append(writer.status('TASK_STATE_FAILED'));
      expect(await claimAll(second)).toEqual([]);
    });

    it('only tasks of the wanted agents are taken over when a database is opened again, and other agents with tasks are named', async () => {
      const database = await kind.database();
      const first = await database.open();
      const agents = ['one', 'it’s "odd"', 'three'];
      const writers = agents.map((agent) => new TaskWriter({ owner: { ...alice, agent } }));
      for (const writer of writers) await first.append(writer.create('TASK_STATE_WORKING'));
      await first.close();
      const second = await database.open();
      expect((await second.orphanedAgents()).toSorted()).toEqual(agents.toSorted());
      expect(keys(await second.claimOrphans(10, agents.slice(1)))).toEqual(keys(writers.slice(1)));
      expect(await second.orphanedAgents()).toEqual(['one']);
      expect(await second.claimOrphans(10, ['two'])).toEqual([]);
      expect(keys(await second.claimOrphans(10))).toEqual([writers[0]?.key]);
      expect(await second.orphanedAgents()).toEqual([]);
    });

    const isKillable = kind.isInProcess !== true;
    it.runIf(isKillable)(
      'a process that was killed loses nothing that it had acknowledged, and its generations are exact',
      async () => {
        const database = await kind.database();
        const gateway = spawn(process.execPath, [child, database.url, '200'], { stdio: ['ignore', 'pipe', 'inherit'] });
        const acknowledged = new Map<string, number>();
        let events = 0;
        for await (const line of createInterface({ input: gateway.stdout })) {
          const [key = '', seq] = line.split(' ');
          acknowledged.set(key, Number(seq));
          events += 1;
          if (events === 2_000) gateway.kill('SIGKILL');
        }
        if (gateway.exitCode === null && gateway.signalCode === null) await once(gateway, 'exit');
        expect(gateway.signalCode).toBe('SIGKILL');
        expect(acknowledged.size).toBe(200);

        const store = await database.open();
        if (!kind.noticesDeath) {
          expect(await store.claimOrphans(10)).toEqual([]);
          await database.silence('child');
        }
        const claimed = new Set<string>();
        // The database may still be executing what the process sent last.
        await vi.waitFor(async () => {
          for (const { key } of await claimAll(store)) claimed.add(key);
          expect(claimed.size).toBe(200);
        });
        for (const [key, seq] of acknowledged) {
          expect(claimed.has(key)).toBe(true);
          const stored = await store.load(key);
          expect(stored?.seq).toBeGreaterThanOrEqual(seq);
          const log = await store.events(key, 0, 10_000);
          expect(log).toHaveLength(stored?.seq ?? 0);
          const chunks = log.filter(({ event }) => event.artifactUpdate);
          expect(stored?.task.artifacts?.[0]?.parts ?? []).toHaveLength(chunks.length);
          expect(log.map(({ generation }) => generation)).toEqual(generationsOf(log.map(({ event }) => event)));
          expect(stored?.generation).toBe(log.at(-1)?.generation);
        }
      },
    );
  });

  describe('two gateways on one database', () => {
    const pair = async () => {
      const database = await kind.database();
      return { database, one: await database.open('one'), two: await database.open('two') };
    };

    it('two gateways on one database see what the other wrote', async () => {
      const { one, two } = await pair();
      const { key, id, task } = await completed(one);
      expect((await two.load(key))?.task).toEqual(task);
      expect((await two.find(alice, id))?.task).toEqual(task);
      const mode = await one.setAgentMode('a', 'draining', 'alice');
      expect(await two.agentModes()).toEqual([mode]);
      const call = callKey('k');
      expect(await two.claimCall(call)).toBeUndefined();
      expect(await one.findCall(alice, 'k')).toEqual({ digest: 'd', nonce: call.nonce, replica: 'other' });
      expect(await two.findCall(alice, 'k')).toEqual({ digest: 'd', nonce: call.nonce, replica: 'this' });
    });

    it('two gateways on one database learn in which dialect a task was last used, also after a restart', async () => {
      const { database, one, two } = await pair();
      const { id, key } = await completed(one, { chosenId: 'task-1' });
      await two.setDialect(key, 'a2a-php-0.3');
      expect((await one.lastUse(alice, id))?.dialect).toBe('a2a-php-0.3');
      await Promise.all([one.close(), two.close()]);
      const three = await database.open('three');
      expect((await three.lastUse(alice, id))?.dialect).toBe('a2a-php-0.3');
    });

    it('two gateways can open an empty database at the same time', async () => {
      const database = await kind.database({ empty: true });
      const stores = await Promise.all(Array.from({ length: 5 }, (_, i) => database.open(`gateway-${i}`)));
      const writers = await Promise.all(stores.map((store) => completed(store)));
      for (const { key } of writers) expect(await stores[0]?.load(key)).toBeDefined();
      const [first] = stores;
      const { nextPageToken } = (await first?.list(alice, { pageSize: 1 })) ?? { nextPageToken: '' };
      for (const store of stores) await store.list(alice, { pageSize: 1, pageToken: nextPageToken });
      const secrets = await Promise.all(stores.map((store) => store.secret('files')));
      expect(new Set(secrets).size).toBe(1);
      expect(await first?.secret('others')).not.toBe(secrets[0]);
    });

    it('the second of two appends by two gateways is refused', async () => {
      const { one, two } = await pair();
      const writer = new TaskWriter();
      await one.append(writer.create('TASK_STATE_INPUT_REQUIRED'));
      const other = writer.copy();
      const results = await Promise.allSettled([
        one.append(writer.message('from one')),
        two.append(other.message('from two')),
      ]);
      expect(results.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
      const rejected = results.find((result) => result.status === 'rejected');
      expect(rejected?.reason).toMatchObject({ kind: 'internal' });
      const winner = results[0]?.status === 'fulfilled' ? writer : other;
      expect((await one.load(writer.key))?.task).toEqual(winner.task);
    });

    it('a message does not take a task from the gateway that works on it, a cancellation does', async () => {
      const { one, two } = await pair();
      const working = new TaskWriter();
      await one.append(working.create('TASK_STATE_WORKING'));
      const refused = { kind: 'internal', cause: { name: 'LogConflict' } };
      await expect(two.append(working.copy().message('from two'))).rejects.toMatchObject(refused);
      const atOnce = working.copy();
      const [message, done] = [atOnce.message('from two'), atOnce.status('TASK_STATE_COMPLETED')];
      const appended = await Promise.allSettled([two.append(message), two.append(done)]);
      for (const result of appended) expect(result).toMatchObject({ status: 'rejected', reason: refused });
      await one.append(working.message('from one'));
      await one.append(working.chunk('still at work'));
      const late = working.copy();
      await two.append(working.status('TASK_STATE_CANCELED'));
      await expect(one.append(late.chunk('too late'))).rejects.toMatchObject(refused);
      expect((await one.load(working.key))?.task).toEqual(working.task);
    });

    it('a task at rest continues at either of two gateways, turn by turn', async () => {
      const { one, two } = await pair();
      const writer = new TaskWriter();
      await one.append(writer.create('TASK_STATE_INPUT_REQUIRED'));
      for (const store of [two, one, two]) {
        await store.append(writer.message('next'));
        await store.append(writer.status('TASK_STATE_WORKING'));
        await store.append(writer.status('TASK_STATE_INPUT_REQUIRED'));
      }
      expect(await one.events(writer.key, 0, 100)).toHaveLength(writer.seq);
    });

    it('a gateway that lives keeps its tasks', async () => {
      const { one, two } = await pair();
      const writer = new TaskWriter();
      await one.append(writer.create('TASK_STATE_WORKING'));
      expect(await claimAll(two)).toEqual([]);
      expect(await claimAll(one)).toEqual([]);
      await one.append(writer.status('TASK_STATE_COMPLETED'));
    });

    it('a gateway that was silent too long loses its tasks, and cannot write to them any more', async () => {
      const { database, one, two } = await pair();
      const [writer, finished, third] = [new TaskWriter(), new TaskWriter(), new TaskWriter()];
      for (const each of [writer, finished, third]) await one.append(each.create());
      await one.append(finished.status('TASK_STATE_COMPLETED'));
      await one.claimCall(callKey('k'));
      await database.silence('one');
      // A gateway that was held up itself gives the others time before it takes them for dead.
      const taken: SizedRecord[] = [];
      await vi.waitFor(
        async () => {
          taken.push(...(await claimAll(two)));
          expect(keys(taken)).toEqual(keys([writer, third]));
        },
        { interval: 100 },
      );
      expect((await two.findCall(alice, 'k'))?.replica).toBe('dead');
      const late = writer.copy();
      await expect(one.append(late.chunk('too late'))).rejects.toMatchObject({ kind: 'internal' });
      await two.append(writer.chunk('taken over'));
      await two.append(writer.status('TASK_STATE_COMPLETED'));
      expect((await one.load(writer.key))?.task).toEqual(writer.task);
    });

    it('two gateways on one database never both take over the same task', async () => {
      const { database, one, two } = await pair();
      const dead = await database.open('dead');
      const writers = Array.from({ length: 60 }, () => new TaskWriter());
      await Promise.all(writers.map((writer) => dead.append(writer.create())));
      await dead.close();
      const claimed = await Promise.all([one, two, one, two].map((store) => claimAll(store, 7)));
      expect(keys(claimed.flat())).toEqual(keys(writers));
    });
  });

  it('a long task costs as much per event at its end as at its beginning', async (context) => {
    if ((await kind.bytesWritten()) === undefined) context.skip('this system does not count bytes');
    const store = await (await kind.database()).open();
    const writer = new TaskWriter();
    await store.append(writer.create('TASK_STATE_WORKING'));
    const thousand = async (): Promise<number> => {
      const before = (await kind.bytesWritten()) ?? 0;
      for (let i = 0; i < 20; i += 1) {
        await store.append(writer.next(...Array.from({ length: 50 }, () => writer.chunkEvent('chunk '.repeat(20)))));
      }
      return ((await kind.bytesWritten()) ?? 0) - before;
    };
    const bytes: number[] = [];
    for (let i = 0; i < 10; i += 1) bytes.push(await thousand());
    const sum = (part: number[]): number => part.reduce((total, each) => total + each, 0);
    expect(sum(bytes.slice(5))).toBeLessThan(1.5 * sum(bytes.slice(0, 5)));
    expect((await store.load(writer.key))?.task).toEqual(writer.task);
  });
}
