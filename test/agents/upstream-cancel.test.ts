import { expect, test } from 'vitest';
import { cancelUpstream } from '../../src/agents/upstream/cancel.ts';
import type { UpstreamConnection } from '../../src/agents/upstream/connection.ts';
import { IdMapping, noIds } from '../../src/agents/upstream/ids.ts';
import type { AgentContext } from '../../src/core/model/agent.ts';
import type { Call } from '../../src/core/model/call.ts';
import { A2AError } from '../../src/core/model/errors.ts';

test('an agent that has not answered a cancellation when the gateway stops waiting has timed out; the caller is still there', async () => {
  const waiting = new AbortController();
  const context = { taskId: 'ours', contextId: 'c', requestId: 'r', extensions: [], hops: 0, signal: waiting.signal };
  const invoke = ({ context: { signal } }: Call): Promise<never> => {
    const { promise, reject } = Promise.withResolvers<never>();
    signal.addEventListener('abort', () => reject(new A2AError('canceled', undefined, { cause: signal.reason })));
    waiting.abort();
    return promise;
  };
  const connection = { invoke, onRetry: () => undefined, errorForCaller: (thrown: unknown) => thrown };
  const turn = {
    upstreamTask: { id: 'theirs', contextId: 'c' },
    taskIsOver: false,
    ended: new Promise<void>(() => undefined),
    expectCancellation: () => undefined,
  };
  const canceling = cancelUpstream(
    connection as never as UpstreamConnection,
    new IdMapping(noIds, { agent: 'up', tenant: '', principal: 'p' }),
    context as never as AgentContext,
    30_000,
    turn as never,
  );
  await expect(canceling).rejects.toMatchObject({ kind: 'upstreamTimeout' });
});
