/**
 * The gateway with its durable SQLite store before one upstream agent: `bridge.ts URL [SETTINGS]`, the settings of the
 * agent as JSON, and those of the gateway as a third argument. Reports when the upstream can be called.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseConfig } from '../../../src/config/parse.ts';
import { createGateway } from '../../../src/gateway/compose/gateway.ts';
import { report } from './child.ts';

const [url = '', settings = '{}', more = '{}'] = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), 'a2a-gateway-bench-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
const config = parseConfig(
  JSON.stringify({
    listen: { host: 'localhost', port: 0 },
    store: `sqlite:${join(folder, 'bench.db')}`,
    defaultAgent: 'behind',
    agents: { behind: { kind: 'upstream', url, ...JSON.parse(settings) } },
    ...JSON.parse(more),
  }),
  { file: join(folder, 'bench.yaml') },
);
const gateway = createGateway(config);
const { port } = await gateway.listen();
for (let ready = false; !ready; ) {
  const response = await fetch(`http://localhost:${port}/readyz`, { signal: AbortSignal.timeout(10_000) });
  ready = (await response.text()).includes('"dialect"');
  if (!ready) await new Promise((resolve) => setTimeout(resolve, 50));
}
report({ http: port, grpc: port });
