import { context, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { InMemorySpanExporter, SimpleSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import { afterEach, expect, it } from 'vitest';
import { createReferenceAgent } from '../../../src/agents/reference.ts';
import { callContext } from '../../../src/client/caller.ts';
import { parseConfig } from '../../../src/config/parse.ts';
import type { Agent } from '../../../src/core/model/agent.ts';
import type { Call } from '../../../src/core/model/call.ts';
import { createGateway } from '../../../src/gateway/compose/gateway.ts';
import { invokeOf } from '../../../src/transports/rpc/mount.ts';
import { silent } from '../../support/core.ts';
import { startOtlp } from '../../support/otlp.ts';

afterEach(() => {
  trace.disable();
  context.disable();
});

/** Makes a span of its own while it works, as instrumented code does. */
const agent: Agent = {
  card: createReferenceAgent().card,
  async *execute() {
    await new Promise((resolve) => setImmediate(resolve));
    trace.getTracer('mine').startSpan('inner').end();
    yield { message: { messageId: 'm', role: 'ROLE_AGENT', parts: [{ text: 'done' }] } };
  },
};

const send = {
  operation: 'SendMessage',
  request: { message: { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'hello' }] } },
  context: { ...callContext('agent', '', {}), principal: { id: 'me', anonymous: false } },
} as Call;

const config = (more = '') => parseConfig(`store: "memory:"\n${more}`, { file: '/sdk.yaml', env: {} });

it('the SDK that a program has registered gets the gateway’s spans, with nothing configured', async () => {
  const exporter = new InMemorySpanExporter();
  const provider = new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] });
  trace.setGlobalTracerProvider(provider);
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  const gateway = createGateway(config(), { logger: silent, agents: { agent } });
  await invokeOf(gateway)(send);
  await gateway.close({ drainMs: 0 });
  const spans = exporter.getFinishedSpans();
  const [inner, run, server] = ['inner', 'invoke_agent agent', 'A2A SendMessage'].map((name) =>
    spans.find((span) => span.name === name),
  );
  expect(server?.attributes).toMatchObject({ 'a2a.binding': 'local' });
  expect(run?.parentSpanContext?.spanId).toBe(server?.spanContext().spanId);
  // An agent's own code finds its run as the active span.
  expect(inner?.parentSpanContext?.spanId).toBe(run?.spanContext().spanId);
  expect(spans.every(({ instrumentationScope: { name } }) => name === 'a2a-gateway' || name === 'mine')).toBe(true);
});

it('an SDK of the configuration is that of agents, too, where the process is the gateway’s', async () => {
  const otlp = await startOtlp();
  const text = `tracing: { endpoint: "${otlp.url}" }`;
  const gateway = createGateway(config(text), { logger: silent, agents: { agent }, wholeProcess: true });
  await invokeOf(gateway)(send);
  await gateway.close({ drainMs: 2_000 });
  await otlp.close();
  const inner = otlp.spans.find(({ name }) => name === 'inner');
  expect(otlp.spans.find(({ spanId }) => spanId === inner?.parentId)?.name).toBe('invoke_agent agent');
  expect(trace.getTracer('mine').startSpan('later').isRecording()).toBe(false);
});

it('a configured SDK does not record spans of other code otherwise', async () => {
  const otlp = await startOtlp();
  const gateway = createGateway(config(`tracing: { endpoint: "${otlp.url}" }`), { logger: silent, agents: { agent } });
  await invokeOf(gateway)(send);
  await gateway.close({ drainMs: 2_000 });
  await otlp.close();
  expect(otlp.spans.map(({ name }) => name)).toContain('A2A SendMessage');
  expect(otlp.spans.map(({ name }) => name)).not.toContain('inner');
});
