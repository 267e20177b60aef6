import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import express from 'express';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connect } from '../../../src/client/index.ts';
import { defaultConfig } from '../../../src/config/index.ts';
import { createGateway, type Gateway } from '../../../src/gateway/compose/gateway.ts';
import { silent } from '../../support/core.ts';
import { openGateway } from '../../support/gateway.ts';

/** A gateway that is mounted in an app's HTTP/1.1 server. */
describe('a card of a gateway that is mounted as middleware', () => {
  let gateway: Gateway;
  let server: Server;
  let url = '';
  beforeAll(async () => {
    gateway = createGateway(defaultConfig({ store: 'memory:' }), { logger: silent });
    await gateway.start();
    const app = express();
    app.use(gateway.middleware);
    server = createServer(app);
    await once(server.listen(0, '127.0.0.1'), 'listening');
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(async () => {
    server.close().closeAllConnections();
    await gateway.close({ drainMs: 0 });
  });

  it.each([
    ['/.well-known/agent-card.json', {}],
    ['/.well-known/agent-card.json', { 'a2a-version': '1.0' }],
    ['/.well-known/agent-card.json', { 'a2a-version': '0.3' }],
    ['/as/a2a-0.3/.well-known/agent-card.json', {}],
    ['/demo/.well-known/agent-card.json', {}],
  ])('promises no gRPC, which an HTTP/1.1 server does not speak: %s %j', async (path, headers) => {
    const text = await (await fetch(url + path, { headers: headers as Record<string, string> })).text();
    expect(text).toContain('JSONRPC');
    expect(text).toContain('HTTP+JSON');
    expect(text).not.toMatch(/grpc/i);
  });

  it('lists the interfaces that the app can serve', async () => {
    for (const via of ['jsonrpc', 'rest'] as const) {
      const client = await connect(url, { via });
      expect(await client.send('say hello')).toMatchObject({ message: { parts: [{ text: 'hello' }] } });
      await client.close();
    }
    await expect(connect(url, { via: 'grpc' })).rejects.toThrow(/gRPC/);
  });
});

it('a card of a gateway with its own listener lists gRPC', async () => {
  const { gateway, url } = await openGateway(defaultConfig({ store: 'memory:', port: 0 }));
  const client = await connect(url, { via: 'grpc' });
  expect(await client.send('say hello')).toMatchObject({ message: { parts: [{ text: 'hello' }] } });
  await client.close();
  await gateway.close({ drainMs: 0 });
});
