/** OpenTelemetry's SDK as a program registers it, by `NodeSDK` or by its parts: the gateway's spans are in it. */
import { equal } from 'node:assert/strict';
import { callOver, gatewayWith } from './support.mjs';

const finished = [];
const processor = {
  onStart() {},
  onEnd({ name }) {
    finished.push(name);
  },
  shutdown: async () => {},
  forceFlush: async () => {},
};

async function start() {
  if (process.env.SDK === 'node') {
    const { NodeSDK } = await import('@opentelemetry/sdk-node');
    const sdk = new NodeSDK({ spanProcessors: [processor], instrumentations: [] });
    sdk.start();
    return sdk;
  }
  const { NodeTracerProvider } = await import('@opentelemetry/sdk-trace-node');
  const provider = new NodeTracerProvider({ spanProcessors: [processor] });
  provider.register();
  return provider;
}

process.env.OTEL_METRICS_EXPORTER = 'none';
process.env.OTEL_LOGS_EXPORTER = 'none';
const sdk = await start();
const gateway = gatewayWith({ listen: { host: 'localhost', port: 0 } });
const { url } = await gateway.listen();
await callOver(url, 'jsonrpc');
await gateway.close();
await sdk.shutdown();
equal(
  finished.some((name) => /SendMessage/.test(name)),
  true,
  `spans: ${finished.join(', ')}`,
);
