import { request } from 'node:http';
import { beforeAll, expect, test } from 'vitest';
import { sharedPostgres } from '../../support/postgres.ts';
import { numbers, type Replica, see, startReplica } from '../../support/replicas.ts';
import { counter } from './agents.ts';

/** A gateway that is stopped hands its tasks over: who follows one goes on elsewhere, where it goes on at once. */

beforeAll(sharedPostgres);

const start = (url: string, name: string, config = ''): Promise<Replica> =>
  startReplica(url, name, { agents: { counter: counter() }, config });

test('a stream that a gateway ends continues at another one, and misses nothing', async () => {
  const url = await (await sharedPostgres()).database();
  const [one, two] = [await start(url, 'one'), await start(url, 'two')];
  const [here, there] = [await one.client(undefined, 'counter'), await two.client(undefined, 'counter')];
  const { task } = await here.send('60 20', { returnImmediately: true });
  const id = task?.id ?? '';
  const events = here.events('SubscribeToTask', { id }, { after: 0 });
  const seen: { seqs: number[]; texts: string[] } = { seqs: [], texts: [] };
  const following = (async () => {
    for await (const { seq, event } of events) {
      seen.seqs.push(seq);
      for (const part of event.artifactUpdate?.artifact.parts ?? []) seen.texts.push(part.text ?? '');
    }
  })().catch((thrown: unknown) => thrown);
  await expect.poll(() => seen.texts.length).toBeGreaterThan(5);

  const closed = one.gateway.close({ drainMs: 100 });
  // The error names the task to resume; `last` is the position to resume after.
  expect(await following).toMatchObject({ kind: 'unavailable', metadata: { taskId: id } });
  const last = seen.seqs.at(-1) ?? 0;
  expect(seen.seqs).toEqual(numbers(1, last));
  const rest = await see(there.events('SubscribeToTask', { id }, { after: last }));
  expect(rest.seqs).toEqual(numbers(last + 1, last + rest.seqs.length));
  expect(rest.states.at(-1)).toBe('COMPLETED');
  expect(rest.texts.slice(-60)).toEqual(numbers(1, 60).map((i) => `chunk ${i}`));
  await closed;
});

/** The status of a request over a connection of its own, and whether the connection may be used again. */
function ask(url: string, path: string, body?: object): Promise<{ status: number; connection: string | undefined }> {
  return new Promise((resolve, reject) => {
    const headers = { 'Content-Type': 'application/json', 'A2A-Version': '1.0', Connection: 'keep-alive' };
    const req = request(url + path, { method: body ? 'POST' : 'GET', headers, agent: false }, (res) => {
      res.resume().on('end', () => resolve({ status: res.statusCode ?? 0, connection: res.headers.connection }));
    });
    req.on('error', reject).end(body && JSON.stringify(body));
  });
}

test('while balancers have not noticed, a gateway that stops takes work, and says that it is not ready', async () => {
  const url = await (await sharedPostgres()).database();
  const one = await start(url, 'one', 'shutdown: { delay: 2s, drain: 1s }\nagents: { demo: { kind: reference } }\n');
  const body = { message: { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'hello' }] } };
  expect(await ask(one.url, '/readyz')).toEqual({ status: 200, connection: 'keep-alive' });
  let over = false;
  const closed = one.gateway.close().then(() => {
    over = true;
  });
  expect(await ask(one.url, '/readyz')).toEqual({ status: 503, connection: 'close' });
  expect(await ask(one.url, '/demo/message:send', body)).toEqual({ status: 200, connection: 'close' });
  expect(over).toBe(false);
  await closed;
  await expect(ask(one.url, '/readyz')).rejects.toMatchObject({ code: 'ECONNREFUSED' });
});
