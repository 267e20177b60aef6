import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createReferenceAgent } from '../../../src/agents/reference.ts';
import type { Agent } from '../../../src/core/model/agent.ts';
import { traceIdOf } from '../../../src/core/telemetry/trace-context.ts';
import { startReceiver } from '../../push/receiver.ts';
import { newFolder } from '../../support/folders.ts';
import { openGateway } from '../../support/gateway.ts';
import { startOtlp } from '../../support/otlp.ts';
import { afterTest } from '../../support/peer.ts';

/** The trace of work that goes on after the call that began it. */

const first = '0af7651916cd43dd8448eb211c80319c';
const second = '1af7651916cd43dd8448eb211c80319c';
const span = 'b7ad6b7169203331';

async function post(origin: string, traceId: string, params: object): Promise<{ readonly id: string }> {
  const response = await fetch(origin, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'a2a-version': '1.0',
      traceparent: `00-${traceId}-${span}-01`,
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'SendMessage', params }),
  });
  const { result } = (await response.json()) as { result: { task: { id: string } } };
  return result.task;
}

const message = (text: string, more: object = {}) => ({
  message: { messageId: 'm', role: 'ROLE_USER', parts: [{ text }], ...more },
});

/** Works until its gateway stops, and completes the task after that. */
const patient: Agent = {
  card: createReferenceAgent().card,
  async *execute(_, { taskId, contextId, signal }) {
    yield { statusUpdate: { taskId, contextId, status: { state: 'TASK_STATE_WORKING' } } };
    await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
  },
  async *resume({ id: taskId, contextId = '' }) {
    yield { statusUpdate: { taskId, contextId, status: { state: 'TASK_STATE_COMPLETED' } } };
  },
};

it('a task that is continued after a restart, and its notifications, belong to the trace of the call that opened it', async () => {
  const otlp = await startOtlp();
  afterTest(() => otlp.close());
  let isUp = false;
  const hook = await startReceiver(() => (isUp ? 204 : 500));
  afterTest(() => hook.close());
  const text = `store: "sqlite:${join(newFolder(), 'tasks.db')}"\ntracing: { endpoint: "${otlp.url}" }`;
  const before = await openGateway(text, { agents: { patient } });
  const configuration = { returnImmediately: true, taskPushNotificationConfig: { url: hook.url } };
  const { id } = await post(`${before.url}/patient`, first, { ...message('go'), configuration });
  await before.gateway.close({ drainMs: 100 });
  const sent = hook.got.length;
  isUp = true;
  const after = await openGateway(text, { agents: { patient } });
  await hook.until((got) => got.slice(sent).some(({ body }) => JSON.stringify(body).includes('COMPLETED')));
  await after.gateway.close({ drainMs: 2_000 });

  // Spans that the first gateway could not send before it ended arrive a moment later.
  await expect.poll(() => otlp.spans.map(({ name }) => name)).toContain('A2A SendMessage');
  const runs = otlp.spans.filter(({ name }) => name === 'invoke_agent patient');
  const call = otlp.spans.find(({ name }) => name === 'A2A SendMessage');
  const resumed = runs.filter(({ attributes }) => attributes['a2a.task.resumed'] === true);
  expect(call).toMatchObject({ traceId: first, parentId: span });
  expect(resumed).toMatchObject([{ traceId: first, parentId: call?.spanId, attributes: { 'a2a.task.id': id } }]);
  const traces = hook.got.slice(sent).map(({ headers }) => traceIdOf(String(headers.traceparent)));
  expect(new Set(traces)).toEqual(new Set([first]));
});

it('a notification that is delivered after a restart belongs to the trace of the call that opened its task', async () => {
  let isUp = false;
  const hook = await startReceiver(() => (isUp ? 204 : 500));
  afterTest(() => hook.close());
  const text = `store: "sqlite:${join(newFolder(), 'tasks.db')}"\nagents: { demo: { kind: reference } }`;
  const before = await openGateway(text);
  const configuration = { taskPushNotificationConfig: { url: hook.url } };
  await post(before.url, first, { ...message('hello'), configuration });
  await hook.until((got) => got.length > 0);
  await before.gateway.close({ drainMs: 100 });
  const sent = hook.got.length;
  isUp = true;
  const after = await openGateway(text);
  await hook.until((got) => got.length > sent);
  await after.gateway.close({ drainMs: 0 });
  // There are no spans: the trace is passed on as it came.
  expect(hook.got.map(({ headers }) => headers.traceparent)).toEqual(hook.got.map(() => `00-${first}-${span}-01`));
});

it('a turn in another trace refers to the one that opened the task', async () => {
  const otlp = await startOtlp();
  afterTest(() => otlp.close());
  const { gateway, url } = await openGateway(
    `tracing: { endpoint: "${otlp.url}" }\nagents: { demo: { kind: reference } }`,
  );
  const { id } = await post(url, first, message('ask'));
  await post(url, second, message('Ada', { taskId: id }));
  await gateway.close({ drainMs: 2_000 });
  const [opening, next] = otlp.spans.filter(({ name }) => name === 'invoke_agent demo');
  const [call] = otlp.spans.filter(({ name }) => name === 'A2A SendMessage');
  expect(opening).toMatchObject({ traceId: first, links: [] });
  expect(next).toMatchObject({ traceId: second, links: [{ traceId: first, spanId: call?.spanId }] });
});
