import { beforeAll, describe, expect, it } from 'vitest';
import { openGateway, type Running, startGateway } from '../support/gateway.ts';
import { serve } from '../support/peer.ts';

/** Numbers that a double cannot hold: ids of requests come back as they were sent, and those in data are named as losses. */

let gateway: Running;
beforeAll(async () => {
  gateway = await startGateway();
});

const long = '12345678901234567890';
const rounded = '12345678901234567000';

async function post(path: string, body: string, headers: Record<string, string> = {}) {
  const answer = await fetch(gateway.origin + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body,
  });
  return { text: await answer.text(), losses: answer.headers.get('a2a-gateway-loss') };
}

const v1 = { 'a2a-version': '1.0' };
const parts = '[{"text":"hi"}]';
const message = `{"messageId":"m","role":"ROLE_USER","parts":${parts}}`;
const old = '{"kind":"message","messageId":"m","role":"user","parts":[{"kind":"text","text":"hi"}]}';
const oldest = '{"role":"user","parts":[{"type":"text","text":"hi"}]}';

const calls: readonly [dialect: string, method: string, params: string][] = [
  ['a2a-1.0', 'SendMessage', `{"message":${message}}`],
  ['a2a-1.0', 'SendStreamingMessage', `{"message":${message}}`],
  ['a2a-1.0', 'GetTask', '{"id":"unknown"}'],
  ['a2a-1.0', 'NoSuchMethod', '{}'],
  ['a2a-0.3', 'message/send', `{"message":${old}}`],
  ['a2a-0.3', 'message/stream', `{"message":${old}}`],
  ['a2a-0.2', 'message/send', `{"message":${old}}`],
  ['a2a-0.1', 'tasks/send', `{"id":"t","message":${oldest}}`],
  ['a2a-0.1', 'tasks/sendSubscribe', `{"id":"u","message":${oldest}}`],
  ['agentvault-0.2', 'tasks/send', `{"message":${oldest}}`],
  ['a2a-php-0.3', 'message/send', `{"message":${old}}`],
];

describe.each([long, '-9007199254740993', '0.1234567890123456789', '9007199254740991', '7'])('the id %s', (id) => {
  it.each(calls)(`the id ${id} comes back over %s from %s`, async (dialect, method, params) => {
    const { text } = await post(
      `/as/${dialect}`,
      `{"jsonrpc":"2.0","id":${id},"method":"${method}","params":${params}}`,
    );
    expect(text).toContain(`"id":${id},`);
  });

  it.each([
    ['an invalid request', `{"jsonrpc":"1.0","id":${id},"method":"SendMessage"}`],
    ['a large request', `{"jsonrpc":"2.0","method":"GetTask","params":{"id":"${'x'.repeat(1_100_000)}"},"id":${id}}`],
  ])(`the id ${id} comes back for %s`, async (_, body) => {
    expect((await post('/', body, v1)).text).toContain(`"id":${id},`);
  });

  it.each([
    ['of an unknown agent', '/nobody', v1],
    ['of a caller who is refused', '/', { ...v1, origin: 'https://elsewhere.example.com' }],
  ])(`the id ${id} comes back %s`, async (_, path, headers) => {
    const body = `{"jsonrpc":"2.0","id":${id},"method":"SendMessage","params":{}}`;
    expect((await post(path, body, headers)).text).toContain(`"id":${id},`);
  });

  it.each(['application/json', 'application/json, text/event-stream'])(
    `the id ${id} comes back over MCP as %s`,
    async (accept) => {
      const params = '{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}';
      const body = `{"jsonrpc":"2.0","id":${id},"method":"initialize","params":${params}}`;
      const { text } = await post('/mcp', body, { accept });
      expect(text).toMatch(new RegExp(`"id":${id}[,}]`));
      const call = `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":"demo__echo","arguments":{"message":"hi"}}}`;
      expect((await post('/mcp', call, { accept })).text).toMatch(new RegExp(`"id":${id}[,}]`));
    },
  );
});

describe('a number in data that no double holds is named as a loss, and arrives rounded', () => {
  const data = (metadata = '') =>
    `{"messageId":"m","role":"ROLE_USER","parts":[{"data":{"secret":[${long}]}}]${metadata}}`;
  const rpc = (request: string, method = 'SendMessage'): string =>
    `{"jsonrpc":"2.0","id":1,"method":"${method}","params":{"message":${request}}}`;

  it.each([
    ['JSON-RPC', '/', rpc(data()), v1],
    ['HTTP+JSON', '/message:send', `{"message":${data()}}`, v1],
    ['Connect', '/lf.a2a.v1.A2AService/SendMessage', `{"message":${data()}}`, v1],
    [
      'A2A 0.3',
      '/',
      rpc(
        `{"kind":"message","messageId":"m","role":"user","parts":[{"kind":"data","data":{"secret":[${long}]}}]}`,
        'message/send',
      ),
      {},
    ],
  ])(
    'a number in data that no double holds is named as a loss over %s, and arrives rounded',
    async (_, path, body, headers) => {
      const { text, losses } = await post(path, body, headers);
      expect(losses).toBe('message.parts.data');
      expect(text).toContain(rounded);
    },
  );

  it('a number in metadata that no double holds is named as a loss too, in requests of any size', async () => {
    const request = data(`,"metadata":{"a":{"b":${long}},"filler":"${'x'.repeat(1_100_000)}"}`);
    expect((await post('/', rpc(request), v1)).losses?.split(', ')).toEqual(['message.parts.data', 'message.metadata']);
  });

  it('a number that comes back equal is no loss, and no field of 64 bits is one', async () => {
    const request = `{"messageId":"m","role":"ROLE_USER","parts":[{"data":[100000000000000000000,0.1,"${long}"]}]}`;
    expect((await post('/', rpc(request), v1)).losses).toBeNull();
  });
});

it('a number in an answer of an agent that no double holds is named to the task, and the rest arrives', async () => {
  const status = '{"state":"TASK_STATE_COMPLETED"}';
  const artifacts = `[{"artifactId":"a","parts":[{"text":"done"},{"data":{"at":${long}}}]}]`;
  const agent = await serve((req, res) => {
    let body = '';
    req.on('data', (chunk) => {
      body += chunk;
    });
    req.on('end', () => {
      // The agent has no card.
      if (req.method === 'GET') return res.writeHead(404).end();
      const { id } = JSON.parse(body);
      res.writeHead(200, { 'content-type': 'application/json' });
      const task = `{"id":"t","contextId":"c","status":${status},"artifacts":${artifacts}}`;
      return res.end(`\ufeff{"jsonrpc":"2.0","id":"${id}","result":{"task":${task}}}`);
    });
  });
  const bridge = await openGateway(`
agents:
  far: { kind: upstream, url: "${agent}", dialect: a2a-1.0, transport: jsonrpc }
`);
  const answer = await fetch(`${bridge.url}/far/message:send`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...v1 },
    body: `{"message":${message}}`,
  });
  const { task } = (await answer.json()) as { task: { metadata: object; artifacts: [{ parts: unknown[] }] } };
  expect(task.artifacts[0].parts).toEqual([{ text: 'done' }, { data: { at: Number(long) } }]);
  const reason = `artifacts[0].parts[1].data.at: the number ${long} became ${rounded}`;
  expect(task.metadata).toMatchObject({ 'a2a-gateway/unread': [reason] });
  expect(answer.headers.get('a2a-gateway-loss')).toContain('artifacts.parts.data.at');
});
