import { generateKeyPairSync, sign } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { afterAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { createJwtVerifier } from '../../src/auth/jwt.ts';
import { createKeySet } from '../../src/auth/key-set.ts';
import { jwtAlgorithms } from '../../src/auth/settings.ts';
import { createHttpClient } from '../../src/net/http-client.ts';
import { closedPortUrl, sendJson, serve } from '../support/peer.ts';
import { refusalOf } from './support.ts';

/** The source of the keys: a real server that is down, slow, huge, wrong, or has new keys. */

const http = createHttpClient();
afterAll(() => http.close());

const pairs = ['first', 'second'].map((kid) => ({ kid, ...generateKeyPairSync('ed25519') }));
const jwks = (...kids: string[]) => ({
  keys: pairs
    .filter(({ kid }) => kids.includes(kid))
    .map(({ kid, publicKey }) => ({ ...publicKey.export({ format: 'jwk' }), kid })),
});

function tokenBy(kid: string, named = kid): string {
  const claims = { iss: 'idp', aud: 'a2a', sub: 'carol', exp: Math.floor(Date.now() / 1_000) + 600 };
  const text = [{ alg: 'EdDSA', kid: named }, claims]
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.');
  const key = pairs.find((pair) => pair.kid === kid)?.privateKey;
  if (!key) throw new TypeError(kid);
  return `${text}.${sign(null, Buffer.from(text), key).toString('base64url')}`;
}

beforeEach(() => void vi.useFakeTimers({ toFake: ['Date', 'performance'] }));

/** Lets time pass. */
const pass = (milliseconds: number): unknown => vi.advanceTimersByTime(milliseconds);

/** A verifier that reads its keys there. */
function verifier(url: string, timeout = 20_000) {
  const keys = createKeySet(url, http, timeout);
  const settings = {
    issuer: 'idp',
    audience: ['a2a'],
    jwksUrl: url,
    algorithms: jwtAlgorithms,
    clockTolerance: 0,
    typ: undefined,
    agents: undefined,
    scopes: undefined,
  };
  return { judge: createJwtVerifier(settings, keys.find) };
}

/** A provider whose answer can be changed, and which counts. */
async function provider(first: (res: ServerResponse, req: IncomingMessage) => void) {
  const state = { answer: first, asked: 0 };
  const origin = await serve((req, res) => {
    state.asked += 1;
    state.answer(res, req);
  });
  return { state, url: `${origin}/jwks.json` };
}
const giving =
  (...kids: string[]) =>
  (res: ServerResponse) =>
    sendJson(res, jwks(...kids));

it('keys are fetched once, for all who wait', async () => {
  const { state, url } = await provider(giving('first'));
  const { judge } = verifier(url);
  await Promise.all(Array.from({ length: 20 }, () => judge(tokenBy('first'))));
  expect(state.asked).toBe(1);
});

it('keys are found when they are new, but not asked for at every token that names none', async () => {
  const { state, url } = await provider(giving('first'));
  const { judge } = verifier(url);
  await judge(tokenBy('first'));
  state.answer = giving('first', 'second');
  pass(31_000);
  await judge(tokenBy('second'));
  expect(state.asked).toBe(2);
  for (let count = 0; count < 10; count++) {
    expect((await refusalOf(() => judge(tokenBy('second', `made up ${count}`)))).kind).toBe('unauthenticated');
  }
  expect(state.asked).toBe(2);
});

it('keys that are withdrawn are forgotten after a while', async () => {
  const { state, url } = await provider(giving('first', 'second'));
  const { judge } = verifier(url);
  await judge(tokenBy('first'));
  state.answer = giving('second');
  pass(11 * 60_000);
  // Callers do not wait for the new keys, which are fetched in the background.
  await judge(tokenBy('first'));
  await expect.poll(() => state.asked).toBe(2);
  await expect
    .poll(async () => (await refusalOf(() => judge(tokenBy('first'))).catch(() => undefined))?.kind)
    .toBe('unauthenticated');
  await judge(tokenBy('second'));
});

it('keys stay while the provider is down, for an hour', async () => {
  const { state, url } = await provider(giving('first'));
  const { judge } = verifier(url);
  await judge(tokenBy('first'));
  state.answer = (res) => void res.writeHead(500).end();
  pass(50 * 60_000);
  await judge(tokenBy('first'));
  pass(11 * 60_000);
  expect((await refusalOf(() => judge(tokenBy('first')))).kind).toBe('unavailable');
  // And no later than a few seconds after it is back.
  state.answer = giving('first');
  pass(5_001);
  await judge(tokenBy('first'));
});

describe('a provider', () => {
  const wrong: Readonly<Record<string, (res: ServerResponse, req: IncomingMessage) => void>> = {
    'that fails': (res) => void res.writeHead(500).end('secret trouble'),
    'that redirects': (res) => void res.writeHead(302, { location: '/elsewhere' }).end(),
    'that answers with a page': (res) => void res.writeHead(200).end('<html>'),
    'that answers with other JSON': (res) => sendJson(res, { keys: 'none' }),
    'that answers with null': (res) => sendJson(res, null),
    'that answers with keys that are none': (res) => sendJson(res, { keys: [1, null, 'x'] }),
    'that answers with ten thousand keys': (res) =>
      sendJson(res, {
        keys: Array.from({ length: 10_000 }, (_, at) => ({ kty: 'OKP', crv: 'Ed25519', x: 'x', kid: `${at}` })),
      }),
    'that answers without end': (res) => {
      res.writeHead(200, { 'content-type': 'application/json' });
      const more = (): void => {
        while (!res.destroyed && res.write('['.repeat(65_536)));
        res.once('drain', more);
      };
      more();
    },
    'that hangs up': (_, req) => void req.socket.destroy(),
  };

  it.each(Object.entries(wrong))(
    'a provider %s leaves tokens unverified, and is not asked at each call',
    async (_, answer) => {
      const { state, url } = await provider(answer);
      const { judge } = verifier(url);
      for (let count = 0; count < 5; count++) {
        const error = await refusalOf(() => judge(tokenBy('first')));
        expect([error.kind, error.retryAfter]).toEqual(['unavailable', 5]);
        expect(error.message).toBe('The keys of the identity provider cannot be fetched');
      }
      // Only what is repeated because the connection was gone makes it two.
      const asked = state.asked;
      expect(asked).toBeLessThanOrEqual(2);
      state.answer = giving('first');
      pass(6_000);
      await judge(tokenBy('first'));
    },
  );

  it('a provider that is unreachable leaves tokens unverified', async () => {
    const { judge } = verifier(`${await closedPortUrl()}/jwks.json`);
    expect((await refusalOf(() => judge(tokenBy('first')))).kind).toBe('unavailable');
  });

  it('a provider that never answers is given up', async () => {
    const { url } = await provider(() => {});
    const { judge } = verifier(url, 100);
    expect((await refusalOf(() => judge(tokenBy('first')))).kind).toBe('unavailable');
  });
});
