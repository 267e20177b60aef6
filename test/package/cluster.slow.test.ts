import { afterAll, beforeAll, expect, it } from 'vitest';
import { newKey } from '../../src/auth/hash.ts';
import { connect } from '../../src/client/index.ts';
import { newFolder } from '../support/folders.ts';
import { paced } from '../support/pace.ts';
import { sharedPostgres } from '../support/postgres.ts';
import { openCluster } from './cluster.ts';

const { key, hash } = newKey();
const { key: adminKey } = newKey();
const headers = { 'X-Api-Key': key, 'Content-Type': 'application/json', 'A2A-Version': '1.0' };
let cluster: Awaited<ReturnType<typeof openCluster>>;

beforeAll(async () => {
  const STORE = await (await sharedPostgres()).database();
  cluster = await openCluster(newFolder(), { STORE, API_KEY_HASH: hash, A2A_GATEWAY_ADMIN_KEY: adminKey });
  await Promise.all([cluster.start(), cluster.start(), cluster.start()]);
});
afterAll(() => cluster?.close());

/** Sends messages by every way in, one after the other, until it is stopped. Resolves with the ids of the acknowledged tasks. */
function load() {
  const tasks: string[] = [];
  const failures: string[] = [];
  let over = false;
  const worker = async (url: string): Promise<void> => {
    while (!over) {
      const body = JSON.stringify({
        message: { messageId: crypto.randomUUID(), role: 'ROLE_USER', parts: [{ text: 'hello' }] },
      });
      const options = { method: 'POST', headers, body };
      const answer = await fetch(`${url}/message:send`, options).catch((error: Error) => error);
      if (answer instanceof Error) failures.push(`${url}: ${answer.cause ?? answer}`);
      else if (answer.status !== 200) failures.push(`${url}: ${answer.status} ${await answer.text()}`);
      else tasks.push(((await answer.json()) as { task: { id: string } }).task.id);
    }
  };
  const workers = cluster.urls.flatMap((url) => Array.from({ length: 6 / cluster.urls.length }, () => worker(url)));
  return async () => {
    over = true;
    await Promise.all(workers);
    return { tasks, failures };
  };
}

/** Follows a task of many pieces, from piece to piece, also where the stream moves to another pod. */
async function follow(text: string): Promise<string[]> {
  const client = await connect(cluster.url, { headers: { 'X-Api-Key': key } });
  const pieces: string[] = [];
  for await (const { artifactUpdate } of client.sendStream(text))
    for (const part of artifactUpdate?.artifact.parts ?? []) if (part.text) pieces.push(part.text);
  await client.close();
  return pieces;
}

it(
  'the manifests, run by processes of this machine lose no call, no task and no piece of a stream while all pods are replaced, one after the other, under load',
  async () => {
    const stop = load();
    const streams = Promise.all([follow('stream 80 100'), follow('stream 80 100'), follow('stream 80 100')]);
    for (const old of [...cluster.pods]) {
      await cluster.start();
      expect(await cluster.stop(old)).toBe(true);
    }
    const { tasks, failures } = await stop();
    expect(failures).toEqual([]);
    expect(tasks.length).toBeGreaterThan(50);
    for (const pieces of await streams) {
      expect(new Set(pieces).size).toBe(pieces.length);
      expect(pieces.length).toBe(80);
    }
    const client = await connect(cluster.url, { headers: { 'X-Api-Key': key } });
    for (const id of tasks.filter((_, index) => index % 10 === 0)) {
      expect((await client.getTask({ id })).status?.state).toBe('TASK_STATE_COMPLETED');
    }
    await client.close();
  },
  paced(240_000),
);

it(
  'the manifests, run by processes of this machine take a replaced ConfigMap without a restart, and go on with the former one where the new one is faulty',
  async () => {
    const pids = Array.from(cluster.pods, ({ child }) => child.pid);
    const { config: text } = cluster;
    const everywhere = <T>(value: T): T[] => pids.map(() => value);
    const cards = (name: string) =>
      Promise.all(
        Array.from(cluster.pods, async ({ port }) => {
          const answer = await fetch(`http://127.0.0.1:${port}/${name}/.well-known/agent-card.json`);
          return answer.status;
        }),
      );
    expect(await cards('second')).toEqual(everywhere(404));
    const more = text
      .replace('agents:\n', 'agents:\n  second: { kind: reference }\n')
      .replace('\nauth:', '\ndefaultAgent: demo\nauth:');
    cluster.mount(more);
    await expect.poll(() => cards('second')).toEqual(everywhere(200));
    cluster.mount(more.replace('kind: reference', 'kind: nonsense'));
    // A gateway that reads it says why it refuses it.
    const refusedAt = async ({ port }: { readonly port: number }): Promise<unknown> => {
      const answer = await fetch(`http://127.0.0.1:${port}/admin/v1/config`, { headers: { 'X-Api-Key': adminKey } });
      return ((await answer.json()) as { refused?: string }).refused;
    };
    const said = expect.stringMatching(/gateway\.yaml:\d+: agents\.second\.kind: /);
    await expect.poll(() => Promise.all(Array.from(cluster.pods, refusedAt))).toEqual(everywhere(said));
    expect(await cards('second')).toEqual(everywhere(200));
    cluster.mount(text);
    await expect.poll(() => cards('second')).toEqual(everywhere(404));
    expect(Array.from(cluster.pods, ({ child }) => child.pid)).toEqual(pids);
  },
  paced(120_000),
);
