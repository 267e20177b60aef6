import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { Client, Task } from '../../../src/client/index.ts';
import { startReceiver } from '../../push/receiver.ts';
import { listeningAgent } from '../../support/agents/listening.ts';
import { type SharedPostgres, sharedPostgres } from '../../support/postgres.ts';
import { reaches } from '../../support/reaches.ts';
import { type ClientProtocol, numbers, type Replica, type Seen, see, startReplica } from '../../support/replicas.ts';

let server: SharedPostgres;
let replicas: Replica[];
beforeAll(async () => {
  server = await sharedPostgres();
  const url = await server.database();
  const config = 'outbound: { allow: [127.0.0.1, localhost] }\n';
  const agents = { demo: listeningAgent() };
  replicas = await Promise.all(['one', 'two', 'three'].map((name) => startReplica(url, name, { config, agents })));
});
afterAll(async () => {
  await Promise.all((replicas ?? []).map((replica) => replica.close()));
});

const faces: readonly ClientProtocol[] = [
  { via: 'jsonrpc', as: 'a2a-1.0' },
  { via: 'grpc', as: 'a2a-1.0' },
  { via: 'jsonrpc', as: 'a2a-0.3' },
];

const taskOf = ({ task }: { task?: Task }): Task => {
  if (!task) throw new TypeError('no task');
  return task;
};
const begin = async (client: Client, text: string): Promise<Task> =>
  taskOf(await client.send(text, { returnImmediately: true }));
/** Subscribes to a task. Resolves once the subscription has begun: `all` is what is seen of it until it ends. */
async function listen(client: Client, id: string): Promise<{ all: Promise<Seen> }> {
  const begun = Promise.withResolvers<void>();
  const all = see(client.events('SubscribeToTask', { id }), () => {
    begun.resolve();
    return false;
  });
  await Promise.race([begun.promise, all]);
  return { all };
}
const textsOf = (task: Task): string[] =>
  (task.artifacts ?? []).flatMap(({ parts }) => parts.map(({ text = '' }) => text));
const state = (name: string) => ({ status: { state: `TASK_STATE_${name}` } });

describe.each(faces)('$as over $via, at a gateway where the task does not run', (face) => {
  const pair = () => Promise.all([0, 1].map((i) => (replicas[i] as Replica).client(face))) as Promise<[Client, Client]>;

  test(`${face.as} over ${face.via}, at a gateway where the task does not run reads what was acknowledged a moment ago`, async () => {
    const [one, two] = await pair();
    const done = taskOf(await one.send('hello'));
    expect(await two.getTask({ id: done.id })).toMatchObject(state('COMPLETED'));
    const waiting = await begin(one, 'wait');
    // A gateway with a listener has the task in memory.
    const { all } = await listen(two, waiting.id);
    await reaches(two, waiting.id, 'WORKING');
    await one.cancelTask({ id: waiting.id });
    expect(await two.getTask({ id: waiting.id })).toMatchObject(state('CANCELED'));
    expect((await all).states.at(-1)).toBe('CANCELED');
  });

  test(`${face.as} over ${face.via}, at a gateway where the task does not run cancels`, async () => {
    const [one, two] = await pair();
    for (const text of ['wait', 'stream 10000 20']) {
      const running = one.send(text);
      const { id } = await vi.waitFor(async () => {
        const client = await (replicas[2] as Replica).client();
        const { tasks } = await client.listTasks({ pageSize: 1, status: 'TASK_STATE_WORKING' });
        expect(tasks).toHaveLength(1);
        return tasks[0] as Task;
      });
      await two.cancelTask({ id });
      expect(taskOf(await running)).toMatchObject(state('CANCELED'));
      await expect(two.cancelTask({ id })).rejects.toMatchObject({ kind: 'taskNotCancelable' });
    }
  });

  test(`${face.as} over ${face.via}, at a gateway where the task does not run continues a task that waits for input, while a client listens at the gateway where it began`, async () => {
    const [one, two] = await pair();
    const asked = taskOf(await one.send('ask'));
    const { all } = await listen(one, asked.id);
    await two.send('Ada', { taskId: asked.id });
    expect(textsOf(await two.getTask({ id: asked.id }))).toEqual(['Hello, Ada']);
    const { texts, states } = await all;
    expect(texts).toEqual(['Hello, Ada']);
    expect(states.at(-1)).toBe('COMPLETED');
  });

  test(`${face.as} over ${face.via}, at a gateway where the task does not run has the gateway that works on a task take a message to it, and follows what comes of it`, async () => {
    const [one, two] = await pair();
    const first = await begin(one, 'listen');
    const task = taskOf(await two.send('hello', { taskId: first.id }));
    expect(task).toMatchObject(state('COMPLETED'));
    expect(textsOf(await one.getTask({ id: first.id }))).toEqual(['hello']);
    const second = await begin(one, 'listen');
    const seen = await see(
      two.events('SendStreamingMessage', {
        message: { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'stream 30 1' }], taskId: second.id },
      }),
    );
    expect(seen.texts.join('')).toBe(
      numbers(1, 30)
        .map((i) => `chunk ${i}`)
        .join(''),
    );
    expect(seen.states.at(-1)).toBe('COMPLETED');
  });
});

test('tasks of all gateways are listed by each', async () => {
  const clients = await Promise.all(replicas.map((replica) => replica.client()));
  const contextId = `context-${Date.now()}`;
  for (const client of clients) await client.send('hello', { contextId });
  for (const client of clients) expect((await client.listTasks({ contextId })).tasks).toHaveLength(3);
});

test('push notifications that are wanted at one gateway tell of a task that runs at another', async () => {
  const [one, two] = await Promise.all(replicas.map((replica) => replica.client()));
  if (!one || !two) throw new TypeError('two gateways');
  const hook = await startReceiver();
  const { id } = await begin(one, 'listen');
  await two.createTaskPushNotificationConfig({ taskId: id, url: hook.url });
  await one.send('stream 20 0', { taskId: id });
  const done = await hook.until((all) =>
    all.some(({ body }) => body.statusUpdate?.status.state === 'TASK_STATE_COMPLETED'),
  );
  expect(done.length).toBeGreaterThan(2);
});
