import { stat } from 'node:fs/promises';
import { type ClientRequest, createServer, request, type ServerResponse } from 'node:http';
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { createKeySet } from '../../../src/auth/key-set.ts';
import { SignIn } from '../../../src/auth/openid.ts';
import { createTokenSource } from '../../../src/net/credentials/token-source.ts';
import { createHttpClient } from '../../../src/net/http-client.ts';
import { readPublicKeys } from '../../../src/net/public-keys.ts';
import { openGateway } from '../../support/gateway.ts';
import { startHostile } from '../../support/hostile-agent.ts';
import { afterTest, bodyOf, listenOn, sendJson, serve } from '../../support/peer.ts';
import { bearer, exchanging, forever, openTokens, settingsOf } from './on-behalf.ts';

/** Tests of the time that calls wait for providers that do not answer, by a clock that the test moves. */

// Modules that are loaded now take no time of the virtual clock later.
beforeAll(() => Promise.all([import('jose'), import('openid-client'), import('undici')]));
beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date', 'performance'] }));
afterEach(() => void vi.useRealTimers());

/** Lets happen what needs no time: also what threads do for Node, such as finding addresses, which takes longer on a busy machine. */
async function settle(): Promise<void> {
  for (let round = 0; round < 20; round += 1) {
    await stat('.');
    for (let i = 0; i < 20; i += 1) await new Promise((resolve) => setImmediate(resolve));
  }
}

/** The outcome of a promise, and the milliseconds that have passed until then. */
async function timed<T>(run: () => Promise<T>): Promise<{ readonly ms: number; readonly outcome: unknown }> {
  const began = Date.now();
  let ended: { readonly ms: number; readonly outcome: unknown } | undefined;
  const end = (outcome: unknown): void => {
    ended = { ms: Date.now() - began, outcome };
  };
  run().then(end, end);
  while (!ended) {
    await settle();
    await vi.advanceTimersByTimeAsync(250);
  }
  return ended;
}

/** Servers that keep a client waiting, each in its way. */
const silences: Readonly<Record<string, () => Promise<string>>> = {
  'never answers': () => serve(() => {}),
  'sends a status and no body': () => serve((_, res) => res.writeHead(200).flushHeaders()),
  'sends a byte now and then': () =>
    serve((_, res) => {
      res.writeHead(200, { 'content-type': 'application/json' });
      const timer = setInterval(() => res.write(' '), 20);
      res.on('close', () => clearInterval(timer));
    }),
};

const margin = 1_000;

/** A request to another server, whose answer is passed on. */
function passOn(to: URL, res: ServerResponse): ClientRequest {
  const sent = request(to, { method: 'POST' }, (answer) => {
    res.writeHead(answer.statusCode ?? 500).flushHeaders();
    answer.on('error', () => undefined).pipe(res);
  });
  afterTest(() => void sent.destroy());
  return sent.on('error', () => undefined);
}

describe.each(Object.keys(silences))('a token issuer that %s', (silence) => {
  const open = async (): Promise<string> => `${await silences[silence]?.()}/token`;

  it(`a token issuer that ${silence} costs a call with client credentials ten seconds`, async () => {
    const http = createHttpClient();
    afterTest(() => http.close());
    const settings = { type: 'oauth2', clientId: 'gw', clientSecret: exchanging.secret('s'), scopes: [] } as const;
    const tokenUrl = await open();
    const source = createTokenSource({ ...settings, tokenUrl }, { http });
    const { ms, outcome } = await timed(() => source.get(forever));
    expect(outcome).toMatchObject({ kind: 'upstreamTimeout' });
    expect(ms).toBeLessThan(10_000 + margin);
  });

  it(`a token issuer that ${silence} costs a call on behalf of a caller ten seconds, with an actor whose issuer takes nine`, async () => {
    const late = await serve(async (req, res) => {
      await bodyOf(req);
      setTimeout(() => sendJson(res, { access_token: 'actor', token_type: 'bearer' }), 9_000);
    });
    const actor = { type: 'oauth2', clientId: 'gw', clientSecret: exchanging.secret('s'), scopes: [] } as const;
    const tokenUrl = await open();
    const tokens = openTokens(settingsOf(tokenUrl, { actor: { ...actor, tokenUrl: `${late}/token` } }));
    const { ms, outcome } = await timed(() => tokens.headers(bearer('alice-token'), forever));
    expect(outcome).toMatchObject({ kind: 'unavailable' });
    expect(ms).toBeLessThan(10_000 + margin);
  });

  it(`a token issuer that ${silence} costs ten seconds where the token is refreshed first`, async () => {
    let answer: ((res: ServerResponse) => void) | undefined = (res) =>
      sendJson(res, { access_token: 'first', token_type: 'bearer', expires_in: 1, refresh_token: 'again' });
    const silent = new URL(await open());
    const origin = await serve(async (req, res) => {
      await bodyOf(req);
      if (answer) answer(res);
      else passOn(silent, res).end();
    });
    const tokens = openTokens(settingsOf(`${origin}/token`));
    await timed(() => tokens.headers(bearer('alice-token'), forever));
    answer = undefined;
    await vi.advanceTimersByTimeAsync(2_000);
    const { ms, outcome } = await timed(() => tokens.headers(bearer('alice-token'), forever));
    expect(outcome).toMatchObject({ kind: 'unavailable' });
    expect(ms).toBeLessThan(10_000 + margin);
  });

  it.each([
    ['dialect: auto', ''],
    ['a configured dialect and binding', ', dialect: a2a-1.0, transport: jsonrpc'],
  ])(
    `a token issuer that ${silence} costs a message to an agent ten seconds, and is asked once, with %s`,
    async (_, more) => {
      let asked = 0;
      const agent = await startHostile('a2a-1.0 jsonrpc');
      const tokenUrl = new URL(await open());
      const counting = createServer((req, res) => {
        asked += 1;
        req.pipe(passOn(tokenUrl, res));
      });
      const { origin } = await listenOn(counting);
      const opening = openGateway(`
agents:
  up:
    kind: upstream
    url: ${agent.url}
    auth: { type: oauth2, tokenUrl: "${origin}/token", clientId: gw, clientSecret: s }${more.replaceAll(', ', '\n    ')}
`);
      await timed(() => opening);
      const gateway = await opening;
      // The gateway reads the card at its start, which takes as long.
      await timed(() => new Promise((resolve) => setTimeout(resolve, 12_000)));
      const before = asked;
      const { ms } = await timed(async () => {
        const answer = await fetch(`${gateway.url}/up/message:send`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', 'a2a-version': '1.0' },
          body: JSON.stringify({ message: { messageId: '1', role: 'ROLE_USER', parts: [{ text: 'hello' }] } }),
        });
        return answer.text();
      });
      expect(ms).toBeLessThan(10_000 + margin);
      expect(asked - before).toBeLessThanOrEqual(1);
    },
  );
});

describe.each(Object.keys(silences))('an identity provider that %s', (silence) => {
  it(`an identity provider that ${silence} costs a caller five seconds for its keys`, async () => {
    const url = `${await silences[silence]?.()}/keys`;
    const http = createHttpClient();
    afterTest(() => http.close());
    const keys = createKeySet(url, http);
    const { ms, outcome } = await timed(() => keys.load());
    expect(outcome).toMatchObject({ kind: 'unavailable' });
    expect(ms).toBeLessThan(5_000 + margin);
    const read = await timed(() => readPublicKeys({ url }, forever));
    expect(read.outcome).toMatchObject({ kind: 'unavailable' });
    expect(read.ms).toBeLessThan(5_000 + margin);
  });

  it(`an identity provider that ${silence} costs a person who signs in ten seconds`, async () => {
    const url = await silences[silence]?.();
    const signIn = new SignIn(url ?? '', { clientId: 'gw' } as ConstructorParameters<typeof SignIn>[1]);
    const { ms, outcome } = await timed(() => signIn.begin('http://localhost/console'));
    expect(outcome).toMatchObject({ kind: 'unavailable' });
    expect(ms).toBeLessThan(10_000 + margin);
  });
});

it('a key server that closes the connection late is not given its time twice', async () => {
  const url = await serve((req) => void setTimeout(() => req.socket.destroy(), 4_000));
  const http = createHttpClient();
  afterTest(() => http.close());
  const { ms } = await timed(() => createKeySet(`${url}/keys`, http).load());
  expect(ms).toBeLessThan(5_000 + margin);
});
