import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect as connectHttp2, createServer as createHttp2Server } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import { connect } from '../../src/client/index.ts';
import { afterTest } from '../support/peer.ts';
import { key, message, startGateway } from './gateways.ts';

/** A gateway that is attached to a server of Node without TLS. */

it('a gateway that is attached to a server serves every binding over HTTP/2 by prior knowledge, and leaves HTTP/1.1 to the app', async () => {
  const gateway = await startGateway();
  const server = createServer((_, res) => res.end('my own page'));
  gateway.attach(server);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  afterTest(() => server.close().closeAllConnections());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  const session = connectHttp2(url);
  afterTest(() => session.destroy());
  const call = async (path: string, body?: object): Promise<[status: number, text: string]> => {
    const headers = { ':method': body ? 'POST' : 'GET', ':path': path, 'x-api-key': key, 'a2a-version': '1.0' };
    const sent = session.request({ ...headers, ...(body && { 'content-type': 'application/json' }) });
    sent.end(body && JSON.stringify(body));
    const [head] = await once(sent, 'response');
    let text = '';
    for await (const chunk of sent) text += chunk;
    return [head[':status'], text];
  };
  const params = { message: message('say hi') };
  const hi = [200, expect.stringContaining('"hi"')];
  expect(await call('/', { jsonrpc: '2.0', id: 1, method: 'SendMessage', params })).toEqual(hi);
  expect(await call('/message:send', params)).toEqual(hi);
  expect(await call('/lf.a2a.v1.A2AService/SendMessage', params)).toEqual(hi);
  expect(await call('/.well-known/agent-card.json')).toEqual([200, expect.stringContaining('GRPC')]);
  expect((await call('/page'))[0]).toBe(404);
  const client = await connect(url, { via: 'grpc', apiKey: key });
  afterTest(() => client.close());
  expect(await client.send('say hi')).toMatchObject({ message: { parts: [{ text: 'hi' }] } });
  expect(await (await fetch(`${url}/page`)).text()).toBe('my own page');
});

it('a gateway that is attached to a server is refused by a server of node:http2, whose app would get no request any more', async () => {
  const gateway = await startGateway();
  expect(() => gateway.attach(createHttp2Server() as never)).toThrow(/gateway\.listen\(\)/);
});
