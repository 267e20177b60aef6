import { beforeAll, expect, test } from 'vitest';
import type { ListRecordsResponse, RecordResponse } from '../../../src/gen/admin-v1/types.ts';
import { callsOf, complete } from '../../support/admin.ts';
import { type Opened, openGateway } from '../../support/gateway.ts';
import { sharedPostgres } from '../../support/postgres.ts';
import { type Replica, startReplica } from '../../support/replicas.ts';

/** Recordings of all replicas, begun and read at any of them. */

let far: Opened;
let one: Replica;
let other: Replica;
let atOne: ReturnType<typeof callsOf>;
let atOther: ReturnType<typeof callsOf>;

beforeAll(async () => {
  far = await openGateway('agents: { demo: { kind: reference } }\ndefaultAgent: demo\n');
  const url = await (await sharedPostgres()).migrated();
  const old = `{ kind: upstream, url: "${far.url}/demo/as/a2a-0.3", dialect: a2a-0.3, transport: jsonrpc }`;
  const config = `agents: { old: ${old} }\ndefaultAgent: old\n`;
  one = await startReplica(url, 'one', { config });
  other = await startReplica(url, 'other', { config });
  atOne = callsOf(one.url);
  atOther = callsOf(other.url);
});

const begin = async (): Promise<string> =>
  (await complete(() => atOne.post<RecordResponse>('/admin/v1/recordings', { agent: 'old' }))).recording?.id ?? '';
const list = (id: string, more = '') =>
  complete(() => atOther.get<ListRecordsResponse>(`/admin/v1/records?recording=${id}${more}`));

test('a recording that is begun at one replica records calls at the other, and has those of both', async () => {
  const id = await begin();
  for (const at of [atOther, atOne, atOther]) await at.send('hello', { immediately: false });
  const { records = [], recordings = [] } = await list(id);
  expect(records.map(({ replica }) => replica?.split('/')[0])).toEqual(['other', 'one', 'other']);
  for (const { attempts } of records) expect(attempts?.[0]).toMatchObject({ agent: 'old', dialect: 'a2a-0.3' });
  expect(recordings.find((recording) => recording.id === id)).toMatchObject({ recorded: 3, agent: 'old' });
  const pages: (string | undefined)[] = [];
  for (let token = ''; ; ) {
    const page = await list(id, `&pageSize=1&pageToken=${token}`);
    pages.push(...(page.records ?? []).map((record) => record.id));
    if (!page.nextPageToken) break;
    token = page.nextPageToken;
  }
  expect(pages).toEqual(records.map((record) => record.id));
  const stopped = await atOther.post<RecordResponse>('/admin/v1/recordings', { stop: id });
  expect(stopped.recording).toMatchObject({ ended: true });
  await atOne.send('hello', { immediately: false });
  expect((await list(id)).records).toHaveLength(3);
});

test('a call that the other replica carries out has the attempts of that one', async () => {
  const { id: taskId } = await atOne.send('wait');
  const id = await begin();
  await atOther.post(`/tasks/${taskId}:cancel`, {});
  const { records = [] } = await list(id);
  expect(records).toMatchObject([
    { operation: 'CancelTask', binding: 'rest', client: { answer: { head: 'HTTP/1.1 200' } } },
  ]);
  expect(records[0]?.replica).toMatch(/^other\//);
  const sent = records[0]?.attempts?.map(({ exchanges }) => JSON.parse(exchanges?.[0]?.request?.text ?? '{}').method);
  expect(sent).toContain('tasks/cancel');
});
