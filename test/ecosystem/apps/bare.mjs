/** The package alone: each binding, over its own listener. */
import { callOver, gatewayWith } from './support.mjs';

const gateway = gatewayWith({ listen: { host: 'localhost', port: 0 } });
const { url } = await gateway.listen();
await callOver(url, 'jsonrpc', 'rest', 'grpc', 'connect');
await gateway.close();
