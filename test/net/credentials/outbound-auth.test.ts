import { readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { TLSSocket } from 'node:tls';
import { fileURLToPath } from 'node:url';
import { inspect } from 'node:util';
import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import type { AgentCard } from '../../../src/core/model/a2a.ts';
import { clientTls, tlsAt } from '../../../src/net/client-tls.ts';
import { createOutboundAuth, type OutboundAuthOptions } from '../../../src/net/credentials/outbound-auth.ts';
import type { OutboundAuthSettings, SettingsOf } from '../../../src/net/credentials/outbound-settings.ts';
import { createHttpClient } from '../../../src/net/http-client.ts';
import { Secret } from '../../../src/net/secret.ts';
import { newFolder } from '../../support/folders.ts';
import { afterTest, sendJson, serve } from '../../support/peer.ts';

const origin = 'https://agent.test:8443';
const here = new URL(`${origin}/a2a`);
const forever = new AbortController().signal;

function auth(settings: OutboundAuthSettings | undefined, more: Partial<OutboundAuthOptions> = {}) {
  const http = createHttpClient();
  afterTest(() => http.close());
  return createOutboundAuth(settings, { origin, http, ...more });
}

/** A card that wants keys in this header. */
const cardWith = (name: string, location = 'header'): AgentCard =>
  ({
    securitySchemes: {
      other: { httpAuthSecurityScheme: { scheme: 'basic' } },
      key: { apiKeySecurityScheme: { name, location } },
    },
  }) as unknown as AgentCard;

const key = new Secret('hunter2');

it.each<[name: string, settings: OutboundAuthSettings | undefined, shown: Record<string, string>]>([
  ['nothing', undefined, {}],
  ['an API key', { type: 'apiKey', key }, { 'x-api-key': 'hunter2' }],
  ['an API key in a header', { type: 'apiKey', key, header: 'X-Service-Key' }, { 'x-service-key': 'hunter2' }],
  ['a token', { type: 'bearer', token: key }, { authorization: 'Bearer hunter2' }],
  [
    'a name and a password',
    { type: 'basic', username: 'grüße', password: new Secret('p:w') },
    { authorization: `Basic ${Buffer.from('grüße:p:w').toString('base64')}` },
  ],
  ['a certificate', { type: 'mtls', cert: '/c', key: '/k' }, {}],
  ['nothing when the caller has no credentials', { type: 'forward' }, {}],
])('an upstream is shown %s', async (_, settings, shown) => {
  const made = auth(settings);
  expect(await made.headers(undefined, here, forever)).toEqual(shown);
  expect(made.rejected(shown)).toBe(false);
});

it('an upstream is shown an API key in the header that the card names, as soon as there is a card', async () => {
  let card: AgentCard | undefined;
  const made = auth({ type: 'apiKey', key }, { card: () => card });
  expect(await made.headers(undefined, here, forever)).toEqual({ 'x-api-key': 'hunter2' });
  card = cardWith('X-Weather-Key');
  expect(await made.headers(undefined, here, forever)).toEqual({ 'x-weather-key': 'hunter2' });
  const told = auth({ type: 'apiKey', key, header: 'X-Own' }, { card: () => card });
  expect(await told.headers(undefined, here, forever)).toEqual({ 'x-own': 'hunter2' });
});

it.each([['host'], ['Content-Length'], ['a2a-hops'], ['x y'], [''], ['a\r\nb'], ['grpc-timeout'], [':path']])(
  'credentials are never put where a card must not put them: %j',
  async (name) => {
    const made = auth({ type: 'apiKey', key }, { card: () => cardWith(name) });
    expect(await made.headers(undefined, here, forever)).toEqual({ 'x-api-key': 'hunter2' });
  },
);

it('credentials are not put into a query or a cookie', async () => {
  for (const location of ['query', 'cookie']) {
    const made = auth({ type: 'apiKey', key }, { card: () => cardWith('k', location) });
    expect(await made.headers(undefined, here, forever)).toEqual({ 'x-api-key': 'hunter2' });
  }
});

it("an upstream is shown each caller's own credentials if they are forwarded", async () => {
  const made = auth({ type: 'forward' }, { card: () => cardWith('X-Weather-Key') });
  const shown = await Promise.all([
    made.headers({ authorization: 'Bearer alice' }, here, forever),
    made.headers({ apiKey: 'bob' }, here, forever),
    made.headers({}, here, forever),
  ]);
  expect(shown).toEqual([{ authorization: 'Bearer alice' }, { 'x-weather-key': 'bob' }, {}]);
  expect(made.rejected({ authorization: 'Bearer alice' })).toBe(false);
});

it('an upstream is shown a new token after the old one was refused, once', async () => {
  let asked = 0;
  const tokenUrl = await serve((_, res) => sendJson(res, { access_token: `t${++asked}`, expires_in: 3_600 }));
  const settings = { type: 'oauth2', tokenUrl, clientId: 'gw', clientSecret: key, scopes: [] } as const;
  const made = auth(settings);
  const calls = await Promise.all(Array.from({ length: 5 }, () => made.headers(undefined, here, forever)));
  expect(calls).toEqual(Array.from({ length: 5 }, () => ({ authorization: 'Bearer t1' })));
  // All five are refused; the others come to hear of it when the new token is there already.
  expect(made.rejected(calls[0] ?? {})).toBe(true);
  expect(await made.headers(undefined, here, forever)).toEqual({ authorization: 'Bearer t2' });
  for (const shown of calls.slice(1)) expect(made.rejected(shown)).toBe(true);
  expect(await made.headers(undefined, here, forever)).toEqual({ authorization: 'Bearer t2' });
  expect(made.rejected({})).toBe(false);
  expect(asked).toBe(2);
});

it.each([
  ['another host', 'https://other.test:8443/a2a'],
  ['another port', 'https://agent.test/a2a'],
  ['another scheme', 'http://agent.test:8443/a2a'],
  ['a host below', 'https://x.agent.test:8443/a2a'],
  ['a user that looks like the host', 'https://agent.test:8443@other.test/'],
  ['a host with a dot', 'https://agent.test.:8443/'],
])('an upstream is shown nothing for %s, which is logged once', async (_, url) => {
  const lines: string[] = [];
  const logger = pino({}, { write: (line: string) => void lines.push(line) });
  let asked = 0;
  const tokenUrl = await serve((_, res) => sendJson(res, { access_token: `t${++asked}` }));
  const all: OutboundAuthSettings[] = [
    { type: 'apiKey', key },
    { type: 'bearer', token: key },
    { type: 'basic', username: 'u', password: key },
    { type: 'oauth2', tokenUrl, clientId: 'gw', clientSecret: key, scopes: [] },
    { type: 'forward' },
  ];
  for (const settings of all) {
    const made = auth(settings, { logger });
    for (let i = 0; i < 3; i++) {
      expect(await made.headers({ authorization: 'Bearer hunter2' }, new URL(url), forever)).toEqual({});
    }
  }
  expect(asked).toBe(0);
  expect(lines).toHaveLength(all.length);
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({ origin: new URL(url).origin, configured: origin });
  expect(lines.join()).not.toContain('hunter2');
});

it('an upstream is shown the same credentials at the same origin written otherwise', async () => {
  const made = auth({ type: 'bearer', token: key }, { origin: 'HTTPS://Agent.Test:443/base' });
  expect(await made.headers(undefined, new URL('https://agent.test/x'), forever)).toHaveProperty('authorization');
});

it('credentials are not seen in what is made of them', () => {
  const settings = { type: 'apiKey', key } as const;
  expect(inspect([auth(settings), settings], { depth: 9, showHidden: true })).not.toContain('hunter2');
  expect(JSON.stringify([auth(settings), settings])).not.toContain('hunter2');
});

describe('a client certificate', () => {
  const file = (name: string) => fileURLToPath(new URL(`../../support/tls/${name}`, import.meta.url));
  const settings = { type: 'mtls', cert: file('client.pem'), key: file('client.key'), ca: file('ca.pem') } as const;

  async function serveTls(): Promise<string> {
    const [cert, own, ca] = await Promise.all(
      [file('server.pem'), file('server.key'), file('ca.pem')].map((f) => readFile(f)),
    );
    const server = createServer({ cert, key: own, ca, requestCert: true, rejectUnauthorized: false }, (req, res) => {
      const { subject } = (req.socket as TLSSocket).getPeerCertificate();
      res.end(String(subject?.CN ?? 'no certificate'));
    });
    await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve));
    afterTest(() => server.close());
    afterTest(() => server.closeAllConnections());
    return `https://localhost:${(server.address() as AddressInfo).port}`;
  }

  it('a client certificate is shown to the one origin that it is for', async () => {
    const [mine, other] = await Promise.all([serveTls(), serveTls()]);
    const tls = await clientTls(settings);
    if (tls === undefined) throw new TypeError('no certificate');
    const ask = async (url: string, origin: string | undefined): Promise<string> => {
      const http = createHttpClient({ tls: origin === undefined ? tls : tlsAt(origin, tls) });
      afterTest(() => http.close());
      const answer = await http
        .request({ method: 'GET', url: new URL(url), headers: {}, signal: forever, timeout: 3_000 })
        .catch((error: Error) => error);
      return answer instanceof Error ? answer.message : String(await answer.read(100));
    };
    expect(await ask(mine, mine)).toBe('alice');
    expect(await ask(other, undefined)).toBe('alice');
    // The authorities are for the one origin, too.
    expect(await ask(other, mine)).toMatch(/^cannot reach .*authority$/);
  });

  it('a client certificate is read from files, and differs from none', async () => {
    expect(await clientTls({ type: 'forward' })).toBeUndefined();
    expect(await clientTls(undefined)).toBeUndefined();
    const folder = newFolder();
    const broken = join(folder, 'broken.pem');
    await writeFile(broken, 'hunter2');
    const failureOf = (more: Partial<SettingsOf<'mtls'>>) =>
      clientTls({ ...settings, ...more }).catch((error: unknown) => inspect(error, { depth: 9 }));
    expect(await failureOf({ cert: join(folder, 'gone.pem') })).toMatch(/cannot read .*gone\.pem \(ENOENT\)/);
    expect(await failureOf({ key: broken })).toMatch(/client\.pem and .*broken\.pem cannot be used for TLS/);
    expect(await failureOf({ key: broken })).not.toContain('hunter2');
    expect(await failureOf({ key: file('server.key') })).toMatch(/cannot be used for TLS/);
  });
});
