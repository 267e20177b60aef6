/**
 * The gateway with its durable SQLite store, as `serve` runs it. `mounted` mounts it in a stock Express app instead of
 * letting it listen; any other argument is JSON with more of its configuration.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import express from 'express';
import { parseConfig } from '../../../src/config/parse.ts';
import { createGateway } from '../../../src/gateway/compose/gateway.ts';
import { report } from './child.ts';

const [mode = '{}'] = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), 'a2a-gateway-bench-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
const config = {
  listen: { host: 'localhost', port: 0 },
  store: `sqlite:${join(folder, 'bench.db')}`,
  agents: { demo: { kind: 'reference' } },
  ...(mode === 'mounted' ? {} : JSON.parse(mode)),
};
const gateway = createGateway(parseConfig(JSON.stringify(config), { file: join(folder, 'bench.yaml') }));
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
