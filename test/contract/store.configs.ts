import { describe, expect, it } from 'vitest';
import type { TaskPushNotificationConfig } from '../../src/core/model/a2a.ts';
import type { TaskOwner } from '../../src/core/model/ids.ts';
import { ownWebhooks, type PushConfigPage } from '../../src/core/ports/push-store.ts';
import type { StoreKind } from './store.suite.ts';
import { alice, bob, completed, TaskWriter } from './store-fixtures.ts';

const config = ({ id: taskId }: TaskWriter, id: string) => ({
  id,
  taskId,
  url: `https://hooks.example.com/${encodeURIComponent(id)}`,
});

/** All pages, one after the other. */
async function walk(list: (token: string) => Promise<PushConfigPage>): Promise<TaskPushNotificationConfig[]> {
  const seen: TaskPushNotificationConfig[] = [];
  let token = '';
  do {
    const page = await list(token);
    expect(page.configs.length).toBeLessThanOrEqual(2);
    seen.push(...page.configs);
    token = page.nextPageToken;
  } while (token !== '');
  return seen;
}

const byText = (configs: readonly object[]): string[] => configs.map((each) => JSON.stringify(each)).toSorted();

/** Push notification configurations. */
export function configs(kind: StoreKind): void {
  const fresh = async () => (await kind.database()).open();
  const refused = { kind: 'invalidParams', violations: [{ field: 'pageToken' }] };

  describe('push configurations', () => {
    it('push configurations are put, replaced by another dialect, read and deleted', async () => {
      const store = await fresh();
      const [task, other] = [await completed(store), await completed(store)];
      await store.putPushConfig(task.key, config(task, 'a'), 'a2a-1.0');
      await store.putPushConfig(task.key, { ...config(task, 'a'), token: '\0' }, 'a2a-0.3');
      expect(await store.getPushConfig(task.key, 'a')).toEqual({ ...config(task, 'a'), token: '\0' });
      expect((await store.listPushConfigs(task.key, { size: 9, token: '' })).configs).toHaveLength(1);
      expect(await store.getPushConfig(task.key, 'b')).toBeUndefined();
      expect(await store.getPushConfig(other.key, 'a')).toBeUndefined();
      expect(await store.deletePushConfig(task.key, 'a')).toBe(true);
      expect(await store.deletePushConfig(task.key, 'a')).toBe(false);
      expect(await store.getPushConfig(task.key, 'a')).toBeUndefined();
    });

    it('push configurations are put to a task that is there only', async () => {
      const store = await fresh();
      const task = await completed(store, { now: () => 1_000 });
      await store.expire(2_000, 10);
      const late = store.putPushConfig(task.key, config(task, 'a'), 'a2a-1.0');
      await expect(late).rejects.toMatchObject({ kind: 'taskNotFound', metadata: { taskId: task.id } });
      expect(await store.getPushConfig(task.key, 'a')).toBeUndefined();
    });

    describe('in bounds', () => {
      const bounds = (perTask: number | undefined, perPrincipal: number | undefined) => ({
        bounds: { perTask, perPrincipal },
      });

      it('push configurations are not put beyond the bound of a task, and replaced all the same', async () => {
        const store = await fresh();
        const [task, other] = [await completed(store), await completed(store)];
        const put = (id: string, of = task) =>
          store.putPushConfig(of.key, config(of, id), 'a2a-1.0', bounds(2, undefined));
        expect([await put('a'), await put('b'), await put('c'), await put('a')]).toEqual([
          ...[undefined, undefined, 'perTask', undefined],
        ]);
        expect(await store.getPushConfig(task.key, 'c')).toBeUndefined();
        expect(await put('c', other)).toBeUndefined();
        const excess = (id: string) =>
          store.webhookExcess(alice.principal, { key: task.key, id }, { perTask: 2, perPrincipal: undefined });
        expect([await excess('a'), await excess('c')]).toEqual([undefined, 'perTask']);
        await store.deletePushConfig(task.key, 'a');
        expect(await put('c')).toBeUndefined();
      });

      it('push configurations are not put beyond the bound of a principal that still have something to deliver', async () => {
        const store = await fresh();
        const tasks = await Promise.all([1, 2, 3].map(() => completed(store)));
        const [first, second, third] = tasks as [TaskWriter, TaskWriter, TaskWriter];
        const put = (task: TaskWriter) =>
          store.putPushConfig(task.key, config(task, 'a'), 'a2a-1.0', { after: 0, ...bounds(undefined, 2) });
        const excess = (principal: string) =>
          store.webhookExcess(principal, undefined, { perTask: 1, perPrincipal: 2 });
        expect(await excess(alice.principal)).toBeUndefined();
        expect([await put(first), await put(second), await put(third)]).toEqual([undefined, undefined, 'perPrincipal']);
        expect([await excess(alice.principal), await excess(bob.principal)]).toEqual(['perPrincipal', undefined]);
        // Configurations whose events have all been delivered do not count.
        const [delivery] = await store.claimDeliveries({ of: [first.key], limit: 1, except: [] });
        if (!delivery) throw new Error('nothing to deliver');
        await store.reportDelivery(delivery, { cursor: delivery.cursor, attempts: 0, stop: true });
        expect(await put(third)).toBeUndefined();
      });

      it('push configurations do not count towards a principal if the task has ended and nothing is left to be delivered', async () => {
        const store = await fresh();
        const [ended, other] = [await completed(store), new TaskWriter()];
        await store.append(other.create('TASK_STATE_WORKING'));
        const put = (task: TaskWriter, id: string, after?: number) =>
          store.putPushConfig(task.key, config(task, id), 'a2a-1.0', {
            ...bounds(undefined, 1),
            ...(after !== undefined && { after }),
          });
        // The second time, it is replaced.
        for (const id of ['a', 'a', 'b']) expect(await put(ended, id)).toBeUndefined();
        expect(await put(ended, 'c', 0)).toBeUndefined();
        expect([await put(other, 'a'), await put(ended, 'd')]).toEqual(['perPrincipal', 'perPrincipal']);
        expect(await store.claimDeliveries({ of: 'left', limit: 10, except: [] })).toMatchObject([
          { config: { id: 'c' } },
        ]);
      });

      it('push configurations of the gateway itself, which are listed nowhere, do not count', async () => {
        const store = await fresh();
        const task = new TaskWriter();
        await store.append(task.create('TASK_STATE_WORKING'));
        await store.putPushConfig(task.key, config(task, 'own'), ownWebhooks);
        expect(await store.putPushConfig(task.key, config(task, 'a'), 'a2a-1.0', bounds(1, 1))).toBeUndefined();
        const page = { size: 9, token: '' };
        for (const { configs } of [
          await store.listPushConfigs(task.key, page),
          await store.listOwnersPushConfigs(alice, page),
        ]) {
          expect(configs.map(({ id }) => id)).toEqual(['a']);
        }
      });

      it('push configurations are not put beyond their bounds at the same time either', async () => {
        const store = await fresh();
        const task = new TaskWriter();
        await store.append(task.create('TASK_STATE_WORKING'));
        const ids = Array.from({ length: 12 }, (_, i) => `${i}`);
        const put = (id: string) => store.putPushConfig(task.key, config(task, id), 'a2a-1.0', bounds(5, 4));
        const refused = await Promise.all(ids.map(put));
        expect(refused.filter((excess) => excess === undefined)).toHaveLength(4);
        expect((await store.listPushConfigs(task.key, { size: 20, token: '', bytes: 1_048_576 })).configs).toHaveLength(
          4,
        );
      });
    });

    it('push configurations are listed in pages', async () => {
      const store = await fresh();
      const ids = ['a', '\0', 'b\0', '\u0001', 'é', 'Z', 'z'];
      const [task, other] = [await completed(store), await completed(store)];
      for (const id of ids) await store.putPushConfig(task.key, config(task, id), 'a2a-1.0');
      await store.putPushConfig(other.key, config(other, 'other'), 'a2a-1.0');
      const seen = await walk((token) => store.listPushConfigs(task.key, { size: 2, token }));
      expect(seen.map(({ id }) => id).toSorted()).toEqual(ids.toSorted());
      await expect(store.listPushConfigs(task.key, { size: 2, token: 'x' })).rejects.toMatchObject(refused);
      const { nextPageToken } = await store.listPushConfigs(task.key, { size: 2, token: '' });
      await expect(store.listPushConfigs(other.key, { size: 2, token: nextPageToken })).rejects.toMatchObject(refused);
    });

    it('push configurations of all tasks of an owner are listed in pages, each with the id of its task', async () => {
      const store = await fresh();
      const put = async (owner: TaskOwner, chosenId?: string): Promise<TaskPushNotificationConfig[]> => {
        const task = await completed(store, { owner, ...(chosenId !== undefined && { chosenId }) });
        const all = ['a', 'b\0', 'c'].slice(0, 1 + ((chosenId?.length ?? 0) % 3)).map((id) => config(task, id));
        for (const each of all) await store.putPushConfig(task.key, each, 'a2a-0.3');
        return all;
      };
      const expected: TaskPushNotificationConfig[] = [];
      for (const chosenId of [undefined, 'task-1', '\0', 'é~', undefined])
        expected.push(...(await put(alice, chosenId)));
      const others = [bob, { ...alice, tenant: 't' }, { ...alice, agent: 'other' }];
      for (const owner of others) await put(owner, 'task-1');
      await completed(store);
      const list = (owner: TaskOwner, token: string) => store.listOwnersPushConfigs(owner, { size: 2, token });
      const seen = await walk((token) => list(alice, token));
      expect(byText(seen)).toEqual(byText(expected));
      for (const owner of others) expect(await walk((token) => list(owner, token))).toHaveLength(1);
      expect(await list({ ...alice, agent: 'none' }, '')).toEqual({ configs: [], nextPageToken: '' });

      const { nextPageToken } = await list(alice, '');
      await expect(list(bob, nextPageToken)).rejects.toMatchObject(refused);
      await expect(list(alice, 'x')).rejects.toMatchObject(refused);
    });
  });
}
