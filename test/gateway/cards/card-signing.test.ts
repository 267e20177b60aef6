import { type AgentCard, verifyAgentCardSignature } from '@a2a-js/sdk';
import {
  ClientFactory,
  ClientFactoryOptions,
  DefaultAgentCardResolver,
  JsonRpcTransportFactory,
  RestTransportFactory,
} from '@a2a-js/sdk/client';
import { GrpcTransportFactory } from '@a2a-js/sdk/client/grpc';
import { ClientFactory as ClientFactory03, DefaultAgentCardResolver as Resolver03 } from 'a2a-sdk-0.3/client';
import { calculateJwkThumbprint, type JSONWebKeySet, type JWK } from 'jose';
import { beforeEach, expect, it, vi } from 'vitest';
import { allDialects } from '../../../src/client/dialects.ts';
import { connect } from '../../../src/client/index.ts';
import { verifyCard } from '../../../src/client/verify-card.ts';
import { parseConfig } from '../../../src/config/parse.ts';
import { createDialects } from '../../../src/dialects/registry.ts';
import { createCardSigner } from '../../../src/gateway/cards/card-signer.ts';
import { signCards } from '../../../src/gateway/cards/card-source.ts';
import { createGateway } from '../../../src/gateway/compose/gateway.ts';
import { type TestKey, testFolder, testKey } from '../../support/card-keys.ts';
import { directory, silent } from '../../support/core.ts';
import { openGateway } from '../../support/gateway.ts';
import { afterTest } from '../../support/peer.ts';

/** Cards of a gateway that has a key to sign them: as they are served, to readers of every generation. */

// The SDK says of every signature that is not good that it is not.
beforeEach(() => {
  vi.spyOn(console, 'debug').mockImplementation(() => undefined);
});

const cardPath = '/.well-known/agent-card.json';
const keysPath = '/.well-known/jwks.json';

/** An agent whose card has all that the ways to leave something out differ in. */
const odd = `
import { defineAgent } from '${new URL('../../../src/index.ts', import.meta.url)}';
export default defineAgent({
  name: 'Sonderbar — 奇妙 😀',
  description: 'Grüße <&> "quoted" \\\\ \\u007f',
  skills: [{ id: 'a', name: 'A', description: '', tags: [], examples: ['', 'x'], inputModes: [] }],
  card: {
    iconUrl: '',
    capabilities: { streaming: false, extensions: [
      { uri: 'urn:x', required: false, params: { one: 1, half: 0.5, nothing: null, empty: {}, list: [1, '', null, []] } },
    ] },
  },
  extendedCard: { description: 'Mehr' },
  async *execute() {},
});
`;

interface Signed {
  readonly origin: string;
  readonly keys: JSONWebKeySet & { keys: JWK[] };
  read(path: string, version?: string): Promise<Record<string, unknown>>;
}

/** A gateway that signs with this key. */
async function signing(
  key: TestKey,
  more: { settings?: string; listen?: string; auth?: string } = {},
): Promise<Signed> {
  const folder = testFolder();
  folder.write('key.pem', key.pem);
  const file = folder.write('odd-agent.ts', odd);
  const text = `listen: { host: localhost, port: 0${more.listen ?? ''} }
store: "memory:"
defaultAgent: demo
agents:
  demo: { kind: reference }
  odd: { kind: module, path: "${file}" }
cards: { signing: { key: key.pem${more.settings ?? ''} } }
${more.auth ?? ''}`;
  const { gateway, port } = await openGateway(text, { file: file.replace('odd-agent.ts', 'gateway.yaml') });
  afterTest(() => gateway.close({ drainMs: 0 }));
  const origin = `http://localhost:${port}`;
  const read = async (path: string, version?: string) => {
    const answer = await fetch(origin + path, { headers: version === undefined ? {} : { 'a2a-version': version } });
    return (await answer.json()) as Record<string, unknown>;
  };
  return { origin, read, keys: (await read(keysPath)) as unknown as Signed['keys'] };
}

const signaturesOf = (document: unknown) =>
  (document as { signatures?: { protected: string; signature: string }[] }).signatures ?? [];

const headerOf = (document: unknown): Record<string, unknown> =>
  JSON.parse(Buffer.from(signaturesOf(document)[0]?.protected ?? '', 'base64url').toString());

/** The official SDK's lookup of a key by its id. */
const sdkVerifier = ({ keys }: Signed) =>
  verifyAgentCardSignature(async (kid) => keys.keys.find((one) => one.kid === kid) as JWK);

const verified = ({ keys }: Signed, document: unknown) =>
  verifyCard(document, keys as never, allDialects(), 'the card');

it.each(['ES256', 'ES384', 'EdDSA', 'RS256'])(
  'the official SDK verifies cards that are signed with %s',
  async (alg) => {
    const gateway = await signing(testKey(alg));
    const verify = sdkVerifier(gateway);
    for (const [path, version] of [
      [cardPath, '1.0'],
      [cardPath, undefined],
      [`/odd${cardPath}`, '1.0'],
      [`/odd${cardPath}`, undefined],
      [`/as/a2a-1.0${cardPath}`, undefined],
    ] as const) {
      const document = await gateway.read(path, version);
      expect(headerOf(document)).toMatchObject({ alg, typ: 'JOSE' });
      await verify(document as unknown as AgentCard);
      await expect(verify({ ...document, name: 'x' } as unknown as AgentCard)).rejects.toThrow('No valid signatures');
    }
  },
);

it.each(['JSONRPC', 'HTTP+JSON', 'GRPC'])(
  'the official SDK verifies the card that it is given over %s',
  async (protocol) => {
    const gateway = await signing(testKey());
    const options = ClientFactoryOptions.createFrom(ClientFactoryOptions.default, {
      transports: [new JsonRpcTransportFactory(), new RestTransportFactory(), new GrpcTransportFactory()],
      preferredTransports: [protocol],
      cardResolver: new DefaultAgentCardResolver(),
    });
    for (const agent of ['', '/odd']) {
      const client = await new ClientFactory(options).createFromUrl(gateway.origin, `${agent}${cardPath}`);
      // Both agents have an extended card, so that this is the one.
      const card = await client.getAgentCard(undefined, sdkVerifier(gateway));
      expect(card.signatures.length).toBeGreaterThan(0);
      expect(card.supportedInterfaces.length).toBeGreaterThan(0);
    }
  },
);

it('the official SDK of 0.3 reads the cards with their signatures', async () => {
  const gateway = await signing(testKey());
  const card = await new Resolver03().resolve(gateway.origin, `/odd${cardPath}`);
  expect(await verified(gateway, card)).toMatchObject({ alg: 'ES256' });
  const client = await new ClientFactory03().createFromUrl(gateway.origin, `/odd/as/a2a-0.3${cardPath}`);
  const extended = await client.getAgentCard();
  expect(extended.description).toBe('Mehr');
  expect(await verified(gateway, extended)).toMatchObject({ alg: 'ES256' });
  await expect(verified(gateway, { ...extended, url: 'https://evil.example' })).rejects.toThrow(
    'does not match this card',
  );
});

it('a card is signed as it is served, for all its readers, and for those alone who know signatures', async () => {
  const gateway = await signing(testKey());
  for (const base of ['', '/odd', '/as/a2a-1.0', '/as/a2a-0.3', '/as/a2a-php-0.3', '/odd/as/a2a-0.3']) {
    for (const version of ['1.0', '0.3', undefined]) {
      const document = await gateway.read(base + cardPath, version);
      const { signatures: _, ...content } = document;
      // Every member of it is vouched for by one signature at least.
      await expect(verified(gateway, document)).resolves.toMatchObject({ document: content });
    }
  }
  expect(signaturesOf(await gateway.read('/.well-known/agent.json')).length).toBeGreaterThan(0);
  expect(await gateway.read('/agent-card.json')).not.toHaveProperty('signatures');
  expect(await gateway.read(`/as/a2a-0.2${cardPath}`)).not.toHaveProperty('signatures');
  expect(await gateway.read(`/as/a2a-0.1${cardPath}`)).not.toHaveProperty('signatures');
});

it('a card is signed once, and looks unchanged', async () => {
  const { origin } = await signing(testKey());
  const ask = (headers: Record<string, string> = {}) => fetch(origin + cardPath, { headers });
  const first = await ask();
  const etag = first.headers.get('etag') ?? '';
  const text = await first.text();
  expect(await (await ask()).text()).toBe(text);
  expect((await ask({ 'if-none-match': etag })).status).toBe(304);
});

it('a card has one signature where there is nothing to disagree about', async () => {
  const gateway = await signing(testKey());
  expect(signaturesOf(await gateway.read(cardPath, '1.0'))).toHaveLength(1);
  expect(signaturesOf(await gateway.read(`/odd${cardPath}`, '1.0')).length).toBeGreaterThan(1);
});

it('a card that was fetched by a call is signed, over every binding and in its generation', async () => {
  const gateway = await signing(testKey());
  for (const [as, via] of [
    ['a2a-1.0', 'jsonrpc'],
    ['a2a-1.0', 'rest'],
    ['a2a-1.0', 'grpc'],
    ['a2a-1.0', 'connect'],
    ['a2a-0.3', 'jsonrpc'],
  ] as const) {
    const client = await connect(`${gateway.origin}${as === 'a2a-0.3' ? '' : '/odd'}`, { as, via, strict: true });
    afterTest(() => client.close());
    const card = await client.getExtendedAgentCard({});
    const shape = allDialects().find(({ name }) => name === as)?.card;
    const document = shape?.encode(card, { losses: new Set() });
    await expect(verified(gateway, document), `${as} ${via}`).resolves.toMatchObject({ alg: 'ES256' });
  }
});

it('a card of 0.3 loses nothing when it is signed', async () => {
  const { origin } = await signing(testKey());
  const answer = await fetch(`${origin}/odd/v1/card`, { headers: { 'a2a-version': '0.3' } });
  expect(answer.headers.get('a2a-gateway-loss') ?? '').not.toContain('signatures');
  const card = (await answer.json()) as Record<string, unknown>;
  expect(card.description).toBe('Mehr');
  expect(signaturesOf(card).length).toBeGreaterThan(0);
  expect(JSON.stringify(card)).not.toContain('urn:a2a-gateway:');
});

it('the keys are public, and found where signatures say', async () => {
  const key = testKey('EdDSA', 'named');
  const gateway = await signing(key, {
    settings: ', kid: named',
    listen: ', publicUrl: https://agents.example.com/a2a',
    auth: 'auth: { anonymous: true }',
  });
  expect(gateway.keys).toEqual({ keys: [{ ...key.jwk, kid: 'named', alg: 'EdDSA', use: 'sig' }] });
  expect(headerOf(await gateway.read(cardPath))).toEqual({
    alg: 'EdDSA',
    typ: 'JOSE',
    kid: 'named',
    jku: 'https://agents.example.com/a2a/.well-known/jwks.json',
  });
});

it('the keys are called by their thumbprints', async () => {
  for (const alg of ['ES256', 'EdDSA', 'RS256']) {
    const key = testKey(alg);
    const { keys } = await signing(key);
    expect(keys.keys[0]?.kid).toBe(await calculateJwkThumbprint(key.jwk as JWK));
  }
});

it('the keys are served to browsers, answered with 304 when unchanged, and cannot be written', async () => {
  const { origin } = await signing(testKey(), { listen: ', cors: [https://console.example.com]' });
  const ask = (method: string, headers: Record<string, string> = {}) => fetch(origin + keysPath, { method, headers });
  const got = await ask('GET', { origin: 'https://console.example.com' });
  expect(Object.fromEntries(got.headers)).toMatchObject({
    'content-type': 'application/jwk-set+json',
    'cache-control': 'max-age=300',
    'access-control-allow-origin': 'https://console.example.com',
  });
  expect((await ask('GET', { 'if-none-match': got.headers.get('etag') ?? '' })).status).toBe(304);
  expect(await (await ask('HEAD')).text()).toBe('');
  expect((await ask('POST')).status).toBeGreaterThanOrEqual(400);
  expect((await fetch(`${origin}${keysPath}x`)).status).toBe(404);
});

it('the keys stay when another signs', async () => {
  const folder = testFolder();
  const [old, next] = [testKey('RS256'), testKey('EdDSA')];
  const jwk = { ...old.privateKey.export({ format: 'jwk' }), kid: 'of 2024' };
  const path = folder.write('old.json', JSON.stringify(jwk));
  const before = await signing(old);
  const after = await signing(next, { settings: `, previous: [{ key: "${path}" }, { key: key.pem, kid: again }]` });
  expect(after.keys.keys.map(({ kid, alg }) => [kid, alg])).toEqual([
    [await calculateJwkThumbprint(next.jwk as JWK), 'EdDSA'],
    ['of 2024', 'RS256'],
    ['again', 'EdDSA'],
  ]);
  expect(JSON.stringify(after.keys)).not.toMatch(/"(d|p|q|dp|dq|qi)":/);
  await expect(verified({ ...after, keys: before.keys }, await before.read(cardPath))).resolves.toBeDefined();
});

it('the keys are not there without a key', async () => {
  const config = parseConfig('listen: { host: localhost, port: 0 }\nstore: "memory:"\n', { file: '/plain.yaml' });
  const { gateway, url } = await openGateway(config);
  afterTest(() => gateway.close({ drainMs: 0 }));
  expect((await fetch(url + keysPath)).status).toBe(404);
  expect(await (await fetch(url + cardPath)).json()).not.toHaveProperty('signatures');
});

it.each<[what: string, content: string | undefined, why: string]>([
  ['is not there', undefined, 'cannot be read (ENOENT)'],
  ['is no key', 'secret words', 'holds no private key'],
  ['is a broken JWK', '{"kty":"EC","secret words"', 'holds no private key'],
  ['is a public key', JSON.stringify(testKey().jwk), 'holds no private key'],
  ['is for nothing', testKey('PS256').pem.replace(/[A-Z]/g, 'A'), 'holds no private key'],
])('the keys are not taken from a file that %s', async (_, content, why) => {
  const folder = testFolder();
  const file = folder.write('gateway.yaml', '');
  if (content !== undefined) folder.write('bad.pem', content);
  const text = 'listen: { host: localhost, port: 0 }\nstore: "memory:"\ncards: { signing: { key: bad.pem } }\n';
  const gateway = createGateway(parseConfig(text, { file }), { logger: silent });
  const failure = await gateway.listen().then(
    () => undefined,
    (thrown: Error) => thrown.message,
  );
  expect(failure).toContain(why);
  expect(failure).toContain('bad.pem');
  expect(failure).not.toContain('secret words');
});

it('a Host header writes no card that is signed', async () => {
  const key = testFolder().write('key.pem', testKey().pem);
  const signing = { key, previous: [] };
  const signer = await createCardSigner(signing, () => undefined);
  const dialects = createDialects();
  const agents = { ...directory({}), forHost: (host: string) => (host === 'demo.example.com' ? 'demo' : undefined) };
  const cards = { source: () => ({ name: 'x' }), extended: () => ({}) as never };
  if (!signer) throw new TypeError('no signer');
  const { source } = signCards(cards, signer, agents, { dialects, publicUrl: () => undefined });
  const reader = dialects.byName.get('a2a-1.0');
  if (!reader) throw new TypeError('no dialect');
  // A gateway that is mounted in another server, without publicUrl, knows its address from requests alone.
  for (const [origin, isSigned] of [
    ['http://127.0.0.1:8080', true],
    ['http://localhost', true],
    ['http://[::1]:8080', true],
    ['https://demo.example.com', true],
    ['https://evil.example.com', false],
    ['http://localhost.evil.example.com', false],
  ] as const) {
    const document = source({ agent: 'demo', dialects: [reader], pinned: undefined, origin, base: '', grpc: true });
    expect(signaturesOf(document).length > 0, origin).toBe(isSigned);
  }
});
