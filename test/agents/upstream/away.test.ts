import { createServer } from 'node:http';
import { describe, expect, it, vi } from 'vitest';
import { parseConfig } from '../../../src/config/parse.ts';
import type { Logger } from '../../../src/core/ports/logger.ts';
import { createGateway } from '../../../src/gateway/compose/gateway.ts';
import { afterTest, closedPortUrl, listenOn } from '../../support/peer.ts';

/** Gateways before unreachable agents: what callers and the log get. */
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

describe.each(settings)('an unreachable agent, configured with %s', (setting) => {
  it(`an unreachable agent, configured with ${setting} is reported to callers without its address`, async () => {
    const url = await closedPortUrl();
    const { send, lines } = await bridge(url, setting);
    // From the fifth on, the circuit breaker answers.
    for (let call = 0; call < 7; call++) {
      const said = await send();
      expect(said).toMatch(/The upstream agent cannot be reached at the moment: /);
      expect(said).not.toMatch(/127\.0\.0\.1|localhost|https?:|is the gateway running/);
      expect(said).not.toContain(new URL(url).port);
    }
    // The operator finds the address in the log.
    expect(JSON.stringify(lines.map(({ fields }) => String((fields as { err?: Error }).err?.message)))).toContain(
      new URL(url).port,
    );
  });
});

/** An agent without an agent's answers, at a path that is a secret, as of a webhook. */
async function strange(status: number): Promise<string> {
  const server = createServer((_, res) => res.writeHead(status, { 'content-type': 'text/html' }).end('<p>No'));
  const { origin } = await listenOn(server);
  return `${origin}/secret-path/`;
}

describe.each(settings.filter((setting) => !setting.includes('grpc')))(
  'an HTTP server that is not an agent, configured with %s',
  (setting) => {
    it.each(setting === 'dialect: auto' ? [200, 404, 403, 500] : [404])(
      `an HTTP server that is not an agent, configured with ${setting} is reported to callers without the path of its URL when it answers HTTP %d`,
      async (status) => {
        const url = await strange(status);
        const { send } = await bridge(url, setting);
        const said = await send();
        expect(said).toMatch(/upstream agent/i);
        expect(said).not.toMatch(/127\.0\.0\.1|https?:|secret-path|agent-card|message:/);
      },
    );
  },
);

it('the log names an agent that cannot be reached at the start', async () => {
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
