import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newFolder } from '../../support/folders.ts';
import { openGateway } from '../../support/gateway.ts';
import { bodyOf } from '../../support/peer.ts';
import { query, type SharedPostgres, sharedPostgres } from '../../support/postgres.ts';
import { age, entries, formOf, loadPostgres, loadSqlite, readEntry, unpack } from './load.ts';
import {
  type Answer,
  type Answered,
  acceptedOutputModes,
  call,
  configOf,
  type Json,
  openUpstream,
  work,
} from './work.ts';

/** Databases that earlier versions wrote: this version opens each, answers from it, and goes on with what is in it. */

let folder: string;
let server: SharedPostgres;
let upstream: Awaited<ReturnType<typeof openUpstream>>;
let receiver: Server;
/** Bodies that the webhook got. */
const received: Json[] = [];
beforeAll(async () => {
  folder = newFolder();
  server = await sharedPostgres();
  upstream = await openUpstream();
  receiver = createServer(async (req, res) => {
    received.push(JSON.parse(await bodyOf(req)));
    res.end();
  });
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
});
afterAll(() => {
  receiver.close();
  upstream.server.close();
});

const here = fileURLToPath(new URL('gateway.yaml', import.meta.url));
const webhook = (): string => `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`;

async function open(entry: string, kind: string) {
  const { schema, done } = readEntry(entry, kind);
  const path = join(folder, `${entry}.db`);
  const store = kind === 'sqlite' ? `sqlite:${path}` : await server.database();
  if (kind === 'sqlite') await loadSqlite(entry, path, webhook());
  else await loadPostgres(entry, store, webhook());
  // On PostgreSQL the replica that wrote it is still there, as in a rolling upgrade.
  if (kind === 'postgres') await query(store, `update gateway set heartbeat = heartbeat + ${2 * age}`);
  Object.assign(upstream.state, { ended: false, answers: true });
  upstream.unanswered.length = 0;
  const gateway = await openGateway(configOf(schema, `"${store}"`, upstream.url), { file: here });
  const keyed = (key: string): Answered | undefined => done.find(({ headers }) => headers['idempotency-key'] === key);
  const retire = async (): Promise<void> => {
    if (kind === 'postgres') await query(store, "delete from gateway where instance like 'corpus/%'");
  };
  return { schema, done, gateway, keyed, retire };
}

const resultOf = ({ answers }: Pick<Answered, 'answers'>): Json => answers[0]?.result;
const states = {
  'a2a-1.0': 'TASK_STATE_COMPLETED',
  'a2a-0.3': 'completed',
  'a2a-0.2': 'completed',
  'a2a-0.1': 'completed',
};
const methods = { 'a2a-1.0': 'GetTask' } as Record<string, string>;

/** The answer without what only says when it was given, in the form of this version. */
const plain = (answers: readonly Answer[]): Json => {
  const { result } = answers[0] ?? {};
  const task = result?.task ?? result;
  return task?.status
    ? {
        id: task.id,
        contextId: task.contextId,
        state: task.status.state,
        artifacts: task.artifacts,
        history: task.history,
      }
    : result;
};

/** Stored data differs from entry to entry, but PostgreSQL needs only the oldest and the newest to test its migrations. */
const onPostgres: readonly string[] = [entries[0] ?? '', entries.at(-1) ?? ''];

describe.each(entries)('the database of %s', (entry) => {
  describe.each([
    ['sqlite', 'after its program was killed'],
    ['postgres', 'beside the replica that wrote it, and after it stopped'],
  ])('on %s, %s', (kind) => {
    it.runIf(kind === 'sqlite' || onPostgres.includes(entry))(
      'the database of an earlier schema is opened, and everything in it is answered, continued and delivered',
      async () => {
        const { schema, done, gateway, keyed, retire } = await open(entry, kind);
        const { url } = gateway;
        // Repeated sends get the first answer, and a task that the kill cut off is the same task.
        for (const { path, headers, body } of done.filter(({ headers }) => headers['idempotency-key'])) {
          const key = headers['idempotency-key'] as string;
          const known = keyed(key) as Answered;
          const answers = await call(url, path, { ...headers }, body);
          if (key === 'streamed') {
            const chunks = (list: readonly Answer[]): Json[] =>
              list.flatMap(({ result }) => result?.artifactUpdate?.artifact.parts ?? []);
            expect([key, chunks(answers)]).toEqual([key, chunks(known.answers)]);
            expect(answers.at(-1)?.result.statusUpdate.status.state).toBe('TASK_STATE_COMPLETED');
          } else if (key === 'runs' || key === 'upstream' || key === 'unanswered') {
            expect([key, answers[0]?.result.task?.id]).toEqual([key, resultOf(known).task.id]);
          } else expect([key, plain(answers)]).toEqual([key, plain(known.answers)]);
        }
        // Tasks in every dialect.
        const ended = resultOf(keyed('ended') as Answered).task;
        for (const [dialect, state] of Object.entries(states)) {
          const method = methods[dialect] ?? 'tasks/get';
          const [answer] = await call(url, `/demo/as/${dialect}`, {}, { method, params: { id: ended.id } });
          expect([dialect, answer?.result?.status?.state, answer?.error]).toEqual([dialect, state, undefined]);
        }
        if (schema >= 2) {
          const params = { id: 'chosen', sessionId: 'session' };
          const [chosen] = await call(url, '/demo/as/a2a-0.1', {}, { method: 'tasks/get', params });
          expect(chosen?.result?.status.state).toBe('completed');
        }
        const vault = { method: 'tasks/get', params: { id: ended.id } };
        expect((await call(url, '/demo/as/agentvault-0.2', {}, vault))[0]?.result?.state).toBe('COMPLETED');
        // Tasks that wait for input go on.
        const send = async (path: string, taskId: string, text: string): Promise<Json> => {
          const message = { messageId: crypto.randomUUID(), role: 'ROLE_USER', parts: [{ text }], taskId };
          const body = { method: 'SendMessage', params: { message } };
          return (await call(url, path, { 'a2a-version': '1.0' }, body))[0];
        };
        const waiting = resultOf(keyed('waits') as Answered).task.id;
        expect((await send('/', waiting, 'Ada')).result.task.artifacts[0].parts).toEqual([{ text: 'Hello, Ada' }]);
        if (schema >= 14) {
          const counted = resultOf(keyed('counts') as Answered).task.id;
          expect((await send('/counter', counted, 'count')).result.task.status.message.parts).toEqual([
            { text: 'count 2' },
          ]);
        }
        const get = async (path: string, id: string): Promise<Json> =>
          (await call(url, path, { 'a2a-version': '1.0' }, { method: 'GetTask', params: { id } }))[0]?.result;
        if (kind === 'postgres') {
          const running = await get('/', resultOf(keyed('runs') as Answered).task.id);
          expect(running.status.state).toBe('TASK_STATE_WORKING');
          await retire();
        }
        // The task that ran here is carried on until it is canceled, and so is the one at the upstream agent.
        const { id } = resultOf(keyed('runs') as Answered).task;
        const [canceled] = await call(url, '/', { 'a2a-version': '1.0' }, { method: 'CancelTask', params: { id } });
        expect(canceled?.result?.status.state).toBe('TASK_STATE_CANCELED');
        if (schema >= 3) {
          upstream.state.ended = true;
          const there = resultOf(keyed('upstream') as Answered).task.id;
          const outcome = {
            status: { state: 'TASK_STATE_COMPLETED' },
            artifacts: [{ parts: [{ text: 'done there' }] }],
          };
          await expect.poll(() => get('/old', there)).toMatchObject(outcome);
        }
        if (schema >= 18) {
          // A message that the agent had not answered is repeated, with what came with it.
          const there = resultOf(keyed('unanswered') as Answered).task.id;
          await expect
            .poll(() => get('/old', there))
            .toMatchObject({
              status: { state: 'TASK_STATE_COMPLETED' },
            });
          expect(upstream.unanswered).toMatchObject([
            { configuration: { acceptedOutputModes }, metadata: { 'https://example.com/trip': { seats: [1] } } },
          ]);
        }
        if (schema >= 4) {
          const told = resultOf(keyed('told') as Answered).task.id;
          const configs = { method: 'ListTaskPushNotificationConfigs', params: { taskId: told } };
          const [list] = await call(url, '/', { 'a2a-version': '1.0' }, configs);
          expect(list?.result.configs).toMatchObject([{ url: `${webhook()}/hook`, token: 'secret' }]);
          const isTold = (body: Json): boolean => JSON.stringify(body).includes(told);
          const last = (): string => JSON.stringify(received.filter(isTold).at(-1));
          await expect.poll(last).toMatch(/TASK_STATE_INPUT_REQUIRED/);
          await send('/', told, 'Ada');
          await expect.poll(last).toMatch(/TASK_STATE_COMPLETED/);
        }
        if (schema >= 5) {
          const query = '{ statements { nodes { subject { id } predicate { id } object { value } } } }';
          const body = { method: 'knowledge/query', params: { query, queryLanguage: 'graphql' } };
          const [answer] = await call(url, '/facts', {}, body);
          const nodes = [{ subject: { id: 'urn:a' }, predicate: { id: 'urn:b' }, object: { value: 'c' } }];
          expect(answer?.result.data).toEqual({ statements: { nodes } });
        }
      },
    );
  });
});

it('the newest entry has the schema and the stored forms of this version', async () => {
  // When this fails: commit the change, run `node test/stores/formats/write.ts HEAD`, and commit the new entry.
  const [path, written] = [join(folder, 'now.db'), join(folder, 'newest.db')];
  const config = configOf(Number.MAX_SAFE_INTEGER, `"sqlite:${path}"`, upstream.url);
  Object.assign(upstream.state, { ended: false, answers: false });
  const gateway = await openGateway(config, { file: here });
  await work(gateway.url, Number.MAX_SAFE_INTEGER).finally(() => gateway.close());
  unpack(entries.at(-1) as string, written);
  const [now, newest] = [formOf(path), formOf(written)];
  expect(now.schema).toEqual(newest.schema);
  for (const [column, shapes] of Object.entries(now.shapes)) {
    expect([column, newest.shapes[column]]).toEqual([column, expect.arrayContaining(shapes)]);
  }
});
