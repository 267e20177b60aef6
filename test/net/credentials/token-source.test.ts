import type { IncomingMessage, ServerResponse } from 'node:http';
import { inspect } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { A2AError } from '../../../src/core/model/errors.ts';
import type { SettingsOf } from '../../../src/net/credentials/outbound-settings.ts';
import { createTokenSource, type TokenSourceOptions } from '../../../src/net/credentials/token-source.ts';
import { createHttpClient } from '../../../src/net/http-client.ts';
import { neverArrived, transient } from '../../../src/net/network-errors.ts';
import { Secret } from '../../../src/net/secret.ts';
import { afterTest, bodyOf, closedPortUrl, sendJson, serve, serveTcp } from '../../support/peer.ts';

const secret = 's3cret&=%+ü';

const forever = new AbortController().signal;

function source(tokenUrl: string, more: Partial<SettingsOf<'oauth2'> & TokenSourceOptions> = {}) {
  const http = createHttpClient();
  afterTest(() => http.close());
  const { scopes = [], clientId = 'gw', ...options } = more;
  const settings = { type: 'oauth2', tokenUrl, clientId, clientSecret: new Secret(secret), scopes } as const;
  return createTokenSource(settings, { http, ...options });
}

/** A token endpoint that grants `token-1`, `token-2` and so on. */
async function endpoint(fields: object = {}) {
  const forms: URLSearchParams[] = [];
  const url = await serve(async (req, res) => {
    forms.push(new URLSearchParams(await bodyOf(req)));
    sendJson(res, { access_token: `token-${forms.length}`, token_type: 'Bearer', expires_in: 3_600, ...fields });
  });
  return { url: `${url}/oauth/token`, forms };
}

it('a token is asked for with a form', async () => {
  const seen: IncomingMessage[] = [];
  let form = '';
  const url = await serve(async (req, res) => {
    seen.push(req);
    form = await bodyOf(req);
    sendJson(res, { access_token: 'a.b-c_d~e+/=' });
  });
  const token = await source(`${url}/token?tenant=1`, { scopes: ['tasks', 'read:all'] }).get(forever);
  expect(token).toBe('a.b-c_d~e+/=');
  expect([seen[0]?.method, seen[0]?.url]).toEqual(['POST', '/token?tenant=1']);
  expect(seen[0]?.headers).toMatchObject({
    'content-type': 'application/x-www-form-urlencoded',
    accept: 'application/json',
  });
  expect(seen[0]?.headers).not.toHaveProperty('authorization');
  expect(Object.fromEntries(new URLSearchParams(form))).toEqual({
    grant_type: 'client_credentials',
    client_id: 'gw',
    client_secret: secret,
    scope: 'tasks read:all',
  });
});

it('a token is asked for without a scope when there is none', async () => {
  const { url, forms } = await endpoint();
  await source(url).get(forever);
  expect(forms[0]?.has('scope')).toBe(false);
});

it('a token is kept until a minute before it expires', async () => {
  let now = 5_000;
  const { url, forms } = await endpoint({ expires_in: 300 });
  const tokens = source(url, { clock: () => now });
  expect(await tokens.get(forever)).toBe('token-1');
  now += 239_999;
  expect(await tokens.get(forever)).toBe('token-1');
  now += 1;
  expect(await tokens.get(forever)).toBe('token-2');
  expect(forms).toHaveLength(2);
});

it.each([
  ['a text', '300', 240_000],
  ['less than a minute', 59, 0],
  ['nothing', 0, 0],
  ['less than nothing', -5, 0],
])('a token understands expires_in: %s', async (_, told, kept) => {
  let now = 0;
  const { url } = await endpoint({ expires_in: told });
  const tokens = source(url, { clock: () => now });
  await tokens.get(forever);
  now = kept - 1;
  if (kept > 0) expect(await tokens.get(forever)).toBe('token-1');
  now = kept;
  expect(await tokens.get(forever)).toBe('token-2');
});

it.each([[null], ['soon'], [''], [{}]])('a token is kept until it is refused when expires_in is %j', async (told) => {
  let now = 0;
  const { url, forms } = await endpoint({ expires_in: told });
  const tokens = source(url, { clock: () => now });
  await tokens.get(forever);
  now = 10 * 365 * 86_400_000;
  expect(await tokens.get(forever)).toBe('token-1');
  tokens.reject('token-1');
  expect(await tokens.get(forever)).toBe('token-2');
  // The late news that the first one was refused does not cost the second.
  tokens.reject('token-1');
  expect(await tokens.get(forever)).toBe('token-2');
  expect(forms).toHaveLength(2);
});

it('a token is fetched once for all who want it at the same time, also when it is not kept', async () => {
  const { url, forms } = await endpoint({ expires_in: 1 });
  const tokens = source(url);
  for (const name of ['token-1', 'token-2']) {
    const got = await Promise.all(Array.from({ length: 50 }, () => tokens.get(forever)));
    expect(new Set(got)).toEqual(new Set([name]));
  }
  expect(forms).toHaveLength(2);
});

it('a token is bearer when its type is missing or spelled in any way, and is used with a warning when it is another', async () => {
  for (const [type, warnings] of [
    [undefined, 0],
    ['bearer', 0],
    ['BEARER', 0],
    ['mac', 1],
    [7, 1],
  ]) {
    const told: string[] = [];
    const { url } = await endpoint({ token_type: type });
    const logger = { warn: (fields: object, message: string) => void told.push(JSON.stringify(fields) + message) };
    expect(await source(url, { logger }).get(forever)).toBe('token-1');
    expect(told).toHaveLength(Number(warnings));
    expect(told.join()).not.toMatch(/token-1|s3cret/);
  }
});

it('a token comes to those who wait for it although others give up', async () => {
  const waiting: ServerResponse[] = [];
  const arrived = Promise.withResolvers<void>();
  const url = await serve((_, res) => {
    waiting.push(res);
    arrived.resolve();
  });
  const tokens = source(url);
  const impatient = new AbortController();
  const first = tokens.get(impatient.signal);
  const second = tokens.get(forever);
  await arrived.promise;
  impatient.abort(new Error('gone'));
  await expect(first).rejects.toMatchObject({ kind: 'canceled', cause: { message: 'gone' } });
  await expect(tokens.get(AbortSignal.abort())).rejects.toMatchObject({ kind: 'canceled' });
  for (const res of waiting) sendJson(res, { access_token: 'late' });
  expect(await second).toBe('late');
  expect(waiting).toHaveLength(1);
});

it('a token is asked for again after a failure', async () => {
  let asked = 0;
  const url = await serve((_, res) => {
    if (++asked === 1) res.writeHead(503, { 'retry-after': '7' }).end();
    else sendJson(res, { access_token: 'second' });
  });
  const tokens = source(url);
  const errors = await Promise.all([tokens.get(forever), tokens.get(forever)].map((got) => got.catch((e) => e)));
  expect(errors[0]).toBe(errors[1]);
  expect(errors[0]).toMatchObject({ kind: 'upstreamUnreachable', retryAfter: 7 });
  expect(await tokens.get(forever)).toBe('second');
  expect(asked).toBe(2);
});

describe('an endpoint that grants no token', () => {
  const failureOf = async (url: string, timeout = 3_000): Promise<A2AError> => {
    const error: unknown = await source(`${url}/token?key=abc`, { timeout })
      .get(forever)
      .catch((thrown) => thrown);
    if (!(error instanceof A2AError)) throw new TypeError(`no A2AError: ${inspect(error)}`);
    expect(error.message).toMatch(new RegExp(`^no access token from ${url}/token: `));
    expect(inspect(error, { depth: 9 })).not.toMatch(/s3cret|token-1|abc/);
    expect(neverArrived(error)).toBe(transient(error));
    return error;
  };

  it('an endpoint that grants no token is reported: closed port, no answer, answer that stops midway', async () => {
    expect(await failureOf(await closedPortUrl())).toMatchObject({
      kind: 'upstreamUnreachable',
      message: expect.stringContaining('connection refused'),
    });
    expect(await failureOf(await serve(() => {}), 50)).toMatchObject({ kind: 'upstreamTimeout' });
    const half = await serve((_, res) => res.writeHead(200, { 'content-type': 'application/json' }).write('{"acc'));
    expect(await failureOf(half, 100)).toMatchObject({ kind: 'upstreamTimeout' });
  });

  it.each<[name: string, kind: string, said: RegExp, answer: (res: ServerResponse, form: string) => void]>([
    [
      'a refusal',
      'invalidAgentResponse',
      /refused the client's credentials \(HTTP 401, invalid_client\)$/,
      (res, form) => sendJson(res, { error: 'invalid_client', error_description: `not ${form}` }, 401),
    ],
    [
      'a refusal that echoes',
      'invalidAgentResponse',
      /refused the client's credentials \(HTTP 400\)$/,
      (res, form) => sendJson(res, { error: form, error_uri: form }, 400),
    ],
    ['too many', 'upstreamUnreachable', /it answered HTTP 429$/, (res) => res.writeHead(429).end('slow down')],
    ['a defect', 'upstreamUnreachable', /it answered HTTP 500$/, (res) => res.writeHead(500).end('<h1>oops</h1>')],
    [
      'a redirect',
      'invalidAgentResponse',
      /it answered HTTP 307$/,
      (res) => res.writeHead(307, { location: 'http://127.0.0.1:1/elsewhere' }).end(),
    ],
    ['no JSON', 'invalidAgentResponse', /its answer holds none$/, (res, form) => res.end(`<p>${form}`)],
    ['no object', 'invalidAgentResponse', /its answer holds none$/, (res) => sendJson(res, ['token-1'])],
    ['null', 'invalidAgentResponse', /its answer holds none$/, (res) => sendJson(res, null)],
    ['no token', 'invalidAgentResponse', /its answer holds none$/, (res) => sendJson(res, { token: 'token-1' })],
    [
      'a token that breaks the header',
      'invalidAgentResponse',
      /its answer holds none$/,
      (res) => sendJson(res, { access_token: 'token-1\r\nx-evil: 1' }),
    ],
    [
      'an answer without end',
      'invalidAgentResponse',
      /larger than 262144 bytes$/,
      (res) => {
        const more = () => {
          while (res.write('x'.repeat(65_536)));
          res.once('drain', more);
        };
        more();
      },
    ],
  ])('an endpoint that grants no token is reported: %s', async (_, kind, said, answer) => {
    const url = await serve(async (req, res) => answer(res, await bodyOf(req)));
    expect(await failureOf(url)).toMatchObject({ kind, message: expect.stringMatching(said) });
  });

  it('an endpoint that grants no token is reported: no HTTP, connection closed', async () => {
    const garbage = await serveTcp((socket) => socket.once('data', (data) => socket.end(data)));
    expect(await failureOf(garbage)).toMatchObject({ kind: 'invalidAgentResponse' });
    const hangsUp = await serveTcp((socket) => socket.once('data', () => socket.resetAndDestroy()));
    expect(await failureOf(hangsUp)).toMatchObject({ kind: 'upstreamUnreachable' });
  });

  it('an endpoint that grants no token brings nothing but a token or an A2AError, whatever JSON it answers with', async () => {
    let answer: unknown;
    const url = await serve((_, res) => sendJson(res, answer));
    const field = fc.oneof(fc.jsonValue(), fc.constantFrom('abc', 'Bearer', '60', 1e308, { toString: 1, valueOf: 1 }));
    await fc.assert(
      fc.asyncProperty(
        fc.record({ access_token: field, token_type: field, expires_in: field }, { requiredKeys: [] }),
        async (body) => {
          answer = body;
          const token = await source(url)
            .get(forever)
            .catch((error: unknown) => error);
          if (typeof token === 'string') expect(token).toMatch(/^[\x21-\x7e]+$/);
          else expect(token).toMatchObject({ kind: 'invalidAgentResponse' });
        },
      ),
      { numRuns: 50 },
    );
  });
});
