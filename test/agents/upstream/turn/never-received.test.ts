import { expect, it } from 'vitest';
import { openGateway } from '../../../support/gateway.ts';
import { afterTest, freePort } from '../../../support/peer.ts';
import { startBridge } from '../../../support/upstreams.ts';

const hour = 3_600_000;

/** An agent whose port is closed until `start` is called. */
async function lateAgent() {
  const port = await freePort();
  const text = `listen: { host: localhost, port: ${port} }\nstore: "memory:"\nagents: { demo: { kind: reference } }\n`;
  return {
    url: `http://localhost:${port}/`,
    async start(): Promise<void> {
      const { gateway } = await openGateway(text);
      afterTest(() => gateway.close({ drainMs: 0 }));
    },
  };
}

it.each([
  ['the port is closed', { failures: 1_000 }],
  ['the circuit breaker is open', { failures: 1, cooldown: 200 }],
])('an idempotency key is free again when %s at the agent', async (_, breaker) => {
  const agent = await lateAgent();
  const bridge = await startBridge({
    far: { url: agent.url, dialect: 'a2a-1.0', transport: 'jsonrpc', breaker, cardAge: hour },
  });
  const client = await bridge.client('far');
  const far = (text: string): Promise<Response> =>
    fetch(`${bridge.origin}/far`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'a2a-version': '1.0', 'idempotency-key': 'once' },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'SendMessage',
        params: { message: { messageId: 'm', role: 'ROLE_USER', parts: [{ text }] } },
      }),
    });
  for (let i = 0; i < 3; i += 1) {
    const { error } = (await (await far('hello')).json()) as { error?: { data?: unknown } };
    expect(JSON.stringify(error?.data)).toContain('UPSTREAM_UNREACHABLE');
  }
  // Another request under the key is not refused either: there was no first one.
  await agent.start();
  await expect.poll(async () => JSON.stringify(await (await far('say hi')).json())).toContain('"text":"hi"');
  expect(JSON.stringify(await (await far('hello')).json())).toContain('IDEMPOTENCY');
  expect((await client.call('ListTasks', {})).tasks).toEqual([]);
});
