import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { bindings, connect } from '../../src/client/index.ts';
import { loadConfig } from '../../src/config/index.ts';
import { type Opened, openGateway } from '../support/gateway.ts';

/** The example with tokens of its own and tenants, over every binding. */

let gateway: Opened;
beforeAll(async () => {
  const file = fileURLToPath(new URL('../../examples/tenants/gateway.yaml', import.meta.url));
  gateway = await openGateway(await loadConfig(file, { port: 0 }));
});

const vias = bindings.map(({ name }) => name);

describe.each(vias)('over %s', (via) => {
  const contextId = `c-${via}`;

  async function say(token: string | undefined, text: string, tenant?: string): Promise<string> {
    const headers: Record<string, string> = token === undefined ? {} : { 'x-session': token };
    try {
      const client = await connect(`${gateway.url}/notes`, { via, headers, ...(tenant !== undefined && { tenant }) });
      try {
        const { message } = await client.send(text, { contextId });
        return message?.parts[0]?.text ?? '';
      } finally {
        await client.close();
      }
    } catch (thrown) {
      return (thrown as { kind: string }).kind;
    }
  }

  it(`over ${via} notes belong to a caller and a tenant`, async () => {
    expect(await say('token-of-ada', 'Buy bread')).toBe('Noted.');
    expect(await say('token-of-ada', 'list')).toBe('Notes of Ada of acme: Buy bread');
    expect(await say('token-of-bob', 'list')).toBe('No notes of Bob of acme.');
    expect(await say('token-of-eve', 'Sell bread', 'globex')).toBe('Noted.');
    expect(await say('token-of-eve', 'list', 'globex')).toBe('Notes of Eve of globex: Sell bread');
    expect(await say('token-of-eve', 'list', 'initech')).toBe('No notes of Eve of initech.');
  });

  it(`callers without a token of ours, of another tenant, or who may only read, are refused over ${via}`, async () => {
    expect(await say(undefined, 'list')).toBe('unauthenticated');
    expect(await say('token-of-mallory', 'list')).toBe('unauthenticated');
    expect(await say('token-of-ada', 'list', 'globex')).toBe('permissionDenied');
    expect(await say('token-of-bob', 'Buy wine')).toBe('permissionDenied');
  });
});

it('the card says how callers authenticate', async () => {
  const card = await (
    await fetch(`${gateway.url}/notes/.well-known/agent-card.json`, { headers: { 'a2a-version': '1.0' } })
  ).json();
  expect(card).toMatchObject({
    securitySchemes: { session: { apiKeySecurityScheme: { location: 'header', name: 'X-Session' } } },
  });
});
