import { expect, it } from 'vitest';
import { createReferenceAgent } from '../../../src/agents/reference.ts';
import { connect } from '../../../src/client/index.ts';
import type { Agent } from '../../../src/core/model/agent.ts';
import { openGateway } from '../../support/gateway.ts';
import { type OtlpReceiver, type ReceivedSpan, startOtlp } from '../../support/otlp.ts';
import { afterTest } from '../../support/peer.ts';

/** Spans of the runs of agents, by the semantic conventions for generative AI. */

async function receiver(): Promise<OtlpReceiver> {
  const otlp = await startOtlp();
  afterTest(() => otlp.close());
  return otlp;
}

/** Reports what each of two answers of a model took, as ADK does. */
const costly: Agent = {
  card: { ...createReferenceAgent().card, version: '7.1' },
  async *execute(_, { taskId, contextId }) {
    const ids = { taskId, contextId };
    const status = { state: 'TASK_STATE_WORKING' } as const;
    const used = (promptTokenCount: number, candidatesTokenCount: number) => ({
      adk_usage_metadata: { promptTokenCount, candidatesTokenCount },
      'gen_ai.usage.cost': 0.25,
      'gen_ai.provider.name': 'gcp.gemini',
    });
    yield { statusUpdate: { ...ids, status, metadata: used(415, 15) } };
    yield { artifactUpdate: { ...ids, artifact: { artifactId: 'a', parts: [{ text: 'x' }] }, metadata: used(600, 5) } };
    yield { statusUpdate: { ...ids, status: { state: 'TASK_STATE_COMPLETED' } } };
  },
};

const spansOf = ({ spans }: OtlpReceiver, name: string): readonly ReceivedSpan[] =>
  spans.filter((span) => span.name === name);

it('a run says what its agent used and what it cost, here and behind another gateway', async () => {
  const otlp = await receiver();
  const tracing = `tracing: { endpoint: "${otlp.url}" }`;
  const far = await openGateway(tracing, { agents: { costly } });
  const near = await openGateway(`${tracing}\nagents: { far: { kind: upstream, url: "${far.url}/costly" } }`);
  const client = await connect(near.url, { as: 'a2a-1.0' });
  const answer = await client.send('hello');
  await client.close();
  await near.gateway.close({ drainMs: 2_000 });
  await far.gateway.close({ drainMs: 2_000 });
  const used = {
    'gen_ai.operation.name': 'invoke_agent',
    'gen_ai.agent.version': '7.1',
    'gen_ai.conversation.id': expect.any(String),
    'gen_ai.provider.name': 'gcp.gemini',
    'gen_ai.usage.input_tokens': 1_015,
    'gen_ai.usage.output_tokens': 20,
    'gen_ai.usage.cost': 0.5,
  };
  expect(answer).toBeDefined();
  // Internal where the agent runs here, a client where it is elsewhere.
  expect(spansOf(otlp, 'invoke_agent costly')).toMatchObject([{ kind: 1, attributes: used }]);
  expect(spansOf(otlp, 'invoke_agent far')).toMatchObject([{ kind: 3, attributes: used }]);
  const [first, ...others] = otlp.spans.filter(({ name }) => !name.startsWith('A2A Get')).map(({ traceId }) => traceId);
  expect(new Set(others)).toEqual(new Set([first]));
});

it('a call that an agent makes to another agent here is no call of a server', async () => {
  const otlp = await receiver();
  const asking: Agent = {
    card: createReferenceAgent().card,
    async *execute(_, { agent }) {
      await agent('demo').send('hello');
      yield { message: { messageId: 'm', role: 'ROLE_AGENT', parts: [{ text: 'done' }] } };
    },
  };
  const text = `tracing: { endpoint: "${otlp.url}" }\nagents: { demo: { kind: reference } }`;
  const { gateway, url } = await openGateway(text, { agents: { asking } });
  const client = await connect(`${url}/asking`, { as: 'a2a-1.0' });
  await client.send('hello');
  await client.close();
  await gateway.close({ drainMs: 2_000 });
  const called = otlp.spans.find(
    ({ name, attributes }) => name.startsWith('A2A Send') && attributes['gen_ai.agent.name'] === 'demo',
  );
  expect(called).toMatchObject({ kind: 1, attributes: { 'a2a.binding': 'local' } });
  expect(otlp.spans.find(({ spanId }) => spanId === called?.parentId)?.name).toBe('invoke_agent asking');
});
