import { createServer, type ServerResponse } from 'node:http';
import { describe, expect, it } from 'vitest';
import { newKey } from '../../../src/auth/hash.ts';
import { nameAgents } from '../../../src/extensions/registration/catalog-names.ts';
import { askAdmin } from '../../support/admin.ts';
import { adminHeaders, type Opened, openGateway } from '../../support/gateway.ts';
import { listenOn, sendJson } from '../../support/peer.ts';

/** Agents that are registered from an AI Catalog, which may be hostile. */

const open = (approve = 'never', more = ''): Promise<Opened> =>
  openGateway(`agents: { own: { kind: reference } }\nregistration: { allow: true, approve: ${approve} }\n${more}`);

const registerFrom = ({ url }: { readonly url: string }, catalog: string, headers = {}) =>
  askAdmin(url, 'RegisterCatalog', { catalog }, headers);

const type = 'application/a2a-agent-card+json';
const cardOf = (name: string, to: string) => ({
  name,
  description: name,
  version: '1',
  capabilities: {},
  skills: [],
  defaultInputModes: ['text/plain'],
  defaultOutputModes: ['text/plain'],
  supportedInterfaces: [{ url: to, protocolBinding: 'JSONRPC', protocolVersion: '1.0' }],
});

/** A server of a catalog and of what it leads to, which can be changed. */
async function startSite() {
  const documents = new Map<string, object | ((res: ServerResponse) => void)>();
  const server = createServer((req, res) => {
    const document = documents.get(req.url ?? '');
    if (typeof document === 'function') document(res);
    else sendJson(res, document ?? {}, document ? 200 : 404);
  });
  const { origin } = await listenOn(server);
  return {
    origin,
    catalog: `${origin}/catalog.json`,
    serve: (path: string, document: object | ((res: ServerResponse) => void)) => void documents.set(path, document),
    list: (...entries: object[]) => void documents.set('/catalog.json', { specVersion: '1.0', entries }),
  };
}

it('the agents of a catalog of another gateway are registered, and called here', async () => {
  const other = await openGateway('agents: { one: { kind: reference }, two: { kind: reference } }');
  const gateway = await open();
  expect(await registerFrom(gateway, other.url)).toEqual({
    registered: ['one', 'two'].map((name) => ({ identifier: `${other.url}/${name}`, name })),
    skipped: [],
  });
  const { agents } = (await (await fetch(`${gateway.url}/agents`)).json()) as { agents: { name: string }[] };
  expect(agents.map(({ name }) => name)).toEqual(['own', 'one', 'two']);
  const answer = await fetch(`${gateway.url}/two/message:send`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'a2a-version': '1.0' },
    body: JSON.stringify({ message: { messageId: '1', role: 'ROLE_USER', parts: [{ text: 'say hello' }] } }),
  });
  expect(JSON.stringify(await answer.json())).toContain('hello');
  // Again, as after an interruption.
  expect((await registerFrom(gateway, other.url)).registered).toHaveLength(2);
});

it('the agents of a catalog wait for approval as others do, and belong to the caller, who needs the scope agents', async () => {
  const [alice, bob] = [newKey(), newKey()];
  const keys = `auth: { apiKeys: [{ name: alice, hash: "${alice.hash}", scopes: [agents] }, { name: bob, hash: "${bob.hash}", scopes: [tasks] }] }`;
  const gateway = await open('always', keys);
  const other = await openGateway('agents: { one: { kind: reference } }');
  const as = ({ key }: { readonly key: string }) => ({ 'x-api-key': key });
  await expect(registerFrom(gateway, other.url, as(bob))).rejects.toMatchObject({ code: -32000 });
  expect((await registerFrom(gateway, other.url, as(alice))).registered).toHaveLength(1);
  const { registrations = [] } = await askAdmin(gateway.url, 'ListRegistrations', {}, as(alice));
  expect(registrations.map(({ name, owner, active }) => [name, owner, active])).toEqual([['one', 'key:alice', false]]);
});

it('the agents of a catalog have names made of the last part of their identifiers', () => {
  const url = new URL('http://a.example');
  const identifiers = ['urn:air:a.example:agent:Weather_EU', 'https://a.example/agents/w.2/', 'x', 'urn:x', 'urn:-_-'];
  const { named, unnamed } = nameAgents(identifiers.map((identifier) => ({ identifier, url })));
  expect([...named.keys()]).toEqual(['weather-eu', 'w-2', 'x']);
  expect(unnamed.map(({ reason }) => reason)).toEqual([
    'it would have the name x, as x has',
    'its identifier has no letter and no digit at its end',
  ]);
});

it('a catalog that lies gets its honest agents registered, and the reason why each other one was not', async () => {
  const site = await startSite();
  const gateway = await open();
  const url = (path: string) => site.origin + path;
  site.serve('/good.json', cardOf('Good', url('/good')));
  site.serve('/inline/.well-known/agent-card.json', cardOf('Somebody', url('/inline')));
  site.serve('/page.json', (res) => res.end('<html>'));
  site.serve('/hangs.json', (res) => res.flushHeaders());
  site.serve('/large.json', (res) => res.end(JSON.stringify({ ...cardOf('Large', url('/')), x: 'x'.repeat(70_000) })));
  site.serve('/moved.json', (res) => res.writeHead(302, { location: 'http://169.254.169.254/' }).end());
  site.list(
    ...['good', 'page', 'hangs', 'large', 'moved', 'missing'].map((name) => ({
      identifier: `urn:air:example.com:agent:${name}`,
      type,
      url: `/${name}.json`,
    })),
    { identifier: 'urn:inline', type, data: cardOf('Bank', url('/inline')) },
    { identifier: 'urn:inner', type, url: 'http://10.0.0.1/card.json' },
    { identifier: 'urn:other:own', type, url: '/good.json' },
    { identifier: 'urn:mcp', type, url: '/good.json' },
    { identifier: 'urn:second:good', type, url: '/good.json' },
    { identifier: 'urn:nothing', type },
  );
  const { registered, skipped = [] } = await registerFrom(gateway, site.catalog);
  expect(registered).toEqual([{ identifier: 'urn:air:example.com:agent:good', name: 'good' }]);
  const reasons = Object.fromEntries(
    skipped.map(({ identifier, reason }) => [identifier.split(':').slice(1).join(), reason]),
  );
  expect(reasons).toEqual({
    'air,example.com,agent,page': expect.stringContaining('not an agent card'),
    'air,example.com,agent,hangs': expect.stringMatching(/deadline|within/),
    'air,example.com,agent,large': expect.stringContaining('at most 65536'),
    'air,example.com,agent,moved': expect.stringMatching(/^url /),
    'air,example.com,agent,missing': expect.stringContaining('HTTP 404'),
    inline: 'the name in the card of the agent differs from the name in the catalog',
    inner: expect.stringMatching(/^url /),
    'other,own': 'name is the name of an agent of the configuration',
    mcp: expect.stringMatching(/^name /),
    'second,good': expect.stringContaining('it would have the name good'),
    nothing: 'it must have either url or data',
  });
  const { registrations = [] } = await askAdmin(gateway.url, 'ListRegistrations', {});
  expect(registrations.map(({ name }) => name)).toEqual(['good']);
});

it('a catalog that lies replaces no agent that its reader has registered with another URL', async () => {
  const site = await startSite();
  const gateway = await open();
  const [mine, theirs] = [`${site.origin}/mine.json`, `${site.origin}/theirs.json`];
  site.serve('/mine.json', cardOf('Mine', `${site.origin}/mine`));
  site.serve('/theirs.json', cardOf('Theirs', `${site.origin}/theirs`));
  await askAdmin(gateway.url, 'RegisterAgent', { name: 'bank', url: mine });
  site.list({ identifier: 'urn:bank', type, url: theirs });
  const { registered = [], skipped = [] } = await registerFrom(gateway, site.catalog);
  expect([registered, skipped[0]?.reason]).toEqual([[], expect.stringContaining('another URL')]);
  const card = await fetch(`${gateway.url}/bank/.well-known/agent-card.json`);
  expect(await card.json()).toMatchObject({ name: 'Mine' });
});

it.each<[string, string | object | ((res: ServerResponse) => void), object]>([
  ['that is none', { entries: 1 }, { code: -32602 }],
  ['that never ends', (res) => void res.write(' '.repeat(5 << 20)), { code: -32602 }],
  ['at an address that the guard refuses', 'http://169.254.169.254/', { code: -32602 }],
  ['that is no URL', 'nonsense', { code: -32602 }],
])('a catalog that lies is refused as a whole: one %s', async (_, document, error) => {
  const site = await startSite();
  if (typeof document !== 'string') site.serve('/catalog.json', document);
  const catalog = typeof document === 'string' ? document : site.catalog;
  await expect(registerFrom(await open(), catalog)).rejects.toMatchObject(error);
});

describe('a catalog that is none', () => {
  const documents: Readonly<Record<string, object | ((res: ServerResponse) => void)>> = {
    'is not there': (res) => res.writeHead(404).end(),
    'asks for credentials': (res) => res.writeHead(401).end(),
    'is forbidden': (res) => res.writeHead(403).end(),
    'is empty': (res) => res.writeHead(200, { 'content-type': 'application/json' }).end(),
    'is no JSON': (res) => res.end('<!doctype html>'),
    'is cut': (res) => res.end('{"specVersion":"1.0","entries":['),
    'is invalid UTF-8': (res) => res.end(Buffer.from([0xff, 0xfe, 0x00])),
    'is too large': (res) => res.end(' '.repeat(5 * 1024 * 1024)),
    'redirects for ever': (res) => res.writeHead(302, { location: '/catalog.json' }).end(),
    'redirects to a file': (res) => res.writeHead(302, { location: 'file:///etc/passwd' }).end(),
    'is a text': (res) => res.end('"catalog"'),
    'is null': (res) => res.end('null'),
    'is a list': [],
    'has no version': { entries: [] },
    'has a version that is a number': { specVersion: 1, entries: [] },
    'has a version of another time': { specVersion: '7.0', entries: [] },
    'has no entries': { specVersion: '1.0' },
    'has entries that are no list': { specVersion: '1.0', entries: { 0: {} } },
    'has too many entries': { specVersion: '1.0', entries: Array.from({ length: 1_001 }, () => ({})) },
  };

  it.each(Object.keys(documents))(
    'a catalog that is none is refused with the field catalog when it %s',
    async (what) => {
      const gateway = await open();
      const site = await startSite();
      site.serve('/catalog.json', documents[what] ?? {});
      const answer = await fetch(`${gateway.url}/admin/v1/registrations:catalog`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...adminHeaders(gateway.url) },
        body: JSON.stringify({ catalog: site.catalog }),
      });
      const text = await answer.text();
      expect([text, answer.status]).toEqual([expect.stringContaining('"field":"catalog"'), 400]);
    },
  );

  it.each([
    ['null', null],
    ['a text', 'x'],
    ['an identifier with half a surrogate', { identifier: 'urn:\ud800', type, url: '/a' }],
    ['an identifier that is a list', { identifier: [], type, url: '/a' }],
    ['a type that is an object', { identifier: 'urn:a', type: {}, url: '/a' }],
    ['a URL that is an object', { identifier: 'urn:a', type, url: {} }],
    ['a URL that is none', { identifier: 'urn:a', type, url: 'http://[' }],
    ['data that are null', { identifier: 'urn:a', type, data: null }],
    ['an identifier that is a name of every object', { identifier: 'urn:__proto__', type, url: '/a' }],
    ['a catalog in itself', { identifier: 'urn:a', type: 'application/ai-catalog+json', data: { specVersion: 2 } }],
  ])('a catalog that is none is read without the entry that is %s', async (_, entry) => {
    const gateway = await open();
    const site = await startSite();
    const list = JSON.stringify({ specVersion: '1.0', entries: [entry] });
    site.serve('/catalog.json', (res) => res.setHeader('content-type', 'application/json').end(list));
    const { registered = [], skipped = [] } = await registerFrom(gateway, site.catalog);
    expect(registered).toEqual([]);
    expect(skipped).toHaveLength(1);
  });
});
