import { describe, expect, it } from 'vitest';
import type { StreamResponse } from '../../../src/core/model/a2a.ts';
import { type CallContext, isStream } from '../../../src/core/model/call.ts';
import { createDialects } from '../../../src/dialects/registry.ts';
import { createJsonRpcClient } from '../../../src/transports/jsonrpc/client.ts';
import { encodeSse } from '../../../src/wire/sse.ts';
import { contextFor } from '../../support/core.ts';
import { afterTest, bodyOf, sendJson, serve } from '../../support/peer.ts';

const dialect = createDialects().byName.get('agentvault-0.2');
if (dialect === undefined) throw new Error('there is no AgentVault dialect');

const context = (): CallContext => contextFor('demo', { requestId: 'r1' });

const time = '2026-01-02T03:04:05.000Z';
const vaultTask = (id: string, state: string) => ({
  id,
  state,
  createdAt: time,
  updatedAt: time,
  messages: [],
  artifacts: [{ id: 'a', type: 'text', content: 'Paris' }],
});

/** An AgentVault agent as the real library's server behaves: ids only, named events, errors as events. */
async function vault(): Promise<{ url: string; methods: string[] }> {
  const methods: string[] = [];
  const url = await serve(async (req, res) => {
    const { method, id, params } = JSON.parse(await bodyOf(req));
    methods.push(method);
    const result = (value: unknown) => sendJson(res, { jsonrpc: '2.0', id, result: value });
    if (method === 'tasks/send') return result({ id: 'av1' });
    if (method === 'tasks/get')
      return result(vaultTask(params.id, methods[0] === 'tasks/cancel' ? 'CANCELED' : 'COMPLETED'));
    if (method === 'tasks/cancel') return result({ success: true });
    res.writeHead(200, { 'content-type': 'text/event-stream' });
    if (params.id !== 'av1') {
      res.end(
        encodeSse({ event: 'error', data: JSON.stringify({ error: 'task_not_found', message: 'no such task' }) }),
      );
      return;
    }
    for (const state of ['WORKING', 'COMPLETED']) {
      const data = JSON.stringify({ taskId: 'av1', state, timestamp: time, message: null });
      res.write(encodeSse({ event: 'task_status', data }));
    }
    res.end();
  });
  return { url, methods };
}

describe('a client of an AgentVault agent', () => {
  const open = (url: string) => {
    const client = createJsonRpcClient({ url, dialect, timeout: 5000 });
    afterTest(() => client.close());
    return client;
  };
  const message = { messageId: 'm', role: 'ROLE_USER' as const, parts: [{ text: 'capital of France?' }] };

  it('a client of an AgentVault agent sends in two steps what v1 does in one', async () => {
    const { url, methods } = await vault();
    const reply = await open(url).invoke({ operation: 'SendMessage', request: { message }, context: context() });
    expect(reply).toMatchObject({
      value: {
        task: { id: 'av1', status: { state: 'TASK_STATE_COMPLETED' }, artifacts: [{ parts: [{ text: 'Paris' }] }] },
      },
    });
    expect(methods).toEqual(['tasks/send', 'tasks/get']);
  });

  it('a client of an AgentVault agent streams in two steps', async () => {
    const { url, methods } = await vault();
    const reply = await open(url).invoke({
      operation: 'SendStreamingMessage',
      request: { message },
      context: context(),
    });
    if (!isStream(reply)) throw new Error('not a stream');
    const events: StreamResponse[] = [];
    for await (const { event } of reply.events) events.push(event);
    expect(methods).toEqual(['tasks/send', 'tasks/sendSubscribe']);
    const states = events.map(({ task, statusUpdate }) => (task ?? statusUpdate)?.status.state);
    expect(states.at(-1)).toBe('TASK_STATE_COMPLETED');
    expect(states).toContain('TASK_STATE_WORKING');
  });

  it('a client of an AgentVault agent names the task where the answer does not', async () => {
    const { url } = await vault();
    const reply = await open(url).invoke({ operation: 'CancelTask', request: { id: 'av1' }, context: context() });
    expect(reply).toMatchObject({ value: { id: 'av1', status: { state: 'TASK_STATE_CANCELED' } } });
  });

  it('a client of an AgentVault agent refuses, when it is strict, what the agent could have used, and nothing else', async () => {
    const { url, methods } = await vault();
    const client = createJsonRpcClient({ url, dialect, timeout: 5000, strict: true });
    afterTest(() => client.close());
    const send = (request: object) =>
      client.invoke({ operation: 'SendMessage', request: request as { message: typeof message }, context: context() });
    await expect(send({ message: { ...message, contextId: 'c1' } })).rejects.toMatchObject({
      kind: 'invalidParams',
      violations: [{ field: 'message.contextId', description: 'cannot be said in agentvault-0.2' }],
    });
    await expect(send({ message, metadata: { a: 1 } })).rejects.toThrow(/agentvault-0\.2 cannot say metadata/);
    expect(methods).toEqual([]);
    const configuration = { returnImmediately: false, historyLength: 1 };
    expect(await send({ message, configuration })).toMatchObject({ value: { task: { id: 'av1' } } });
  });

  it('a client of an AgentVault agent leaves out what it cannot say when it is not strict, and notes it', async () => {
    const { url } = await vault();
    const [cx, request] = [context(), { message: { ...message, contextId: 'c1' } }];
    await open(url).invoke({ operation: 'SendMessage', request, context: cx });
    expect(cx.notes.losses).toContain('message.contextId');
  });

  it('a client of an AgentVault agent rejects when a stream is refused by its first event', async () => {
    const { url } = await vault();
    const call = open(url).invoke({ operation: 'SubscribeToTask', request: { id: 'other' }, context: context() });
    await expect(call).rejects.toMatchObject({ kind: 'taskNotFound' });
  });

  it('a client of an AgentVault agent says which operations there are not', async () => {
    const { url } = await vault();
    const call = open(url).invoke({ operation: 'ListTasks', request: {}, context: context() });
    await expect(call).rejects.toMatchObject({
      kind: 'unsupportedOperation',
      message: 'ListTasks does not exist in agentvault-0.2',
    });
  });
});
