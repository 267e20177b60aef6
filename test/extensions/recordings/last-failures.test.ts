import type { IncomingMessage, ServerResponse } from 'node:http';
import { expect, onTestFinished, test, vi } from 'vitest';
import { connect } from '../../../src/client/index.ts';
import type { Call } from '../../../src/core/model/call.ts';
import { A2AError, type ErrorKind } from '../../../src/core/model/errors.ts';
import { LastFailures } from '../../../src/extensions/recordings/last-failures.ts';
import type { ListRecordsRequest, ListRecordsResponse, RecordedCall } from '../../../src/gen/admin-v1/types.ts';
import { askAdmin } from '../../support/admin.ts';
import { type Opened, openGateway } from '../../support/gateway.ts';
import { afterTest, bodyOf, serve } from '../../support/peer.ts';
import { asAlice, asOperator, bob, message, peer, settings } from '../../support/recording.ts';
import { startJudge } from '../guards/judge.ts';

/** The last failed calls of each agent, which are kept without a recording. */

const type = { 'content-type': 'application/json' };

/** A gateway with an agent that answers as a test wants. */
async function openFailing(answer: (res: ServerResponse, req: IncomingMessage) => void, more = '', agent = '') {
  const url = await serve(async (req, res) => {
    await bodyOf(req);
    if (req.method === 'GET') res.writeHead(404).end();
    else answer(res, req);
  });
  const auth = `{ type: apiKey, header: x-peer, key: "${peer.key}" }`;
  const gateway = await openGateway(
    `${settings(`  far: { kind: upstream, url: "${url}", dialect: a2a-0.3, transport: jsonrpc, auth: ${auth}${agent} }`)}${more}`,
  );
  afterTest(() => gateway.close());
  return gateway;
}

const refuse = (res: ServerResponse): void =>
  void res.writeHead(402, type).end('{"error": "the payment provider is closed", "api_key": "not-to-be-seen"}');

const send = (
  { url }: Opened,
  agent: string,
  text: string,
  headers: Readonly<Record<string, string>> = asAlice,
): Promise<Response> =>
  fetch(`${url}/${agent}/message:send`, {
    method: 'POST',
    headers: { ...type, ...headers, 'a2a-version': '1.0' },
    body: JSON.stringify({ message: message(text) }),
  });

const ask = ({ url }: Opened, request: ListRecordsRequest): Promise<ListRecordsResponse> =>
  askAdmin(url, 'ListRecords', request, asOperator);
const list = async (gateway: Opened, request: ListRecordsRequest = {}): Promise<readonly RecordedCall[]> =>
  (await ask(gateway, request)).records ?? [];

test('the last failed call of an agent is kept without a recording: both sides, the attempts and no credentials', async () => {
  const gateway = await openFailing(refuse);
  await send(gateway, 'far', 'the first one');
  const response = await send(gateway, 'far', 'the last one');
  expect(response.status).toBeGreaterThanOrEqual(400);
  const id = response.headers.get('x-request-id') ?? '';
  const [record, ...others] = await list(gateway, { agent: 'far', lastFailed: true });
  expect(others).toEqual([]);
  expect(record).toMatchObject({ agent: 'far', principal: 'key:alice', requestId: id, lastFailed: true });
  expect(record?.error).toBeTruthy();
  expect(record?.client?.request?.head).toBe('POST /far/message:send HTTP/1.1');
  expect(record?.client?.request?.text).toContain('the last one');
  expect(record?.client?.answer?.head).toBe(`HTTP/1.1 ${response.status}`);
  expect(record?.client?.answer?.text).toBe((await response.text()).replace('not-to-be-seen', '[secret]'));
  expect(record?.request).toContain('the last one');
  const [attempt] = record?.attempts ?? [];
  expect(attempt).toMatchObject({ agent: 'far', dialect: 'a2a-0.3', binding: 'jsonrpc' });
  const [exchange] = attempt?.exchanges ?? [];
  expect(exchange?.request?.head).toBe('POST / HTTP/1.1');
  expect(exchange?.request?.text).toContain('"method":"message/stream"');
  expect(exchange?.answer?.head).toBe('HTTP/1.1 402');
  expect(exchange?.answer?.text).toContain('the payment provider is closed');
  const all = JSON.stringify(record);
  expect(all).not.toContain('not-to-be-seen');
  expect(all).not.toContain(peer.key);
  expect(all).not.toContain(asAlice['x-api-key']);
  expect(await list(gateway, { requestId: id })).toEqual([record]);
  expect(await list(gateway, { recording: 'other' })).toEqual([]);
});

test('an agent that refuses within its stream is kept with the part of the stream that was read last', async () => {
  const gateway = await openFailing((res) => {
    const error = { code: -32603, message: 'the model is overloaded' };
    res.writeHead(200, { 'content-type': 'text/event-stream' });
    res.end(`data: ${JSON.stringify({ jsonrpc: '2.0', id: '1', error })}\n\n`);
  });
  await send(gateway, 'far', 'streams').then((response) => response.text());
  const [record] = await list(gateway, { agent: 'far' });
  const exchange = record?.attempts?.at(-1)?.exchanges?.[0];
  expect(exchange?.answer?.head).toBe('HTTP/1.1 200');
  expect(exchange?.answer?.text).toContain('the model is overloaded');
  expect(record?.client?.request?.text).toContain('streams');
});

test('a call that succeeds leaves the last failed one, and no record of its own', async () => {
  let isClosed = true;
  const gateway = await openFailing((res) => {
    if (isClosed) return refuse(res);
    const result = { kind: 'message', messageId: 'one', role: 'agent', parts: [{ kind: 'text', text: 'hi' }] };
    return void res.writeHead(200, type).end(JSON.stringify({ jsonrpc: '2.0', id: '2', result }));
  });
  await send(gateway, 'far', 'fails');
  isClosed = false;
  const before = await list(gateway);
  await send(gateway, 'demo', 'succeeds');
  expect(before).toHaveLength(1);
  expect(await list(gateway)).toEqual(before);
  const { lastFailedSince = '' } = await ask(gateway, {});
  expect(Date.parse(lastFailedSince)).toBeLessThanOrEqual(Date.parse(before[0]?.time ?? ''));
});

test('calls that fail since their callers made a mistake displace no failure of the agent', async () => {
  const gateway = await openFailing(refuse);
  await send(gateway, 'far', 'the agent fails');
  for (const id of ['one', 'two']) {
    await fetch(`${gateway.url}/far/tasks/${id}`, { headers: { ...asAlice, 'a2a-version': '1.0' } });
  }
  const records = await list(gateway, { agent: 'far' });
  expect(records.map(({ operation, taskId = '' }) => [operation, taskId])).toEqual([
    ['GetTask', 'two'],
    ['SendMessage', ''],
  ]);
});

test('a call over gRPC is kept with its message, its headers and its status', async () => {
  const gateway = await openFailing(refuse);
  const client = await connect(`${gateway.url}/far`, { via: 'grpc', headers: asAlice });
  afterTest(() => client.close());
  await client.send('over gRPC').catch(() => undefined);
  const [record] = await list(gateway, { agent: 'far' });
  expect(record).toMatchObject({
    binding: 'grpc',
    client: { request: { head: expect.stringContaining('/SendMessage') } },
  });
  expect(record?.client?.request?.text).toContain('over gRPC');
  const { headers = [], trailers = [] } = record?.client?.answer ?? {};
  expect([...headers, ...trailers].map(({ name }) => name)).toContain('grpc-status');
  expect(JSON.stringify(record)).not.toContain(asAlice['x-api-key']);
});

test('an agent over gRPC that refuses is kept with the message that it got and its status', async () => {
  const far = await openGateway(
    'auth: { anonymous: false }\nagents: { demo: { kind: reference } }\ndefaultAgent: demo',
  );
  afterTest(() => far.close());
  const gateway = await openGateway(
    settings(`  far: { kind: upstream, url: "${far.url}", dialect: a2a-0.3, transport: grpc }`),
  );
  afterTest(() => gateway.close());
  await send(gateway, 'far', 'to an agent over gRPC');
  const [record] = await list(gateway, { agent: 'far' });
  const exchange = record?.attempts?.at(-1)?.exchanges?.[0];
  expect(exchange?.request?.head).toMatch(/^POST \/a2a\.v1\.A2AService\/\w+ HTTP\/2$/);
  expect(exchange?.request?.text).toContain('to an agent over gRPC');
  const { headers = [], trailers = [] } = exchange?.answer ?? {};
  expect([...headers, ...trailers]).toContainEqual({ name: 'grpc-status', value: '16' });
});

test('a recorded call is listed once, with all that its recording has', async () => {
  const gateway = await openFailing(refuse);
  await askAdmin(gateway.url, 'Record', { agent: 'far' }, asOperator);
  await send(gateway, 'far', 'recorded');
  const records = await list(gateway);
  expect(records).toHaveLength(1);
  expect(records[0]?.lastFailed ?? false).toBe(false);
  expect(await list(gateway, { lastFailed: true })).toMatchObject([{ lastFailed: true }]);
});

test('bytes of a failed call are bounded', async () => {
  const gateway = await openFailing(refuse);
  await send(gateway, 'far', 'x'.repeat(300_000));
  const [record] = await list(gateway);
  expect(record?.client?.request?.text?.length).toBe(65_536);
  expect(Number(record?.client?.request?.cut)).toBeGreaterThan(200_000);
  expect(record?.client?.answer?.head).toContain('HTTP/1.1');
});

/** Failed calls, in time that passes as the test wants. */
function failedCalls(now: () => number = Date.now) {
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const failures = new LastFailures({
    isAgent: () => true,
    hidesWords: () => false,
    withholdsAnswers: () => false,
    credentialHeaders: () => [],
    now,
  });
  return {
    since: failures.since,
    fail(agent: string, { requestId = agent, kind = 'internal' as ErrorKind, size = 10 } = {}): void {
      const notes = { losses: new Set<string>() };
      const context = { agent, requestId, principal: { id: 'key:alice' }, notes };
      const request = { message: message('x'.repeat(size)) };
      failures.noteCall({ operation: 'SendMessage', request, context } as unknown as Call, new A2AError(kind), 0);
    },
    kept: () => [...failures.records()],
    requestsOf: (wanted: string) =>
      [...failures.records()].flatMap(({ facts: { agent, requestId } }) => (agent === wanted ? [requestId] : [])),
  };
}

test('failed calls are dated by the clock that all replicas share, and so is the time since which they are kept', () => {
  const behind = Date.now() - 600_000;
  const { fail, kept, since } = failedCalls(() => behind);
  fail('demo');
  expect([since, ...kept().map(({ at }) => at)]).toEqual([behind, behind]);
});

test('bytes of the failed calls of all agents are bounded, and the oldest go', () => {
  const { fail, kept } = failedCalls();
  for (let at = 0; at < 150; at += 1) fail(`agent-${at}`, { size: 70_000 });
  expect(kept().reduce((sum, { bytes }) => sum + bytes, 0)).toBeLessThanOrEqual(8 << 20);
  const names = kept().map(({ facts }) => facts.agent);
  expect(names).toContain('agent-149');
  expect(names).not.toContain('agent-0');
});

test('the only failed call of an agent stays when agents with several take too many bytes', () => {
  const { fail, kept } = failedCalls();
  fail('quiet');
  for (let at = 0; at < 70; at += 1) {
    vi.advanceTimersByTime(100);
    for (const kind of ['internal', 'taskNotFound'] as const) fail(`loud-${at}`, { size: 70_000, kind });
  }
  expect(kept().length).toBeLessThan(141);
  expect(kept().map(({ facts }) => facts.agent)).toContain('quiet');
});

test('many failures of one agent, of which only some are kept, leave none of another agent out', () => {
  const { fail, requestsOf } = failedCalls();
  for (let at = 0; at < 150; at += 1) fail('loud', { requestId: `${at}` });
  expect(requestsOf('loud')).toEqual(['99']);
  fail('quiet');
  fail('loud', { requestId: 'of the caller', kind: 'taskNotFound' });
  expect(requestsOf('quiet')).toEqual(['quiet']);
  expect(requestsOf('loud')).toEqual(['99', 'of the caller']);
  vi.advanceTimersByTime(10);
  fail('loud', { requestId: 'after ten milliseconds' });
  expect(requestsOf('loud')).toEqual(['after ten milliseconds', 'of the caller']);
});

test('a caller that is erased has no failed calls any more, and others keep theirs', async () => {
  const gateway = await openFailing(refuse);
  await send(gateway, 'far', 'of bob', { 'x-api-key': bob.key });
  await send(gateway, 'demo', 'none');
  await fetch(`${gateway.url}/demo/tasks/none`, { headers: { ...asAlice, 'a2a-version': '1.0' } });
  const erased = await askAdmin(gateway.url, 'EraseCaller', { principal: 'key:bob' }, asOperator);
  expect(JSON.stringify(erased)).toContain('recordings');
  expect((await list(gateway)).map(({ principal }) => principal)).toEqual(['key:alice']);
});

test('nothing of a failed call is kept where what messages say is hidden from operators, or where no calls are kept', async () => {
  for (const more of ['console: { content: false }', 'calls: false']) {
    const gateway = await openFailing(refuse, more);
    await send(gateway, 'far', 'hidden');
    const kept = await list(gateway).catch(({ message: said }: Error) => said);
    if (more.startsWith('calls')) expect(kept).toEqual([]);
    else expect(kept).toContain('console.content: false');
  }
});

test('where a guard judges answers, the answer of an agent that failed is kept without its words', async () => {
  const judge = await startJudge(() => ({ action: 'allow' }));
  afterTest(() => judge.close());
  const gateway = await openFailing(refuse, `guards: [{ name: words, url: "${judge.url}", on: [answer] }]`);
  await send(gateway, 'far', 'guarded');
  const [record] = await list(gateway, { agent: 'far' });
  const [attempt] = record?.attempts ?? [];
  expect(attempt?.exchanges?.[0]?.answer).toMatchObject({ head: 'HTTP/1.1 402', size: '0' });
  expect(JSON.stringify(attempt)).not.toContain('payment provider');
});
