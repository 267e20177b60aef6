import { afterAll, beforeAll, expect, test } from 'vitest';
import type {
  CallEvent,
  ListCallersResponse,
  ListCallsResponse,
  ListLossesResponse,
} from '../../../src/gen/admin-v1/types.ts';
import { callsOf } from '../../support/admin.ts';
import { sharedPostgres } from '../../support/postgres.ts';
import { type Replica, startReplica } from '../../support/replicas.ts';

/** What one replica says for all of them. */

let one: Replica;
let other: Replica;
let working: ReturnType<typeof callsOf>;
let admin: ReturnType<typeof callsOf>;

beforeAll(async () => {
  const url = await (await sharedPostgres()).migrated();
  const config = 'agents: { demo: { kind: reference } }\ndefaultAgent: demo\n';
  one = await startReplica(url, 'one', { config });
  other = await startReplica(url, 'other', { config });
  working = callsOf(one.url);
  admin = callsOf(other.url);
});
afterAll(async () => {
  await one.close();
  await other.close();
});

test('calls of all replicas are listed at one, the latest first, in pages', async () => {
  const ids: string[] = [];
  for (const at of [working, admin, working, admin, working]) ids.unshift((await at.send('hello')).id);
  const seen: string[] = [];
  const replicas = new Set<string>();
  for (let token = ''; ; ) {
    const path = `/admin/v1/calls?operation=SendMessage&pageSize=2&pageToken=${token}`;
    const { calls = [], nextPageToken, missingReplicas = [] } = await admin.get<ListCallsResponse>(path);
    expect(missingReplicas).toEqual([]);
    for (const { taskId = '', replica = '' } of calls) {
      seen.push(taskId);
      replicas.add(replica.split('/')[0] ?? '');
    }
    if (!nextPageToken) break;
    token = nextPageToken;
  }
  expect(seen).toEqual(ids);
  expect(replicas).toEqual(new Set(['one', 'other']));
});

test('callers and losses of all replicas are joined', async () => {
  const before = await admin.get<ListCallersResponse>('/admin/v1/callers');
  const sum = ({ callers = [] }: ListCallersResponse) => callers.reduce((all, { calls = 0 }) => all + Number(calls), 0);
  const { id } = await working.send('hello');
  await admin.send('hello');
  expect(sum(await admin.get<ListCallersResponse>('/admin/v1/callers'))).toBe(sum(before) + 2);
  await working.post('/as/a2a-0.3', { jsonrpc: '2.0', id: 1, method: 'tasks/get', params: { id } });
  const here = await admin.get<ListLossesResponse>('/admin/v1/losses');
  expect(here).toEqual(await working.get<ListLossesResponse>('/admin/v1/losses'));
});

test('calls are watched at another replica', async () => {
  const end = new AbortController();
  const events = admin.stream<CallEvent>('/admin/v1/calls:watch?taskId=watched', { signal: end.signal });
  let seen: CallEvent | undefined;
  void events.next().then(({ value }) => {
    seen = value?.event;
  });
  while (!seen) {
    await working.request('/tasks/watched');
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  expect(seen).toMatchObject({ call: { taskId: 'watched', error: 'taskNotFound', status: '404' } });
  expect(seen.call?.replica).toMatch(/^one\//);
  end.abort();
});
