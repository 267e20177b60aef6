import { describe, expect, it } from 'vitest';
import { errors, type Speech } from '../../support/hostile-agent.ts';
import { bridged } from './hostile-bridge.ts';

/** Clients whose answer to a message is the id of a task alone learn of a refusal in its place. */

const own = { code: -32050, status: 500, reason: 'OVEN', message: 'no such work' };
const unsupported = { ...errors.unsupported, message: 'no such work' };

describe.each<[Speech, typeof unsupported | typeof own, number]>([
  ['a2a-1.0 jsonrpc', unsupported, -32000],
  ['a2a-1.0 rest', unsupported, -32000],
  ['a2a-0.3 jsonrpc', own, -32050],
  ['agentvault', unsupported, -32004],
  ['agentvault', own, -32050],
])('an agent of %s that refuses a message of a client of AgentVault', (speech, refuse, code) => {
  it(`an agent of ${speech} that refuses a message of a client of AgentVault is the error of the call, with its message, and no task is left`, async () => {
    const { bridge, client } = await bridged(speech, [(exchange) => exchange.refuse(refuse)], {
      SendMessage: (exchange) => exchange.refuse(refuse),
    });
    const params = { message: { role: 'user', parts: [{ type: 'text', content: 'go' }] } };
    const response = await fetch(`${bridge.origin}/up/as/agentvault-0.2/`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 'req-1', method: 'tasks/send', params }),
    });
    const { result, error } = (await response.json()) as {
      result?: unknown;
      error?: { code: number; message: string };
    };
    expect(result).toBeUndefined();
    expect(error?.code).toBe(code);
    expect(error?.message).toContain('no such work');
    expect((await client.listTasks({})).tasks).toEqual([]);
  });
});
