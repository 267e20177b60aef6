import type { RequestListener, ServerResponse } from 'node:http';
import { expect, it } from 'vitest';
import { type FoundCatalog, readCatalog } from '../../src/client/read-catalog.ts';
import { createUrlGuard } from '../../src/net/guard.ts';
import { createHttpClient } from '../../src/net/http-client.ts';
import { afterTest, sendJson, serve } from '../support/peer.ts';

const [card, nested] = ['application/a2a-agent-card+json', 'application/ai-catalog+json'];
const catalog = (...entries: unknown[]) => ({ specVersion: '1.0', entries });
const agent = (name: string, more: object = {}) => ({
  identifier: `urn:air:example.com:agent:${name}`,
  type: card,
  url: `https://example.com/${name}.json`,
  ...more,
});

type Documents = Readonly<Record<string, object | ((res: ServerResponse) => void)>>;

/** A server of these documents; those that are functions are written by them. */
async function site(documents: Documents): Promise<string> {
  const listener: RequestListener = (req, res) => {
    const document = documents[req.url ?? ''];
    if (typeof document === 'function') document(res);
    else sendJson(res, document ?? {}, document ? 200 : 404);
  };
  return serve(listener);
}

interface Reading {
  readonly path?: string;
  readonly timeout?: number;
  readonly guarded?: boolean;
}

async function read(documents: Documents, { path = '/c', timeout = 10_000, guarded }: Reading = {}) {
  const origin = await site(documents);
  const guard = guarded ? createUrlGuard({ allow: [new URL(origin).host] }) : undefined;
  const http = createHttpClient({ guard });
  afterTest(() => http.close());
  const { signal } = new AbortController();
  return readCatalog(new URL(path, origin), { http, headers: () => ({}), signal, timeout });
}

const urls = ({ agents }: FoundCatalog): string[] => agents.map(({ url }) => url.href);
const reasons = ({ skipped }: FoundCatalog): string[] => skipped.map(({ reason }) => reason);

it('readCatalog finds agents by type, and by mediaType as in drafts, at the well-known path of a site', async () => {
  const { type, ...draft } = agent('draft', { mediaType: `${card}; charset=utf-8` });
  const others = [{ identifier: 'tools', type: 'application/mcp-server-card+json', url: 'https://example.com/mcp' }];
  const found = await read(
    { '/.well-known/ai-catalog.json': catalog(agent('one'), ...others, draft, agent('near', { url: 'near.json' })) },
    { path: '/' },
  );
  expect([type, found.skipped]).toEqual([card, []]);
  expect(urls(found).map((url) => url.replace(/127.0.0.1:\d+/, 'site'))).toEqual([
    'https://example.com/one.json',
    'https://example.com/draft.json',
    'http://site/.well-known/near.json',
  ]);
});

it('readCatalog takes the address and the name of an agent from an inline card', async () => {
  const inline = (data: unknown) => ({ identifier: 'inline', type: card, data });
  const v1 = { name: 'New', supportedInterfaces: [{ url: 'localhost:1' }, { url: 'https://new.example/a2a' }] };
  const old = { name: 'Old', url: 'https://old.example/' };
  const found = await read({
    '/c': catalog(inline(v1), { ...inline(old), identifier: 'old' }, { ...inline({ name: 'None' }), identifier: 'x' }),
  });
  expect(found.agents.map(({ name, url }) => [name, url.href])).toEqual([
    ['New', 'https://new.example/a2a'],
    ['Old', 'https://old.example/'],
  ]);
  expect(found.skipped).toEqual([{ identifier: 'x', reason: 'its card must have a name, and a URL of http or https' }]);
});

it('readCatalog takes the newest version of an agent, and of two equal ones the first', async () => {
  const version = (version: string) => agent('a', { version, url: `https://example.com/${version}` });
  const found = await read({
    '/c': catalog(...['1.9.0', '1.10.0', '1.10.0-rc.1', '1.2.0', '1.10.0'].map(version), agent('b'), agent('b')),
  });
  expect(urls(found)).toEqual(['https://example.com/1.10.0', 'https://example.com/b.json']);
  expect(reasons(found)).toEqual(['its version 1.10.0 is listed more than once', 'it is listed more than once']);
});

it('readCatalog reads the catalogs that a catalog names or holds', async () => {
  const found = await read({
    '/c': catalog(
      { identifier: 'named', type: nested, url: '/d' },
      { identifier: 'held', type: nested, data: catalog(agent('two')) },
    ),
    '/d': catalog(agent('one')),
  });
  expect(urls(found)).toEqual(['https://example.com/one.json', 'https://example.com/two.json']);
  expect(found.skipped).toEqual([]);
});

it('readCatalog names entries that are wrong, and takes the others', async () => {
  const wrong = [
    null,
    { identifier: 'no-type', url: 'https://example.com' },
    agent('neither', { url: undefined }),
    agent('both', { data: {} }),
    agent('file', { url: 'file:///etc/passwd' }),
    agent('login', { url: 'https://me:secret@example.com' }),
    agent('number', { url: 1 }),
    agent('long', { url: `https://example.com/${'x'.repeat(3_000)}` }),
    agent('unnamed', { identifier: 7 }),
    agent('endless', { identifier: 'x'.repeat(600) }),
  ];
  const found = await read({ '/c': catalog(...wrong, agent('good')) });
  expect(urls(found)).toEqual(['https://example.com/good.json']);
  expect(reasons(found)).toEqual([
    'it must be an object',
    'type must be a text',
    'it must have either url or data',
    'it must have either url or data',
    'url must be an http or https URL',
    'url must not contain a user name or password',
    'url must be an http or https URL',
    'url must be an http or https URL',
    'identifier must be a text of 1 to 512 characters',
    'identifier must be a text of 1 to 512 characters',
  ]);
  expect(JSON.stringify(found)).not.toContain('secret');
});

it.each<[string, object, RegExp]>([
  ['no catalog', { entries: [] }, /not an AI Catalog/],
  ['a list', [], /not an AI Catalog/],
  ['no list of entries', { specVersion: '1.0', entries: {} }, /not an AI Catalog/],
  ['of a later version', { specVersion: '2.0', entries: [] }, /version 2\.0, which this gateway cannot read/],
  ['of too many entries', catalog(...Array.from({ length: 1_001 }, (_, n) => agent(`a${n}`))), /more than 1000 entr/],
  ['too large', catalog(agent('a', { description: 'x'.repeat(5 << 20) })), /4194304|4 MiB|larger|too large|more than/],
])('a harmful catalog is refused: %s', async (_, document, message) => {
  await expect(read({ '/c': document })).rejects.toMatchObject({
    kind: 'invalidAgentResponse',
    message: expect.stringMatching(message),
  });
});

it('a catalog is refused when it never ends, and when it stops in the middle', async () => {
  const endless = (res: ServerResponse): void => {
    const more = (): void => void (res.destroyed || res.write(' '.repeat(65_536), more));
    more();
  };
  await expect(read({ '/c': endless })).rejects.toMatchObject({ kind: 'invalidAgentResponse' });
  const silent = (res: ServerResponse): void => void res.write('{"specVersion":');
  await expect(read({ '/c': silent }, { timeout: 300 })).rejects.toMatchObject({ kind: 'upstreamTimeout' });
});

it('a catalog is bounded when it names itself, too many others, or too deep ones', async () => {
  const names = (...paths: string[]) => catalog(...paths.map((url) => ({ identifier: url, type: nested, url })));
  expect(reasons(await read({ '/c': names('/d'), '/d': names('/c') }))).toEqual([
    expect.stringMatching(/\/c is named more than once/),
  ]);
  const many = Array.from({ length: 30 }, (_, n) => `/${n}`);
  const documents = Object.fromEntries(many.map((path) => [path, catalog(agent(path.slice(1)))]));
  const found = await read({ '/c': names(...many), ...documents });
  expect([found.agents.length, found.skipped.length]).toEqual([19, 11]);
  expect(reasons(found)).toContain('more than 20 catalogs are named');
  const held = (depth: number): object =>
    depth === 0 ? catalog() : catalog({ identifier: String(depth), type: nested, data: held(depth - 1) });
  expect((await read({ '/c': held(3) })).skipped).toEqual([]);
  expect(reasons(await read({ '/c': held(9) }))).toEqual(['catalogs are nested more than 4 levels deep']);
});

it('the entries of all catalogs are counted together', async () => {
  const half = (from: number) => catalog(...Array.from({ length: 501 }, (_, n) => agent(`a${from + n}`)));
  const document = catalog(
    { identifier: '1', type: nested, data: half(0) },
    { identifier: '2', type: nested, url: '/d' },
  );
  await expect(read({ '/c': document, '/d': half(501) })).rejects.toThrow(/more than 1000 entries/);
});

it('a catalog leads to no address that the guard refuses', async () => {
  const named = (url: string) => ({ identifier: url, type: nested, url });
  const moved = (res: ServerResponse): void => void res.writeHead(302, { location: 'http://10.0.0.1/' }).end();
  const found = await read(
    { '/c': catalog(named('http://169.254.169.254/latest'), named('/moved'), agent('good')), '/moved': moved },
    { guarded: true },
  );
  expect(urls(found)).toEqual(['https://example.com/good.json']);
  expect(found.skipped.map(({ identifier }) => identifier)).toEqual(['http://169.254.169.254/latest', '/moved']);
  for (const reason of reasons(found)) expect(reason).toMatch(/private|allow|refused|link-local/i);
});
