import { readFileSync } from 'node:fs';
import { afterEach, expect, it } from 'vitest';
import { createReferenceAgent } from '../../../src/agents/reference.ts';
import type { Agent } from '../../../src/core/model/agent.ts';
import type { Logger } from '../../../src/core/ports/logger.ts';
import type { Gateway } from '../../../src/gateway/compose/gateway.ts';
import { openGateway } from '../../support/gateway.ts';

interface Line {
  readonly level: string;
  readonly msg: string;
  readonly [field: string]: unknown;
}

let gateway: Gateway | undefined;
afterEach(() => gateway?.close({ drainMs: 0 }));

const failing: Agent = {
  card: createReferenceAgent().card,
  // biome-ignore lint/correctness/useYield: it throws before
  async *execute() {
    throw new Error('broken inside');
  },
};

async function start(settings: string) {
  const lines: Line[] = [];
  const at =
    (level: string) =>
    (fields: object, msg: string): void =>
      void lines.push({ ...fields, level, msg });
  const logger: Logger = { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
  const text = `listen: { host: localhost, port: 0 }\nstore: "memory:"\nagents: { demo: { kind: reference } }\n${settings}`;
  const opened = await openGateway(text, { logger, agents: { failing } });
  ({ gateway } = opened);
  const { url } = opened;
  // Drop the lines about the start.
  lines.length = 0;
  const post = async (path: string, body: unknown, headers: Record<string, string> = {}): Promise<void> => {
    const sent = typeof body === 'string' ? body : JSON.stringify({ jsonrpc: '2.0', id: 1, ...(body as object) });
    const init = { method: 'POST', headers: { 'content-type': 'application/json', 'a2a-version': '1.0', ...headers } };
    await (await fetch(url + path, { ...init, body: sent })).text();
    // A line comes when the answer has left.
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { lines, post, url };
}

const send = (method: string, text: string) => ({
  method,
  params: { message: { messageId: 'm', role: 'ROLE_USER', parts: [{ text }] } },
});

it('the log of requests logs each request when configured: what, by whom, how long, and its result', async () => {
  const { lines, post } = await start('log: { requests: true }');
  const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
  await post('/demo', send('SendMessage', 'a secret'), { 'x-request-id': 'one', traceparent });
  await post('/demo', send('SendStreamingMessage', 'stream 3 1'), { 'x-request-id': 'two' });
  await post('/demo', { method: 'GetTask', params: { id: 'nobody' } }, { 'x-request-id': 'three' });
  await post('/demo', '{', { 'x-request-id': 'four' });
  await post('/nobody', {}, { 'x-request-id': 'five' });
  await expect.poll(() => lines.length).toBe(5);
  const byRequest = Object.fromEntries(lines.map((line) => [line.request, line]));
  const place = { level: 'info', principal: 'anonymous', binding: 'jsonrpc' };
  const call = { ...place, msg: 'request', agent: 'demo', dialect: 'a2a-1.0', ms: expect.any(Number) };
  expect(byRequest).toMatchObject({
    one: {
      ...call,
      operation: 'SendMessage',
      task: expect.any(String),
      trace: '0af7651916cd43dd8448eb211c80319c',
      span: 'b7ad6b7169203331',
      error: undefined,
    },
    two: { ...call, operation: 'SendStreamingMessage', task: expect.any(String), events: expect.any(Number) },
    three: { ...call, operation: 'GetTask', task: 'nobody', error: 'taskNotFound' },
    four: { ...place, msg: 'request refused', error: 'parse' },
    five: { level: 'info', msg: 'request refused', error: 'agentNotFound' },
  });
  expect(byRequest.two?.events).toBeGreaterThan(3);
  expect(JSON.stringify(lines)).not.toContain('secret');
  const docs = readFileSync(new URL('../../../docs/operate/tracing.md', import.meta.url), 'utf8');
  const fields = new Set(lines.flatMap((line) => Object.keys(line)));
  expect([...fields].filter((name) => !['level', 'msg'].includes(name) && !docs.includes(`\`${name}\``))).toEqual([]);
});

it('the log of requests logs no request by default', async () => {
  const { lines, post } = await start('');
  await post('/demo', send('SendMessage', 'hello'));
  await post('/demo', '{');
  expect(lines).toEqual([]);
});

it('the log of requests says whose a failure is', async () => {
  const { lines, post } = await start('');
  await post('/failing', send('SendMessage', 'hello'), { 'x-request-id': 'one' });
  expect(lines).toMatchObject([
    {
      level: 'error',
      msg: 'a call failed',
      request: 'one',
      principal: 'anonymous',
      agent: 'failing',
      binding: 'jsonrpc',
      dialect: 'a2a-1.0',
      operation: 'SendMessage',
    },
  ]);
});
