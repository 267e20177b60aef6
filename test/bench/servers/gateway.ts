/**
 * The gateway with its durable SQLite store, as `serve` runs it. `mounted` mounts it in a stock Express app instead of
 * listening by itself.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import express from 'express';
import { defaultConfig } from '../../../src/config/index.ts';
import { createGateway } from '../../../src/gateway/compose/gateway.ts';
import { report } from './child.ts';

const [mode] = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), 'a2a-gateway-bench-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
const gateway = createGateway(defaultConfig({ port: 0, store: `sqlite:${join(folder, 'bench.db')}` }));
if (mode === 'mounted') {
  await gateway.start();
  const app = express();
  app.use(gateway.middleware);
  const server = createServer(app);
  server.listen(0, '127.0.0.1', () => report({ http: (server.address() as AddressInfo).port }));
} else {
  const { port } = await gateway.listen();
  report({ http: port, grpc: port });
}
