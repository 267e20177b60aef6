import { beforeAll, describe, expect, it } from 'vitest';
import { newKey } from '../../../src/auth/hash.ts';
import { testFolder, testKey } from '../../support/card-keys.ts';
import { openGateway } from '../../support/gateway.ts';

/** The documents by which strangers find what a gateway serves: the AI Catalog, and the API catalog of RFC 9727. */

const [aiCatalog, apiCatalog] = ['/.well-known/ai-catalog.json', '/.well-known/api-catalog'];
const agents = 'agents: { one: { kind: reference }, two: { kind: reference } }\n';
const [all, some] = [newKey(), newKey()];
const withKeys = (publicCards: boolean): string => `
auth:
  anonymous: false
  publicCards: ${publicCards}
  apiKeys: [{ name: all, hash: "${all.hash}" }, { name: some, hash: "${some.hash}", agents: [two] }]
${agents}`;

interface Entry {
  readonly identifier: string;
  readonly displayName: string;
  readonly type: string;
  readonly url: string;
  readonly trustManifests?: {
    contributor: string;
    extensions: Record<string, { keySet: string; signatures: unknown }>;
  }[];
}

interface Linked {
  readonly anchor: string;
  readonly [relation: string]: string | { readonly href: string; readonly type?: string }[];
}

async function open(settings: string) {
  const { url } = await openGateway(settings);
  const read = (path: string, init: RequestInit = {}) => fetch(new URL(path, url), init);
  const entries = async (key?: string): Promise<Entry[]> => {
    const response = await read(aiCatalog, key === undefined ? {} : { headers: { 'x-api-key': key } });
    return ((await response.json()) as { entries: Entry[] }).entries;
  };
  const linkset = async (): Promise<Linked[]> =>
    ((await (await read(apiCatalog)).json()) as { linkset: Linked[] }).linkset;
  return { url, read, entries, linkset };
}

type Opened = Awaited<ReturnType<typeof open>>;

/** The agents in a catalog, without the gateway's own entries. */
const namesIn = (entries: readonly Entry[]): string[] =>
  entries.filter(({ type }) => type.includes('a2a')).map(({ identifier }) => identifier.split('/').at(-1) ?? '');

describe('the AI Catalog', () => {
  let opened: Opened;
  beforeAll(async () => {
    opened = await open(`${agents}listen: { host: localhost, port: 0, cors: ['https://reader.example'] }\n`);
  });

  it('the AI Catalog has an entry for the card of each agent and for each of its MCP endpoints, under URLs that work', async () => {
    const { url, read } = opened;
    const response = await read(aiCatalog);
    expect(response.headers.get('content-type')).toBe('application/ai-catalog+json');
    const catalog = (await response.json()) as { entries: Entry[] };
    expect(catalog).toMatchObject({ specVersion: '1.0', host: { displayName: new URL(url).host } });
    const [a2a, mcp] = ['application/a2a-agent-card+json', 'application/mcp-server-card+json'];
    expect(catalog.entries.map(({ identifier, type }) => [identifier.slice(url.length), type])).toEqual([
      ['/one', a2a],
      ['/one/mcp', mcp],
      ['/two', a2a],
      ['/two/mcp', mcp],
      ['/mcp', mcp],
    ]);
    for (const entry of catalog.entries) {
      const document = (await (await fetch(entry.url)).json()) as Record<string, unknown>;
      expect(document).toHaveProperty(entry.type === a2a ? 'supportedInterfaces' : 'remotes');
      if (entry.type === a2a) expect(entry.displayName).toBe(document.name);
      else expect(document).toMatchObject({ remotes: [{ url: entry.identifier }] });
    }
  });

  it('the AI Catalog answers 304 to clients that have it, HEAD without a body, and is kept by no shared cache', async () => {
    const { read } = opened;
    for (const path of [aiCatalog, apiCatalog]) {
      const head = await read(path, { method: 'HEAD', headers: { origin: 'https://reader.example' } });
      expect([head.status, await head.text()]).toEqual([200, '']);
      expect(head.headers.get('cache-control')).toBe('private, no-cache');
      expect(head.headers.get('vary')).toMatch(/Origin.*Authorization/);
      const etag = head.headers.get('etag') ?? '';
      expect((await read(path, { headers: { 'if-none-match': etag } })).status).toBe(304);
    }
  });
});

it('the catalogs of a gateway that admits no caller without credentials list for callers the agents that they may call', async () => {
  for (const publicCards of [true, false]) {
    const { entries } = await open(withKeys(publicCards));
    expect(namesIn(await entries(all.key))).toEqual(['one', 'two']);
    expect(namesIn(await entries(some.key))).toEqual(['two']);
  }
});

it('the catalogs of a gateway that admits no caller without credentials list for readers without credentials the agents whose cards are public', async () => {
  const { entries, linkset } = await open(withKeys(true));
  expect(namesIn(await entries())).toEqual(['one', 'two']);
  expect(JSON.stringify(await linkset())).toContain('/one/');
});

it('the catalogs of a gateway that admits no caller without credentials count readers without credentials as they count calls', async () => {
  const { read } = await open(`limits: { requestsPerMinute: 3 }\n${withKeys(true)}`);
  const statuses: number[] = [];
  for (let i = 0; i < 5; i += 1) statuses.push((await read(i % 2 ? aiCatalog : apiCatalog)).status);
  expect(statuses).toEqual([200, 200, 200, 429, 429]);
});

it('the catalogs of a gateway that admits no caller without credentials refuse readers without credentials where cards are not public, and name no agent', async () => {
  const { read } = await open(withKeys(false));
  for (const path of [aiCatalog, apiCatalog]) {
    const response = await read(path);
    expect([response.status, response.headers.has('www-authenticate')]).toEqual([401, true]);
    expect(await response.text()).not.toMatch(/one|two/);
  }
});

it('the AI Catalog shows the signatures of cards, as the cards have them, and where their keys are', async () => {
  const key = testFolder().write('key.pem', testKey().pem);
  const { url, read, entries } = await open(`cards: { signing: { key: ${key} } }\n${agents}`);
  const signed = (await entries()).filter(({ trustManifests }) => trustManifests);
  expect(namesIn(signed)).toEqual(['one', 'two']);
  for (const { url: at, trustManifests = [] } of signed) {
    const { signatures } = (await (await fetch(at)).json()) as { signatures: unknown[] };
    expect(signatures.length).toBeGreaterThan(0);
    const keySet = `${url}/.well-known/jwks.json`;
    expect(trustManifests).toEqual([
      { contributor: url, extensions: { 'urn:a2a-gateway-extension:card-signatures': { keySet, signatures } } },
    ]);
    expect((await read(keySet)).status).toBe(200);
  }
});

it('the API catalog links each interface to documents that describe it, and names itself in a Link header', async () => {
  const { url, read, linkset } = await open(agents);
  const response = await read(apiCatalog, { method: 'HEAD' });
  expect(response.headers.get('content-type')).toBe(
    'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"',
  );
  expect(response.headers.get('link')).toBe(`<${url}${apiCatalog}>; rel="api-catalog"`);
  const [own, ...interfaces] = await linkset();
  const anchors = interfaces.map(({ anchor }) => anchor);
  expect(own).toEqual({ anchor: url + apiCatalog, item: anchors.map((href) => ({ href })) });
  const paths = ['/', '/mcp', '/one', '/one/mcp', '/two', '/two/mcp'];
  expect(anchors.map((anchor) => anchor.slice(url.length))).toEqual(paths);
  for (const { anchor, ...relations } of interfaces) {
    expect([anchor, Object.keys(relations)]).toEqual([anchor, expect.arrayContaining(['service-desc'])]);
    for (const { href } of Object.values(relations).flat() as { href: string }[])
      expect([href, (await fetch(href)).status]).toEqual([href, 200]);
  }
});

it('the API catalog links no page that the gateway does not serve', async () => {
  const { read, linkset } = await open(`pages: [${apiCatalog}]\n${agents}`);
  expect((await read(aiCatalog)).status).toBe(404);
  expect(JSON.stringify(await linkset())).not.toMatch(/openapi|healthz|ai-catalog/);
});
