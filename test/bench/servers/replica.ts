/** One gateway on a store that it may share with others. The argument is the store's URL. */
import { parseConfig } from '../../../src/config/parse.ts';
import { createGateway } from '../../../src/gateway/compose/gateway.ts';
import { report } from './child.ts';

const [url = 'memory:'] = process.argv.slice(2);
const yaml = `
listen: { port: 0 }
store: ${JSON.stringify(url)}
limits: { streams: 100000, streamsPerTask: 100000 }
log: { level: error }
agents: { demo: { kind: reference } }
`;
const gateway = createGateway(parseConfig(yaml, { file: '/bench.yaml' }));
const { port } = await gateway.listen();
report({ http: port, grpc: port });
