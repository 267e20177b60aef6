/** Hono on Node: the gateway attached to the app's server, and behind a route of it. */
import { equal } from 'node:assert/strict';
import { createAdaptorServer } from '@hono/node-server';
import { Hono } from 'hono';
import { callOver, close, gatewayWith, listening } from './support.mjs';

for (const mounted of [false, true]) {
  const gateway = gatewayWith();
  await gateway.start();
  const app = new Hono();
  app.get('/own', (context) => context.text('my own page'));
  if (mounted) app.all('*', (context) => gateway.fetch(context.req.raw, context.env));
  const server = createAdaptorServer({ fetch: app.fetch });
  if (!mounted) gateway.attach(server);
  const url = await listening(server);
  equal(await (await fetch(`${url}/own`)).text(), 'my own page');
  await callOver(url, 'jsonrpc', 'rest');
  close(server);
  await gateway.close();
}
