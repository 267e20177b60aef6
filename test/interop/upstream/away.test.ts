import { describe, expect, it, vi } from 'vitest';
import { parseConfig } from '../../../src/config/parse.ts';
import type { Logger } from '../../../src/core/ports/logger.ts';
import { createGateway } from '../../../src/gateway/compose/gateway.ts';
import { afterTest, closedPortUrl } from '../../support/peer.ts';

/** Gateways before agents that are not there, and what their callers and their log get to know of it. */
async function bridge(url: string, settings: string) {
  const lines: { level: string; fields: object; message: string }[] = [];
  const at =
    (level: string) =>
    (fields: object, message: string): void =>
      void lines.push({ level, fields, message });
  const logger: Logger = { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
  const text = `
listen: { host: localhost, port: 0 }
store: "memory:"
defaultAgent: far
agents: { far: { kind: upstream, url: "${url}", ${settings} } }
`;
  const gateway = createGateway(parseConfig(text, { file: 'gateway.yaml' }), { logger });
  const listening = await gateway.listen();
  afterTest(() => gateway.close({ drainMs: 0 }));
  const send = async (): Promise<string> => {
    const message = { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'hello' }] };
    const response = await fetch(`${listening.url}/message:send`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'a2a-version': '1.0' },
      body: JSON.stringify({ message }),
    });
    return response.text();
  };
  return { lines, send };
}

const settings = [
  'dialect: auto',
  'dialect: a2a-1.0, transport: jsonrpc',
  'dialect: a2a-1.0, transport: rest',
  'dialect: a2a-1.0, transport: connect',
  'dialect: a2a-1.0, transport: grpc',
  'dialect: a2a-0.1, transport: jsonrpc',
];

describe.each(settings)('an agent that is not there, of %s', (setting) => {
  it('is told to callers as that, and its address is not', async () => {
    const url = await closedPortUrl();
    const { send, lines } = await bridge(url, setting);
    // From the fifth on, the circuit breaker answers.
    for (let call = 0; call < 7; call++) {
      const said = await send();
      expect(said).toMatch(/The upstream agent cannot be reached at the moment: /);
      expect(said).not.toMatch(/127\.0\.0\.1|localhost|https?:|is the gateway running/);
      expect(said).not.toContain(new URL(url).port);
    }
    // Those who look after the gateway find the address.
    expect(JSON.stringify(lines.map(({ fields }) => String((fields as { err?: Error }).err?.message)))).toContain(
      new URL(url).port,
    );
  });
});

it('the log says at the start which agent cannot be reached', async () => {
  const url = await closedPortUrl();
  const { lines } = await bridge(url, 'dialect: auto');
  await vi.waitFor(() =>
    expect(lines).toContainEqual({
      level: 'warn',
      fields: expect.objectContaining({ agent: 'far', url: expect.stringContaining(url) }),
      message: 'cannot reach the upstream agent; trying again',
    }),
  );
});
