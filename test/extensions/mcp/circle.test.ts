import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Gateway } from '../../../src/index.ts';
import { openGateway } from '../../support/gateway.ts';
import { freePort } from '../../support/peer.ts';
import { type Tools, toolsAt } from './client.ts';

/** A gateway whose agent has the gateway itself for a server of tools. */

let gateway: Gateway;
let origin: string;

beforeAll(async () => {
  origin = `http://127.0.0.1:${await freePort()}`;
  const text = `
listen: { host: 127.0.0.1, port: ${new URL(origin).port} }
store: "memory:"
agents:
  demo: { kind: reference }
  loop: { kind: mcp, servers: { self: { url: ${origin}/mcp, timeout: 10s } } }
`;
  ({ gateway } = await openGateway(text));
});
afterAll(() => gateway.close({ drainMs: 0 }));

/** Waits until the gateway's own tools have come back to it. */
async function circled(tools: Tools, tool: string): Promise<void> {
  while (!(await tools.names()).includes(tool)) await new Promise((resolve) => setTimeout(resolve, 100));
}

it('a gateway that is a server of tools of its own calls its agents by way of itself', async () => {
  const tools = await toolsAt(`${origin}/mcp`);
  await circled(tools, 'loop__self_demo__echo');
  const { structured } = await tools.call('loop__self_demo__echo', { message: 'good day' });
  expect(structured).toMatchObject({ state: 'completed', text: 'good day' });
});

it('a gateway that is a server of tools of its own ends calls that go round and round', async () => {
  const { call } = await toolsAt(`${origin}/mcp`);
  const target_mcp_server_id = 'self';
  // A call that says how long it waits has its result: without that, each of the gateways would poll the next one.
  const patient = { wait_seconds: 20 };
  let given: Record<string, unknown> = { agent: 'demo', message: 'hello', ...patient };
  const depths: number[] = [];
  for (let depth = 1; depth <= 10; depth += 1) {
    const data = { target_mcp_server_id, tool_name: 'send_message', arguments: given };
    given = { agent: 'loop', data, ...patient };
    if (depth > 1 && depth < 8) continue;
    const { text } = await call('send_message', given);
    if (text.includes('has passed more than 8 gateways')) depths.push(depth);
    else expect(text).toContain('hello');
  }
  expect(depths).toEqual([9, 10]);
});

it('a gateway that is a server of tools of its own offers tools that come through it a bounded number of times', async () => {
  const { client } = await toolsAt(`${origin}/mcp`);
  for (;;) {
    const { tools } = await client.listTools();
    const deepest = Math.max(...tools.map(({ _meta }) => Number(_meta?.['a2a-gateway/hops'] ?? 0)));
    expect(deepest).toBeLessThanOrEqual(8);
    if (deepest > 2) break;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
});
