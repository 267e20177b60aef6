import { fileURLToPath } from 'node:url';
import { parseConfig } from '../../../src/config/parse.ts';
import { createGateway } from '../../../src/gateway/compose/gateway.ts';
import { silent } from '../../support/core.ts';

/**
 * A gateway in a process of its own, which a test may kill. Arguments: the store's URL, and more of the configuration, in
 * YAML. Tells its port by IPC.
 */

const [, , store = 'memory:', settings = ''] = process.argv;
const text = `
listen: { host: 127.0.0.1, port: 0 }
store: ${JSON.stringify(store)}
defaultAgent: demo
agents:
  demo: { kind: module, path: ../../support/agents/unrepeatable-agent.ts }
  facts: { kind: reference, knowledge: {} }
  resuming: { kind: module, path: ../../support/agents/resuming-agent.ts }
${settings}
`;
const config = parseConfig(text, { file: fileURLToPath(new URL('gateway.yaml', import.meta.url)) });
const { port } = await createGateway(config, { logger: silent }).listen();
process.send?.({ port });
// Without its parent it would live for ever.
process.once('disconnect', () => process.exit());
