import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { parseConfig } from '../../../src/config/parse.ts';
import type { Logger } from '../../../src/core/ports/logger.ts';
import { openGateway } from '../../support/gateway.ts';
import { card10 } from '../../support/hostile-words.ts';
import { later } from '../../support/later.ts';
import { afterTest, bodyOf, closedPortUrl, sendJson, serve } from '../../support/peer.ts';
import { obligingAgent, wordsOf } from './hostile-bridge.ts';

/** Secrets of the gateway that a misbehaving agent must not see, and reports of its faults. */

/** Everything that was logged, as deep as one can look into it. */
function recorder(): { logger: Logger; text(): string } {
  const lines: string[] = [];
  const log = (fields: object, message: string): void => {
    lines.push(message, inspect(fields, { depth: 20, showHidden: true }), JSON.stringify(fields));
    for (const value of Object.values(fields)) if (value instanceof Error) lines.push(String(value.stack));
  };
  return { logger: { debug: log, info: log, warn: log, error: log }, text: () => lines.join('\n') };
}

/** A gateway in front of an agent, as a configuration has it, and everything that it sends and logs. */
async function configured(url: string, auth: string) {
  const log = recorder();
  const text = `listen: { host: localhost, port: 0 }
store: "memory:"
agents:
  up: { kind: upstream, url: "${url}", silence: 1s, auth: ${auth} }
`;
  const config = parseConfig(text, { file: '/trust.yaml' });
  const { gateway, url: origin } = await openGateway(config, { logger: log.logger });
  afterTest(() => gateway.close({ drainMs: 0 }));
  const said: string[] = [];
  const ask = async (path: string, body?: object): Promise<Response> => {
    const answer = await fetch(`${origin}${path}`, {
      headers: { 'content-type': 'application/json', 'a2a-version': '1.0' },
      ...(body && { method: 'POST', body: JSON.stringify(body) }),
    });
    said.push(inspect([...answer.headers]), await answer.clone().text());
    return answer;
  };
  /** The status of the answer to a message, and the error's text or the task. */
  const send = async () => {
    const answer = await ask('/message:send', {
      message: { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'go' }] },
    });
    // biome-ignore lint/suspicious/noExplicitAny: whatever came
    const json = (await answer.json()) as any;
    const { task, error } = json;
    return {
      status: answer.status,
      text: task ? `${task.status.state} ${wordsOf(task.status.message)}` : error.message,
    };
  };
  return { origin, ask, send, everything: () => `${said.join('\n')}\n${log.text()}` };
}

const secret = 'top-secret-4711';

describe('credentials that an agent refuses', () => {
  const schemes: readonly (readonly [type: string, auth: string])[] = [
    ['a token', `{ type: bearer, token: ${secret} }`],
    ['a key', `{ type: apiKey, key: ${secret}, header: X-Their-Key }`],
    ['a password', `{ type: basic, username: gw, password: ${secret} }`],
  ];

  it.each(schemes)('credentials that an agent refuses are reported as refused and never shown: %s', async (_, auth) => {
    const agent = await obligingAgent();
    const { send, ask, everything } = await configured(agent.url, auth);
    const shown: string[] = [];
    agent.gate = (path, headers, res) => {
      shown.push(inspect(headers));
      if (!path.startsWith('/rpc')) return false;
      // Some agents repeat what they were shown.
      res.writeHead(401, { 'www-authenticate': `Bearer error="${inspect(headers)}"`.replaceAll(/[\n"]/g, ' ') }).end();
      return true;
    };
    const { status: code, text } = await send();
    expect([code, text]).toEqual([502, expect.stringMatching(/does not accept the credentials of the gateway/)]);
    await ask('/readyz');
    await ask('/.well-known/agent-card.json');
    const encoded = Buffer.from(`gw:${secret}`).toString('base64');
    expect(shown.some((headers) => headers.includes(secret) || headers.includes(encoded))).toBe(true);
    expect(everything()).not.toContain(secret);
    expect(everything()).not.toContain(encoded);
  });

  it('credentials that an agent refuses are not sent to another origin to which cards, calls and token URLs lead', async () => {
    const seen: string[] = [];
    const elsewhere = await serve((req, res) => {
      seen.push(inspect(req.headers));
      res.writeHead(404).end();
    });
    const agent = await obligingAgent();
    agent.card = card10(`${elsewhere}/rpc`, 'JSONRPC');
    const { send, everything } = await configured(agent.url, `{ type: bearer, token: ${secret} }`);
    await send();
    agent.card = undefined;
    agent.gate = (path, _, res) => {
      if (!path.startsWith('/rpc')) return false;
      res.writeHead(307, { location: `${elsewhere}/rpc` }).end();
      return true;
    };
    later(400_000);
    await expect.poll(async () => (await send()).text).toMatch(/redirects/);
    expect(seen.length).toBeGreaterThan(0);
    expect(seen.join()).not.toContain(secret);
    expect(everything()).not.toContain(secret);
  });
});

describe('tokens of the client-credentials grant', () => {
  /** A token endpoint that grants token-1, token-2 and so on. */
  async function tokens() {
    const requests: string[] = [];
    const url = await serve(async (req, res) => {
      requests.push(await bodyOf(req));
      sendJson(res, { access_token: `${secret}-${requests.length}`, token_type: 'bearer', expires_in: 3600 });
    });
    return { requests, auth: `{ type: oauth2, tokenUrl: "${url}/token", clientId: gw, clientSecret: ${secret} }` };
  }

  it('tokens of the client-credentials grant are fetched again once when they are refused, and no more', async () => {
    const agent = await obligingAgent();
    const { requests, auth } = await tokens();
    const shown: string[] = [];
    agent.gate = (path, { authorization = '' }, res) => {
      if (!path.startsWith('/rpc')) return false;
      shown.push(authorization);
      res.writeHead(401, { 'www-authenticate': 'Bearer' }).end();
      return true;
    };
    const { send, everything } = await configured(agent.url, auth);
    const { status: code, text } = await send();
    expect([code, text]).toEqual([502, expect.stringMatching(/does not accept the credentials/)]);
    expect(shown).toEqual([`Bearer ${secret}-1`, `Bearer ${secret}-2`]);
    expect(requests).toHaveLength(2);
    expect(everything()).not.toContain(secret);
  });

  it('tokens of the client-credentials grant cannot be fetched from an endpoint that is down', async () => {
    const agent = await obligingAgent();
    const issuer = await closedPortUrl();
    const auth = `{ type: oauth2, tokenUrl: "${issuer}/token", clientId: gw, clientSecret: ${secret} }`;
    const { send, everything } = await configured(agent.url, auth);
    const { status: code, text } = await send();
    expect([code, text]).toEqual([502, expect.stringMatching(/no access token from it: connection refused$/)]);
    expect(everything()).not.toContain(secret);
  });
});
