/** `tracing` of the configuration: traces, metrics and log lines are sent over OTLP, or the versions that lack are named. */
import { deepEqual, match } from 'node:assert/strict';
import { createServer } from 'node:http';
import { checkConfig } from './check-config.mjs';
import { callOver, close, gatewayWith, listening } from './support.mjs';

if (process.env.REFUSED) {
  match(await checkConfig('tracing: { endpoint: "http://localhost:4318" }\n'), new RegExp(process.env.REFUSED));
  process.exit();
}
const paths = new Set();
const receiver = createServer((request, response) => {
  paths.add(request.url);
  request.resume().on('end', () => response.setHeader('content-type', 'application/x-protobuf').end());
});
const endpoint = await listening(receiver);
match(await checkConfig(`tracing: { endpoint: "${endpoint}", metrics: 1s, logs: true }\n`), /^$/);
const gateway = gatewayWith({
  listen: { host: 'localhost', port: 0 },
  tracing: { endpoint, metrics: '1s', logs: true },
});
const { url } = await gateway.listen();
await callOver(url, 'jsonrpc');
await gateway.close();
close(receiver);
deepEqual([...paths].sort(), ['/v1/logs', '/v1/metrics', '/v1/traces']);
