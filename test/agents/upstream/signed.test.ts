import { inspect } from 'node:util';
import { describe, expect, it, vi } from 'vitest';
import type { Logger } from '../../../src/core/ports/logger.ts';
import { canonicalJson } from '../../../src/wire/canonical-json.ts';
import { askAdmin } from '../../support/admin.ts';
import { signatureOver, signedBySdk, type TestKey, testFolder, testKey } from '../../support/card-keys.ts';
import { v1Card } from '../../support/cards.ts';
import { silent } from '../../support/core.ts';
import { openGateway } from '../../support/gateway.ts';
import { later } from '../../support/later.ts';
import { afterTest, bodyOf, closedPortUrl, sendJson, serve } from '../../support/peer.ts';

/** Upstream agents whose cards must be signed with a key that the operator trusts. */

const cardPath = '/.well-known/agent-card.json';
const keysPath = '/.well-known/jwks.json';

interface Upstream {
  readonly url: string;
  /** The card as it is served, and as it can be changed. */
  card: (unsigned: Record<string, unknown>) => object | Promise<object>;
  /** The keys at `keysPath`; undefined: nothing is there. */
  keys: readonly TestKey[] | undefined;
  readonly requests: string[];
}

const unsignedCard = (url: string): Record<string, unknown> => ({
  ...v1Card(url, { skills: [{ id: 'say', name: 'Say', description: 'Says it', tags: ['say'] }] }),
  name: 'Signed agent',
});

/** An agent that answers every message with a message. */
async function upstream(...keys: TestKey[]): Promise<Upstream> {
  const state: Upstream = { url: '', requests: [], keys, card: (unsigned) => unsigned };
  const url = await serve(async (req, res) => {
    const path = String(req.url);
    state.requests.push(req.method === 'GET' ? path : `${req.method} ${path}`);
    if (path === cardPath) return sendJson(res, await state.card(unsignedCard(url)));
    if (path === keysPath && state.keys) return sendJson(res, { keys: state.keys.map(({ jwk }) => jwk) });
    if (req.method !== 'POST') return res.writeHead(404).end();
    const { id, method } = JSON.parse(await bodyOf(req));
    const message = { messageId: 'm', role: 'ROLE_AGENT', parts: [{ text: 'heard' }] };
    const extended = async () => state.card({ ...unsignedCard(url), description: 'More' });
    sendJson(res, { jsonrpc: '2.0', id, result: method === 'GetExtendedAgentCard' ? await extended() : { message } });
  });
  return Object.assign(state, { url });
}

interface Warning {
  readonly event: string;
  readonly agent: string;
  readonly reason: string;
}

/** A gateway in front of it. */
async function gatewayTo(url: string, trust?: string) {
  const warnings: Warning[] = [];
  const warn: Logger['warn'] = (fields) => {
    const { security, ...rest } = fields as { security?: string };
    if (security !== undefined) warnings.push({ event: security, ...rest } as unknown as Warning);
  };
  const file = testFolder().write('gateway.yaml', '');
  const text = `listen: { host: localhost, port: 0 }
store: "memory:"
agents: { up: { kind: upstream, url: "${url}", silence: 2s${trust === undefined ? '' : `, trust: ${trust}`} } }
`;
  const { gateway, url: origin } = await openGateway(text, { file, logger: { ...silent, warn } });
  afterTest(() => gateway.close({ drainMs: 0 }));
  const ask = (path: string, body?: object) =>
    fetch(origin + path, {
      headers: { 'content-type': 'application/json', 'a2a-version': '1.0' },
      ...(body && { method: 'POST', body: JSON.stringify(body) }),
    });
  return {
    warnings,
    ask,
    /** Text of the answer to a message, or of its error. */
    async send(): Promise<string> {
      const message = { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'go' }] };
      const answer = await ask('/message:send', { message });
      // biome-ignore lint/suspicious/noExplicitAny: whatever came
      const json = (await answer.json()) as any;
      return (
        json.message?.parts[0].text ?? json.task?.status.message?.parts[0].text ?? json.error?.message ?? inspect(json)
      );
    },
    async health(): Promise<Record<string, string>> {
      const { agents } = (await (await ask('/readyz')).json()) as { agents: { up: Record<string, string> } };
      return agents.up;
    },
    async card(): Promise<Record<string, unknown>> {
      return (await (await ask(cardPath)).json()) as Record<string, unknown>;
    },
  };
}

const key = testKey();
const signed = (signer: TestKey) => (unsigned: Record<string, unknown>) => signedBySdk(unsigned, signer);

it('an upstream agent with a signed card is called when the key is trusted, and the card of the gateway has no signature of the agent', async () => {
  const agent = await upstream(key);
  agent.card = signed(key);
  const gateway = await gatewayTo(agent.url, `{ jwks: "${agent.url}${keysPath}" }`);
  expect(await gateway.send()).toBe('heard');
  expect(await gateway.health()).toMatchObject({ state: 'ok' });
  const card = await gateway.card();
  expect(card).toMatchObject({ name: 'Signed agent' });
  expect(card).not.toHaveProperty('signatures');
  expect(gateway.warnings).toEqual([]);
});

it('an upstream agent with a signed card is called when the key is in the configured file, also after the file changes', async () => {
  const agent = await upstream();
  agent.card = signed(key);
  const folder = testFolder();
  const file = folder.write('keys.json', JSON.stringify({ keys: [key.jwk] }));
  const gateway = await gatewayTo(agent.url, `{ jwks: "${file}" }`);
  expect(await gateway.send()).toBe('heard');
  const next = testKey('EdDSA', 'next');
  agent.card = signed(next);
  folder.write('keys.json', JSON.stringify({ keys: [next.jwk] }));
  later(400_000);
  expect(await gateway.send()).toBe('heard');
  await vi.waitFor(() => expect(agent.requests.filter((path) => path === cardPath).length).toBeGreaterThan(1));
  expect(await gateway.send()).toBe('heard');
  expect(gateway.warnings).toEqual([]);
  expect(agent.requests).not.toContain(keysPath);
});

it('an upstream agent with a signed card is not called where its signed card says no address that can be called, whatever the configuration says', async () => {
  const agent = await upstream(key);
  const port = new URL(agent.url).port;
  agent.card = (unsigned) =>
    signedBySdk(
      {
        ...unsigned,
        supportedInterfaces: [{ url: `http://0.0.0.0:${port}`, protocolBinding: 'JSONRPC', protocolVersion: '1.0' }],
      },
      key,
    );
  for (const ways of ['', ', dialect: a2a-1.0, transport: jsonrpc']) {
    const gateway = await gatewayTo(agent.url, `{ jwks: "${agent.url}${keysPath}" }${ways}`);
    expect(await gateway.send()).toContain('cannot be called over');
  }
  expect(agent.requests.filter((path) => path.startsWith('POST'))).toEqual([]);
});

it('an upstream agent with a signed card is verified over its card as it came, of which what cannot be read is left out', async () => {
  const agent = await upstream(key);
  const signedWhole = async (card: object): Promise<object> => ({
    ...card,
    signatures: [await signatureOver(canonicalJson(card), key)],
  });
  agent.card = (unsigned) => signedWhole({ ...unsigned, documentationUrl: 7 });
  const gateway = await gatewayTo(agent.url, `{ jwks: "${agent.url}${keysPath}" }`);
  expect(await gateway.send()).toBe('heard');
  agent.card = async (unsigned) => ({ ...(await signedWhole({ ...unsigned, documentationUrl: 7 })), version: 8 });
  const other = await gatewayTo(agent.url, `{ jwks: "${agent.url}${keysPath}" }`);
  expect(await other.send()).toContain('has no valid signature');
});

it('an upstream agent with a signed card is not shown as verified where the configuration replaces members of its card', async () => {
  const agent = await upstream(key);
  agent.card = signed(key);
  const trust = `{ jwks: "${agent.url}${keysPath}" }`;
  for (const [more, verdict] of [
    ['', 'verified'],
    [', card: { name: Other }', 'not-verified'],
  ] as const) {
    const { url } = await openGateway(
      `agents: { up: { kind: upstream, url: "${agent.url}", trust: ${trust}${more} } }`,
    );
    await vi.waitFor(async () => {
      const { upstreamSignature } = await askAdmin(url, 'GetAgent', { name: 'up' });
      expect(upstreamSignature).toMatchObject({ verdict });
    });
  }
});

it('an upstream agent with a signed card is used with the signed fields of its card only', async () => {
  const evil = await upstream();
  const agent = await upstream(key);
  agent.card = async (unsigned) => ({
    ...(await signedBySdk(unsigned, key)),
    // For readers of 0.3, of whom the SDK's signature of 1.0 knows nothing.
    protocolVersion: '0.3.0',
    url: evil.url,
    preferredTransport: 'JSONRPC',
  });
  const gateway = await gatewayTo(agent.url, `{ jwks: "${agent.url}${keysPath}" }`);
  expect(await gateway.send()).toBe('heard');
  expect(evil.requests).toEqual([]);
});

it.each<[what: string, trust: string, card: Upstream['card'], why: string]>([
  ['is not signed', '', (unsigned) => unsigned, 'is not signed'],
  ['has an empty list of signatures', '', (unsigned) => ({ ...unsigned, signatures: [] }), 'is not signed'],
  ['is signed with another key', '', signed(testKey()), 'the signature does not match this card'],
  ['is signed with an unknown key', '', signed(testKey('ES256', 'x')), 'none of the trusted keys is "x"'],
  [
    'was changed',
    '',
    async (unsigned) => ({ ...(await signedBySdk(unsigned, key)), name: 'Other' }),
    'does not match this card',
  ],
  [
    'was changed, where none is required',
    ', required: false',
    async (unsigned) => ({ ...(await signedBySdk(unsigned, key)), name: 'Other' }),
    'does not match this card',
  ],
])(
  'an upstream agent whose card is refused is not called when its card %s, and the error names the reason',
  async (_, more, card, why) => {
    const agent = await upstream(key);
    agent.card = card;
    const gateway = await gatewayTo(agent.url, `{ jwks: "${agent.url}${keysPath}"${more} }`);
    expect(await gateway.send()).toContain(why);
    expect(await gateway.send()).toContain(why);
    expect(await gateway.health()).toMatchObject({ state: 'unreachable', reason: expect.stringContaining(why) });
    // Logged once, however often the card is fetched.
    expect(gateway.warnings).toEqual([
      { event: 'card.signature.refused', agent: 'up', reason: expect.stringContaining(why) },
    ]);
    expect(await gateway.card()).not.toMatchObject({ name: 'Signed agent' });
    expect(agent.requests).not.toContain('POST /');
  },
);

it('an upstream agent whose card is refused is not called without a card', async () => {
  const url = await serve((_, res) => res.writeHead(404).end());
  const trust = `{ jwks: "${url}${keysPath}" }, dialect: a2a-1.0, transport: jsonrpc`;
  const gateway = await gatewayTo(url, trust);
  expect(await gateway.send()).toContain('has no card to verify');
});

it('an upstream agent whose card is refused is called with an unsigned card if the configuration permits it', async () => {
  const agent = await upstream();
  const gateway = await gatewayTo(agent.url, `{ jwks: "${agent.url}${keysPath}", required: false }`);
  expect(await gateway.send()).toBe('heard');
  expect(agent.requests).not.toContain(keysPath);
});

it.each<[what: string, jwks: (agent: Upstream) => string | Promise<string>, why: string]>([
  ['are not there', ({ url }) => `${url}/nothing`, 'cannot be fetched: HTTP 404'],
  ['are at a closed port', async () => `${await closedPortUrl()}/keys`, 'connection refused'],
  ['are no keys', ({ url }) => url + cardPath, 'are not a JWK set'],
  ['are in no file', () => './none.json', 'cannot be read (ENOENT)'],
])(
  'an upstream agent whose card is refused is not called because the keys %s, and the error names the cause',
  async (_, jwks, why) => {
    const agent = await upstream();
    agent.card = signed(key);
    const gateway = await gatewayTo(agent.url, `{ jwks: "${await jwks(agent)}" }`);
    expect(await gateway.send()).toContain(why);
    expect(await gateway.health()).toMatchObject({ reason: expect.stringContaining(why) });
    expect(gateway.warnings).toEqual([]);
  },
);

it('an upstream agent whose card is refused is not trusted by keys behind a redirect', async () => {
  const thief = await upstream(testKey('ES256', 'stolen'));
  const agent = await upstream();
  agent.card = signed(key);
  const jwks = await serve((_, res) => res.writeHead(302, { location: thief.url + keysPath }).end());
  const gateway = await gatewayTo(agent.url, `{ jwks: "${jwks}" }`);
  expect(await gateway.send()).toContain('cannot be fetched: HTTP 302');
  expect(thief.requests).toEqual([]);
});

it('an upstream agent whose card or key changes is not called while its card is unsigned, and called again when it is signed', async () => {
  const agent = await upstream(key);
  agent.card = signed(key);
  const gateway = await gatewayTo(agent.url, `{ jwks: "${agent.url}${keysPath}" }`);
  expect(await gateway.send()).toBe('heard');
  agent.card = (unsigned) => unsigned;
  later(400_000);
  // Calls do not wait while the card is read again.
  await gateway.send();
  await vi.waitFor(async () => expect(await gateway.health()).toMatchObject({ state: 'unreachable' }));
  expect(gateway.warnings).toHaveLength(1);
  const calls = agent.requests.filter((path) => path === 'POST /').length;
  expect(await gateway.send()).toContain('is not signed');
  expect(agent.requests.filter((path) => path === 'POST /')).toHaveLength(calls);
  agent.card = signed(key);
  expect(await gateway.send()).toBe('heard');
  expect(await gateway.health()).toMatchObject({ state: 'ok' });
});

it('an upstream agent whose card or key changes is not called when its key is no longer trusted', async () => {
  const agent = await upstream(key);
  const same = await signedBySdk(unsignedCard(agent.url), key);
  agent.card = () => same;
  const gateway = await gatewayTo(agent.url, `{ jwks: "${agent.url}${keysPath}" }`);
  expect(await gateway.send()).toBe('heard');
  agent.keys = [testKey('ES256', 'next')];
  later(400_000);
  await gateway.send();
  await vi.waitFor(async () => expect(await gateway.health()).toMatchObject({ state: 'unreachable' }));
  expect(gateway.warnings).toHaveLength(1);
  expect(await gateway.send()).toContain('none of the trusted keys is "key-1"');
});

it('an upstream agent whose card or key changes is still called while the keys cannot be fetched', async () => {
  const agent = await upstream(key);
  agent.card = signed(key);
  const gateway = await gatewayTo(agent.url, `{ jwks: "${agent.url}${keysPath}" }`);
  expect(await gateway.send()).toBe('heard');
  agent.keys = undefined;
  later(400_000);
  await gateway.send();
  await vi.waitFor(async () => expect((await gateway.health()).reason).toContain('HTTP 404'));
  expect(await gateway.send()).toBe('heard');
  expect(gateway.warnings).toEqual([]);
});

describe('the extended card of an upstream agent', () => {
  const offering = (unsigned: Record<string, unknown>) => ({ ...unsigned, capabilities: { extendedAgentCard: true } });

  it.each<[what: string, sign: boolean]>([
    ['is given out when it is signed', true],
    ['is not given out when it is not', false],
  ])('the extended card of an upstream agent %s', async (_, sign) => {
    const agent = await upstream(key);
    agent.card = (unsigned) => {
      const offered = offering(unsigned);
      return sign || unsigned.description !== 'More' ? signedBySdk(offered, key) : offered;
    };
    const gateway = await gatewayTo(agent.url, `{ jwks: "${agent.url}${keysPath}" }`);
    expect(await gateway.send()).toBe('heard');
    const card = (await (await gateway.ask('/extendedAgentCard')).json()) as Record<string, unknown>;
    if (sign) expect(card).toMatchObject({ description: 'More' });
    else expect(card).toHaveProperty('error');
    expect(card).not.toHaveProperty('signatures');
    expect(gateway.warnings).toHaveLength(sign ? 0 : 1);
  });
});

describe('one gateway behind another', () => {
  /** The agent behind, at the path of a dialect. */
  async function behind(dialect: string) {
    const folder = testFolder();
    folder.write('key.pem', key.pem);
    const text = 'listen: { host: localhost, port: 0 }\nstore: "memory:"\ncards: { signing: { key: key.pem } }\n';
    const { gateway: back, url } = await openGateway(text, { file: folder.write('back.yaml', '') });
    afterTest(() => back.close({ drainMs: 0 }));
    return { url, base: dialect === 'auto' ? url : `${url}/as/${dialect}` };
  }

  it.each(['a2a-1.0', 'a2a-0.3'])(
    'one gateway behind another has no signature of the agent in its card, read as %s by a gateway without trusted keys',
    async (dialect) => {
      const { url, base } = await behind(dialect);
      const gateway = await gatewayTo(base);
      expect(await gateway.send()).toContain('TASK_STATE_COMPLETED');
      for (const version of ['1.0', '0.3']) {
        const card = await gateway.ask(`/as/a2a-${version}${cardPath}`);
        const text = await card.text();
        expect(text).toContain('Reference agent');
        expect(text).not.toContain('signature');
        expect(text).not.toContain(url);
        expect(text).not.toContain('urn:a2a-gateway:');
      }
    },
  );

  it.each(['auto', 'a2a-1.0', 'a2a-0.3'])(
    'one gateway behind another is trusted by its own keys, read as %s',
    async (dialect) => {
      const { url, base } = await behind(dialect);
      const gateway = await gatewayTo(base, `{ jwks: "${url}${keysPath}" }, dialect: ${dialect}`);
      const answer = await gateway.ask('/message:send', {
        message: { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'say hello' }] },
      });
      expect(JSON.stringify(await answer.json())).toContain('hello');
      expect(gateway.warnings).toEqual([]);
      // Nothing of the card behind, its signatures least of all, is on the card before.
      const text10 = JSON.stringify(await gateway.card());
      expect(text10).not.toContain('signatures');
      expect(text10).not.toContain(url);
    },
  );
});
