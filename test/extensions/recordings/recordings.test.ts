import { createServer } from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parseConfig } from '../../../src/config/parse.ts';
import { askAdmin } from '../../support/admin.ts';
import { openGateway } from '../../support/gateway.ts';
import { listenOn } from '../../support/peer.ts';
import {
  asAlice,
  asOperator,
  bob,
  enveloped,
  message,
  openRecorded,
  recordingAt,
  service,
  settings,
} from '../../support/recording.ts';

/** Tests of the calls in a recording, its end and its bounds. */

let url: string;
let close: () => Promise<void>;
const { record, list, recorded, post } = recordingAt(() => url);

beforeAll(async () => {
  ({ url, close } = await openRecorded());
});
afterAll(() => close());

test('a recording has refused requests with their frame and the error', async () => {
  const [call] = await recorded({ agent: 'demo' }, () =>
    post('/demo', 'application/json', '{"jsonrpc": "2.0", "id": 1, "method": "SendMessage", "params": {"message": 7}}'),
  );
  expect(call).toMatchObject({ agent: 'demo', principal: 'key:alice', error: 'invalidParams', binding: 'jsonrpc' });
  expect(call?.client?.request?.text).toContain('"params": {"message": 7}');
  expect(call?.client?.answer?.text).toContain('-32602');
  expect(call?.request ?? '').toBe('');
  const [other] = await recorded({ principal: 'key:alice' }, () =>
    post(`/demo${service}`, 'application/grpc-web+proto', enveloped(Buffer.from('no protobuf'))).then(() => undefined),
  );
  expect(other).toMatchObject({ binding: 'grpc-web', error: 'parse' });
});

test('a recording has each attempt to reach an agent, and why it failed', async () => {
  const gone = createServer((req, res) => {
    req.resume();
    res.writeHead(req.method === 'GET' ? 404 : 500).end();
  });
  const { origin: to } = await listenOn(gone);
  const own = await openGateway(
    settings(`  gone: { kind: upstream, url: "${to}", dialect: a2a-0.3, transport: jsonrpc, keep: none }`),
  );
  const send = () =>
    fetch(`${own.url}/gone/message:send`, {
      method: 'POST',
      headers: { ...asAlice, 'a2a-version': '1.0', 'content-type': 'application/json' },
      body: JSON.stringify({ message: message('hello') }),
    });
  await send();
  gone.closeAllConnections();
  gone.close();
  await askAdmin(own.url, 'Record', { agent: 'gone' }, asOperator);
  expect((await send()).status).toBe(502);
  const { records = [] } = await askAdmin(own.url, 'ListRecords', {}, asOperator);
  expect(records).toMatchObject([{ error: 'upstreamUnreachable', reason: expect.any(String) }]);
  expect(records[0]?.attempts?.length).toBeGreaterThan(1);
  for (const attempt of records[0]?.attempts ?? []) expect(attempt.error).toBe('upstreamUnreachable');
  // Then the circuit breaker is open, and the agent is not called at all.
  for (;;) {
    await send();
    const [refused] = (await askAdmin(own.url, 'ListRecords', {}, asOperator)).records ?? [];
    const last = refused?.attempts?.at(-1);
    if (!last?.reason?.includes('did not answer 5 consecutive calls')) continue;
    expect(last).toMatchObject({ agent: 'gone', dialect: 'a2a-0.3', binding: 'jsonrpc' });
    expect(last.exchanges ?? []).toEqual([]);
    break;
  }
});

test('a recording of a caller has only calls of that caller, and of an agent only calls of that agent', async () => {
  const ofAlice = (await record({ principal: 'key:alice' })).recording?.id ?? '';
  const ofVault = (await record({ agent: 'vault' })).recording?.id ?? '';
  const asBob = { 'x-api-key': bob.key };
  const body = JSON.stringify({ message: message('hello') });
  await post('/demo/message:send', 'application/json', body, asBob);
  await post('/vault/message:send', 'application/json', body, asBob);
  await post('/demo/message:send', 'application/json', body);
  const seen = async (id: string) => (await list(id)).records?.map(({ agent, principal }) => [agent, principal]);
  expect(await seen(ofAlice)).toEqual([['demo', 'key:alice']]);
  expect(await seen(ofVault)).toEqual([['vault', 'key:bob']]);
  await record({ stop: ofAlice });
  await record({ stop: ofVault });
});

test('a recording of a task has the calls about that task', async () => {
  const send = async (text: string): Promise<string> => {
    const body = JSON.stringify({ message: message(text) });
    const response = await post('/demo/message:send', 'application/json', body);
    return ((await response.json()) as { task: { id: string } }).task.id;
  };
  const taskKey = await send('ask');
  const other = await send('ask');
  const calls = await recorded({ taskKey }, async () => {
    const answer = { message: { ...message('Ada'), taskId: taskKey } };
    await fetch(`${url}/demo/tasks/${other}`, { headers: { ...asAlice, 'a2a-version': '1.0' } });
    await post('/demo/message:send', 'application/json', JSON.stringify(answer));
    await fetch(`${url}/demo/tasks/${taskKey}`, { headers: { ...asAlice, 'a2a-version': '1.0' } });
  });
  expect(calls.map(({ operation, taskId }) => [operation, taskId])).toEqual([
    ['GetTask', taskKey],
    ['SendMessage', taskKey],
  ]);
  await expect(record({ taskKey: 'unknown' })).rejects.toMatchObject({ code: -32001 });
  await expect(record({ taskKey, principal: 'key:bob' })).rejects.toThrow('principal: must be the owner of the task');
});

test('a recording ends after its calls, when it is stopped, and by itself', async () => {
  const send = () => post('/demo/message:send', 'application/json', JSON.stringify({ message: message('hello') }));
  const one = (await record({ agent: 'demo', calls: 1 })).recording;
  await send();
  await send();
  expect((await list(one?.id ?? '')).records).toHaveLength(1);
  const stopped = (await record({ stop: one?.id ?? '' })).recording;
  expect(stopped).toMatchObject({ id: one?.id, ended: true, recorded: 1, startedBy: 'key:operator' });
  const brief = (await record({ agent: 'demo', seconds: 1 })).recording?.id ?? '';
  for (;;) {
    const { recordings = [] } = await list(brief);
    if (recordings.find(({ id }) => id === brief)?.ended) break;
  }
  await send();
  expect((await list(brief)).records ?? []).toEqual([]);
});

test('a recording is bounded in number, calls and time, and its frames in bytes', async () => {
  await expect(record({})).rejects.toThrow('agent: is required, or principal, or taskKey');
  await expect(record({ agent: 'demo', calls: 101 })).rejects.toThrow('calls: must be from 1 to 100');
  await expect(record({ agent: 'demo', seconds: 3_601 })).rejects.toThrow('seconds: must be from 1 to 3600');
  await expect(record({ agent: 'none' })).rejects.toThrow('No such agent: none');
  await expect(record({ stop: 'none' })).rejects.toThrow('stop: must be the id of a recording');
  const text = 'x'.repeat(400 * 1024);
  const [call] = await recorded({ agent: 'demo' }, () =>
    post('/demo/message:send', 'application/json', JSON.stringify({ message: message(text) })),
  );
  const { request } = call?.client ?? {};
  expect(Number(request?.size)).toBeGreaterThan(text.length);
  expect(request?.text).toHaveLength(256 * 1024);
  expect(Number(request?.cut)).toBe(Number(request?.size) - 256 * 1024);
  const ids: string[] = [];
  const more = async (): Promise<void> => void ids.push((await record({ agent: 'demo' })).recording?.id ?? '');
  for (let count = 0; count < 8; count += 1) await more();
  await expect(more()).rejects.toThrow('8 recordings are in progress');
  for (const id of ids) await record({ stop: id });
  await more();
  await record({ stop: ids.at(-1) ?? '' });
});

test('a recording keeps no more than 16 MiB: the oldest calls go, and their number is said', async () => {
  const { id = '' } = (await record({ agent: 'demo', calls: 100 })).recording ?? {};
  const body = JSON.stringify({ message: message('y'.repeat(300 * 1024)) });
  for (let count = 0; count < 40; count += 1) await post('/demo/message:send', 'application/json', body);
  const { recording } = await record({ stop: id });
  expect(recording?.recorded).toBe(40);
  expect(recording?.dropped).toBeGreaterThan(0);
  const seen = new Set<string>();
  let pages = 0;
  for (let pageToken = ''; ; pages += 1) {
    const { records = [], nextPageToken } = await list(id, { pageSize: 100, pageToken });
    for (const { id: one } of records) seen.add(one);
    if (!nextPageToken) break;
    pageToken = nextPageToken;
  }
  expect(seen.size).toBe(40 - (recording?.dropped ?? 0));
  // Pages are bounded in bytes, too.
  expect(pages).toBeGreaterThan(1);
});

test('a recording is refused where the configuration keeps content from operators', async () => {
  const hiding = await openGateway(`${settings()}console: { content: false }\n`);
  for (const [operation, request] of [
    ['Record', { agent: 'demo' }],
    ['ListRecords', {}],
  ] as const) {
    await expect(askAdmin(hiding.url, operation, request, asOperator)).rejects.toThrow('console.content: false');
  }
});

test('a recording is over, with all that it has, when a reload keeps content from operators', async () => {
  const own = await openGateway(settings());
  const ask = <K extends 'Record' | 'ListRecords'>(operation: K, request: object) =>
    askAdmin(own.url, operation, request as never, asOperator);
  await ask('Record', { agent: 'demo' });
  const reload = (more: string) =>
    own.gateway.reload(
      parseConfig(`listen: { host: localhost, port: 0 }\nstore: "memory:"\n${settings()}${more}`, {
        file: '/gateway.yaml',
        env: {},
      }),
    );
  await reload('console: { content: false }\n');
  await expect(ask('ListRecords', {})).rejects.toThrow('console.content: false');
  await fetch(`${own.url}/demo/tasks/none`, { headers: asAlice });
  await reload('');
  expect(await ask('ListRecords', {})).toMatchObject({ recordings: [], records: [] });
});

test('a recording is a line of the audit log, and each look at it too', async () => {
  const lines: object[] = [];
  const note = (fields: object): void => void lines.push(fields);
  const logger = { debug: note, info: note, warn: note, error: note };
  const own = await openGateway(settings(), { logger });
  await askAdmin(own.url, 'Record', { principal: 'key:alice' }, asOperator);
  await askAdmin(own.url, 'ListRecords', {}, asOperator);
  expect(lines).toContainEqual(
    expect.objectContaining({
      security: 'admin.action',
      operation: 'Record',
      principal: 'key:operator',
      subject: 'key:alice',
    }),
  );
  expect(lines).toContainEqual(
    expect.objectContaining({ security: 'admin.read', operation: 'ListRecords', principal: 'key:operator' }),
  );
});
