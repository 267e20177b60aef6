/** Express 4 and 5: the gateway as a middleware of the app, and attached to its server. */
import { equal } from 'node:assert/strict';
import { createServer } from 'node:http';
import express from 'express';
import { callOver, close, gatewayWith, listening } from './support.mjs';

for (const attached of [false, true]) {
  const gateway = gatewayWith();
  await gateway.start();
  const app = express();
  app.get('/own', (_, response) => response.send('my own page'));
  if (!attached) app.use(gateway.middleware);
  const server = createServer(app);
  if (attached) gateway.attach(server);
  const url = await listening(server);
  equal(await (await fetch(`${url}/own`)).text(), 'my own page');
  await callOver(url, 'jsonrpc', 'rest', ...(attached ? ['grpc'] : []));
  close(server);
  await gateway.close();
}
