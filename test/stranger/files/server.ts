import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { serve } from '@hono/node-server';
import { artifact, challenge, createGateway, createReferenceAgent, defineAgent } from 'a2a-gateway';
import express4 from 'express4';
import express5 from 'express5';
import fastify from 'fastify';
import { Hono } from 'hono';

/** An app of one's own with the gateway in it: `node server.ts FRAMEWORK`. Prints its URL. */

const sessions = new Map([
  ['token-of-ada', { id: 'ada', tenants: ['acme'] }],
  ['token-of-eve', { id: 'eve', tenants: ['globex'] }],
]);

const echo = defineAgent({
  name: 'Echo',
  description: 'Says who is calling.',
  execute: ({ text, tenant, principal }) => artifact({ content: `${text} from ${principal.id} of ${tenant}` }),
});

const gateway = createGateway({
  agents: { echo, demo: createReferenceAgent() },
  auth: {
    authenticate: ({ header }) => sessions.get(header('x-session') ?? '') ?? challenge('Session realm="echo"'),
  },
  store: 'memory:',
});
await gateway.start();

/** The gateway as middleware, or ahead of the app on the server's own port. */
const frameworks: Readonly<Record<string, () => Promise<Server>>> = {
  async http() {
    return createServer((req, res) => {
      gateway.middleware(req, res, () => {
        if (req.url === '/hello') res.end('hello');
        else res.writeHead(404).end();
      });
    });
  },
  async express4() {
    const app = express4();
    app.use(express4.json());
    app.get('/hello', (_req, res) => res.send('hello'));
    app.use(gateway.middleware);
    return createServer(app);
  },
  async express5() {
    const app = express5();
    app.get('/hello', (_req, res) => void res.send('hello'));
    const server = createServer(app);
    gateway.attach(server);
    return server;
  },
  async fastify() {
    const app = fastify();
    app.get('/hello', async () => 'hello');
    await app.ready();
    gateway.attach(app.server);
    return app.server;
  },
  async hono() {
    const app = new Hono();
    app.get('/hello', (c) => c.text('hello'));
    const server = serve({ fetch: app.fetch, port: 0, hostname: 'localhost' }) as Server;
    gateway.attach(server);
    return server;
  },
};

const create = frameworks[process.argv[2] ?? 'http'];
if (!create) throw new Error(`expected one of ${Object.keys(frameworks).join(', ')}`);
const server = await create();
if (!server.listening) await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve));
console.log(`http://localhost:${(server.address() as AddressInfo).port}`);
process.once('SIGTERM', async () => {
  await gateway.close({ drainMs: 0 });
  server.close();
  server.closeAllConnections();
});
