import { expect, test } from 'vitest';
import type { Call } from '../../src/core/model/call.ts';
import { createDialects } from '../../src/dialects/kernel/registry.ts';
import { createJsonRpcClient } from '../../src/transports/jsonrpc/client.ts';
import { contextFor } from '../support/core.ts';
import { serve } from '../support/peer.ts';

const dialect = createDialects().byName.get('agentvault-0.2');
if (!dialect) throw new Error('no dialect');

const call: Call = {
  operation: 'SendMessage',
  request: { message: { messageId: 'm1', role: 'ROLE_USER', parts: [{ text: 'hi', metadata: { a: 1 } }] } },
  context: contextFor('demo'),
};

test('a strict client refuses what its dialect cannot say, and sends nothing', async () => {
  let requests = 0;
  const url = await serve((_req, res) => {
    requests += 1;
    res.writeHead(500).end();
  });
  const strict = createJsonRpcClient({ url, dialect, strict: true });
  const refused = await strict.invoke(call).catch((thrown: unknown) => thrown);
  strict.close();
  expect(refused).toMatchObject({
    kind: 'invalidParams',
    violations: expect.arrayContaining([
      { field: 'message.parts.metadata', description: 'cannot be said in agentvault-0.2' },
    ]),
  });
  expect(requests).toBe(0);

  const lenient = createJsonRpcClient({ url, dialect });
  await expect(lenient.invoke(call)).rejects.toMatchObject({ kind: 'invalidAgentResponse' });
  lenient.close();
  expect(requests).toBe(1);
  expect(call.context.notes.losses).toContain('message.parts.metadata');
});
