/** Fastify: the gateway attached to the app's server. */
import { equal } from 'node:assert/strict';
import fastify from 'fastify';
import { callOver, gatewayWith } from './support.mjs';

const gateway = gatewayWith();
await gateway.start();
const app = fastify({ forceCloseConnections: true });
app.get('/own', async () => 'my own page');
await app.ready();
gateway.attach(app.server);
const url = await app.listen({ port: 0, host: 'localhost' });
equal(await (await fetch(`${url}/own`)).text(), 'my own page');
await callOver(url, 'jsonrpc', 'rest', 'grpc', 'connect');
await app.close();
await gateway.close();
