import express from 'express';
import { afterEach, expect, it } from 'vitest';
import { A2AError } from '../../../src/core/model/errors.ts';
import { createCors } from '../../../src/transports/http/cors.ts';
import { createOwnPages, type OwnPagesOptions } from '../../../src/transports/pages/own-pages.ts';
import { serve as listen } from '../../support/peer.ts';
import { ask, echo, post, rpc, type Serving, sendRequest, serve } from '../http/serving.ts';

let serving: Serving;
afterEach(() => serving.close());

/** The dispatcher with the pages behind it. */
async function start(over: Partial<OwnPagesOptions> = {}): Promise<string> {
  serving = await serve();
  const { dispatch } = serving;
  const pages = createOwnPages({
    agents: async () => [{ name: 'demo' }],
    openApi: () => ({ openapi: '3.1.0' }),
    catalog: async () => ({ base: 'http://gateway.example', agents: [], documents: [] }),
    ready: async () => ({ ready: true, body: { store: 'ok' } }),
    admit: async () => {},
    serves: () => true,
    cors: () => createCors([]),
    ...over,
  });
  return listen((req, res) => {
    if (!dispatch(req, res) && !pages(req, res)) dispatch.notFound(req, res);
  });
}

it('the pages beside A2A are there, and everything else is not', async () => {
  const url = await start();
  expect((await ask(`${url}/healthz`)).json).toEqual({ status: 'ok' });
  expect((await ask(`${url}/readyz`)).json).toEqual({ status: 'ready', store: 'ok' });
  expect((await ask(`${url}/agents`)).json).toEqual({ agents: [{ name: 'demo' }] });
  expect((await ask(`${url}/openapi.json`)).json).toEqual({ openapi: '3.1.0' });
  for (const path of ['/', '/nothing', '/healthz/x', '/%']) {
    const { status, json } = await ask(url + path);
    expect([status, json.error.code]).toEqual([404, 404]);
  }
  expect((await post(url, rpc('SendMessage', sendRequest))).json.result.message.parts).toEqual([{ text: 'hello' }]);
});

it('the pages beside A2A say who is refused, and what is not ready', async () => {
  const url = await start({
    agents: async () => {
      throw new A2AError('unauthenticated', 'who are you?');
    },
    ready: async () => ({ ready: false, body: { reason: 'the database is away' } }),
  });
  const agents = await ask(`${url}/agents`);
  expect([agents.status, agents.headers.has('www-authenticate')]).toEqual([401, true]);
  expect(agents.json.error).toMatchObject({ code: 401, status: 'UNAUTHENTICATED', message: 'who are you?' });
  const ready = await ask(`${url}/readyz`);
  expect([ready.status, ready.json.reason]).toEqual([503, 'the database is away']);
});

it('the pages beside A2A never show what went wrong inside', async () => {
  const url = await start({
    openApi: () => {
      throw new Error('secret');
    },
  });
  const { status, text } = await ask(`${url}/openapi.json`);
  expect([status, JSON.parse(text).error.message]).toEqual([500, 'Internal error']);
});

it('the pages beside A2A may be read by scripts of configured origins', async () => {
  const origin = 'https://console.example.com';
  const url = await start({ cors: () => createCors([origin]) });
  const { headers } = await ask(`${url}/agents`, { headers: { origin } });
  expect(headers.get('access-control-allow-origin')).toBe(origin);
  const preflight = await ask(`${url}/agents`, {
    method: 'OPTIONS',
    headers: { origin, 'access-control-request-method': 'GET' },
  });
  expect([preflight.status, preflight.headers.get('access-control-allow-methods')]).toEqual([204, 'GET, HEAD']);
  const other = await ask(`${url}/agents`, { headers: { origin: 'https://evil.example.com' } });
  expect(other.headers.get('access-control-allow-origin')).toBeNull();
});

it('the dispatcher as Express middleware serves below a mount path, after a body parser, and passes on what is not its own', async () => {
  serving = await serve({ invoke: echo });
  const { dispatch } = serving;
  const app = express();
  app.use(express.json());
  app.use('/gateway', (req, res, next) => {
    if (!dispatch(req, res)) next();
  });
  app.use((_, res) => {
    res.send('the app');
  });
  const url = await listen(app);
  for (const path of ['/gateway', '/gateway/', '/gateway/weather']) {
    expect((await post(url + path, rpc('SendMessage', sendRequest))).json.result.message.messageId).toBe('a1');
  }
  expect((await post(`${url}/gateway/message:send`, sendRequest)).json.message.messageId).toBe('a1');
  const odd = await post(`${url}/gateway`, '{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":{"a":"\\ud800"}}');
  expect(odd.json.error.code).toBe(-32700);
  const card = await ask(`${url}/gateway/weather/.well-known/agent-card.json`);
  expect(card.json.url).toBe(`${url}/gateway/weather`);
  for (const path of ['/', '/gateway', '/gateway/settings', '/demo']) {
    expect((await ask(url + path)).text).toBe('the app');
  }
});
