import type { ServerResponse } from 'node:http';
import { inspect } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { A2AError } from '../../../src/core/model/errors.ts';
import { neverArrived, neverTried } from '../../../src/net/network-errors.ts';
import { bodyOf, closedPortUrl, sendJson, serve } from '../../support/peer.ts';
import { bearer, exchanging, forever, granting, jwt, openTokens, settingsOf } from './on-behalf.ts';

const [alice, bob] = [bearer('alice-token'), bearer('bob-token')];

it('a token for a caller is asked for with the token of the caller, for the audience, with the client and more fields', async () => {
  const { tokenUrl, forms } = await granting();
  const settings = settingsOf(tokenUrl, {
    audience: 'weather',
    resource: 'https://weather.test/',
    scopes: ['read', 'write'],
    parameters: { requested_token_use: 'on_behalf_of' },
  });
  expect(await openTokens(settings).headers(alice, forever)).toEqual({ authorization: 'Bearer granted-1' });
  expect(forms).toEqual([
    {
      grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
      subject_token: 'alice-token',
      subject_token_type: 'urn:ietf:params:oauth:token-type:access_token',
      audience: 'weather',
      resource: 'https://weather.test/',
      scope: 'read write',
      requested_token_use: 'on_behalf_of',
      client_id: 'gw',
      client_secret: 's3cret',
    },
  ]);
});

it('a token for a caller is fetched once for concurrent calls, and is never that of another caller', async () => {
  const { tokenUrl, forms } = await granting();
  const tokens = openTokens(settingsOf(tokenUrl));
  const callers = [alice, bob, { ...alice, principal: 'jwt:i#other' }];
  const sent = await Promise.all(
    Array.from({ length: 30 }, (_, at) => tokens.headers(callers[at % 3] ?? alice, forever)),
  );
  const each = callers.map((_, at) => new Set(sent.filter((__, i) => i % 3 === at).map((one) => one.authorization)));
  expect(each.map(({ size }) => size)).toEqual([1, 1, 1]);
  expect(new Set(sent.map((one) => one.authorization)).size).toBe(3);
  expect(forms.map((form) => form.subject_token).toSorted()).toEqual(['alice-token', 'alice-token', 'bob-token']);
  expect(await tokens.headers(alice, forever)).toEqual(sent[0]);
  expect(forms).toHaveLength(3);
});

it('a token for a caller is used until shortly before it expires, also where clocks differ', async () => {
  let now = Date.now();
  const clock = () => now;
  // The issuer's clock is an hour ahead: what a token says of its life counts.
  const issued = (now + 3_600_000) / 1_000;
  const { tokenUrl, forms, answer } = await granting();
  const tokens = openTokens(settingsOf(tokenUrl), { clock });
  answer.fields = { access_token: jwt({ iat: issued, exp: issued + 300, n: 1 }), expires_in: undefined };
  const first = await tokens.headers(alice, forever);
  now += 239_999;
  expect(await tokens.headers(alice, forever)).toEqual(first);
  now += 1;
  answer.fields = { access_token: 'short', expires_in: 4 };
  expect(await tokens.headers(alice, forever)).toEqual({ authorization: 'Bearer short' });
  now += 2_999;
  expect(await tokens.headers(alice, forever)).toEqual({ authorization: 'Bearer short' });
  now += 1;
  answer.fields = {};
  expect(await tokens.headers(alice, forever)).toEqual({ authorization: 'Bearer granted-3' });
  expect(forms).toHaveLength(3);
});

it('a token for a caller stays in use while the issuer is away, as long as it is valid, and not every call asks', async () => {
  let now = 0;
  const { tokenUrl, forms, answer } = await granting();
  const tokens = openTokens(settingsOf(tokenUrl), { clock: () => now });
  await tokens.headers(alice, forever);
  answer.status = 503;
  for (now of [3_560_000, 3_569_999, 3_570_000, 3_599_999]) {
    expect(await tokens.headers(alice, forever)).toEqual({ authorization: 'Bearer granted-1' });
  }
  expect(forms).toHaveLength(4);
  now += 1;
  await expect(tokens.headers(alice, forever)).rejects.toMatchObject({ kind: 'unavailable' });
});

it('a token for a caller is replaced once after the agent has refused it, for all calls that sent it', async () => {
  const { tokenUrl, forms } = await granting();
  const tokens = openTokens(settingsOf(tokenUrl));
  const sent = await Promise.all([1, 2, 3].map(() => tokens.headers(alice, forever)));
  for (const headers of sent) expect(tokens.rejected(headers)).toBe(true);
  expect(await tokens.headers(alice, forever)).toEqual({ authorization: 'Bearer granted-2' });
  // Late news of the first one does not cost the second.
  expect(tokens.rejected(sent[0] ?? {})).toBe(true);
  expect(await tokens.headers(alice, forever)).toEqual({ authorization: 'Bearer granted-2' });
  expect(tokens.rejected({})).toBe(false);
  expect(forms).toHaveLength(2);
});

it('a token for a caller that the agent refuses while another one is asked for in vain is not used again', async () => {
  let now = 0;
  const waiting: ServerResponse[] = [];
  const url = await serve((_, res) => {
    if (waiting.push(res) === 1) sendJson(res, { access_token: 'first', expires_in: 3_600 });
  });
  const tokens = openTokens(settingsOf(url), { clock: () => now });
  const sent = await tokens.headers(alice, forever);
  now = 3_550_000;
  const renewing = tokens.headers(alice, forever);
  await expect.poll(() => waiting.length).toBe(2);
  tokens.rejected(sent);
  waiting[1]?.writeHead(503).end();
  await expect(renewing).rejects.toMatchObject({ kind: 'unavailable' });
});

it('a token for a caller comes to others who wait for it although one gives up', async () => {
  const waiting: ServerResponse[] = [];
  const tokens = openTokens(settingsOf(await serve((_, res) => void waiting.push(res))));
  const impatient = new AbortController();
  const [first, second] = [tokens.headers(alice, impatient.signal), tokens.headers(alice, forever)];
  await expect.poll(() => waiting.length).toBe(1);
  impatient.abort(new Error('gone'));
  await expect(first).rejects.toMatchObject({ kind: 'canceled' });
  for (const res of waiting) sendJson(res, { access_token: 'late' });
  expect(await second).toEqual({ authorization: 'Bearer late' });
});

it.each([
  ['nothing', {}],
  ['an API key', { apiKey: 'alice-key' }],
  ['a name and a password', { authorization: 'Basic YTpi' }],
  ['an empty token', { authorization: 'Bearer ' }],
])('a caller without a token is refused with the agent and the setting: %s', async (_, shown) => {
  const { tokenUrl, forms } = await granting();
  const error: unknown = await openTokens(settingsOf(tokenUrl))
    .headers({ ...shown, principal: 'key:alice' }, forever)
    .catch((thrown) => thrown);
  expect(error).toMatchObject({
    kind: 'unauthenticated',
    message: expect.stringMatching(/^The agent weather is called .*auth\.type exchange.*auth\.subject/),
  });
  expect(neverTried(error)).toBe(true);
  expect(forms).toHaveLength(0);
});

it('a caller without a token is represented by the actor where that is configured', async () => {
  const { tokenUrl, forms } = await granting();
  const actor = { type: 'bearer', token: exchanging.secret('gateway-token') } as const;
  const tokens = openTokens(settingsOf(tokenUrl, { subject: 'callerOrActor', actor }));
  await tokens.headers({ principal: 'key:alice' }, forever);
  await tokens.headers({ principal: 'key:bob' }, forever);
  await tokens.headers(alice, forever);
  expect(forms).toHaveLength(2);
  expect(forms[0]).toMatchObject({ subject_token: 'gateway-token' });
  expect(forms[0]).not.toHaveProperty('actor_token');
  expect(forms[1]).toMatchObject({
    subject_token: 'alice-token',
    actor_token: 'gateway-token',
    actor_token_type: 'urn:ietf:params:oauth:token-type:access_token',
  });
});

it("the exchange of a caller's token gets the actor's token with client credentials, and a new one after the issuer has refused", async () => {
  const { tokenUrl, forms, answer } = await granting();
  const own = await granting();
  const actor = { type: 'oauth2', clientId: 'gw', scopes: [], tokenUrl: own.tokenUrl } as const;
  const clientSecret = exchanging.secret('s3cret');
  const tokens = openTokens(settingsOf(tokenUrl, { actor: { ...actor, clientSecret } }));
  await tokens.headers(alice, forever);
  answer.status = 400;
  answer.fields = { error: 'invalid_request' };
  await expect(tokens.headers(bob, forever)).rejects.toMatchObject({ kind: 'unauthenticated' });
  answer.status = 200;
  await tokens.headers(bob, forever);
  expect(forms.map((form) => form.actor_token)).toEqual(['granted-1', 'granted-1', 'granted-2']);
  expect(own.forms.map((form) => form.grant_type)).toEqual(['client_credentials', 'client_credentials']);
});

/** The error of an issuer, which names neither a token nor a secret. */
async function errorAt(tokenUrl: string, more = {}, caller = alice, timeout = 10_000): Promise<A2AError> {
  const tokens = openTokens(settingsOf(tokenUrl, { audience: 'weather', ...more }), { timeout });
  const error: unknown = await tokens.headers(caller, forever).catch((thrown) => thrown);
  if (!(error instanceof A2AError)) throw new TypeError(`no A2AError: ${inspect(error)}`);
  expect(inspect(error, { depth: 9 })).not.toMatch(/s3cret|granted|alice-token|eyJ/);
  expect(error.message).toContain('the token issuer of the agent weather'.slice(4));
  expect(neverArrived(error) || neverTried(error)).toBe(true);
  return error;
}

describe('an issuer', () => {
  it.each([
    [400, 'invalid_grant', 'unauthenticated', /refused the caller's token \(HTTP 400, invalid_grant\)$/],
    [401, 'invalid_token', 'unauthenticated', /refused the caller's token/],
    [403, 'access_denied', 'permissionDenied', /refused the caller's token/],
    [400, 'invalid_target', 'invalidAgentResponse', /refused the client's credentials \(HTTP 400, invalid_target\)$/],
    [401, 'invalid_client', 'invalidAgentResponse', /refused the client's credentials/],
    [400, 'alice-token', 'invalidAgentResponse', /refused the client's credentials \(HTTP 400\)$/],
    [503, 'server_error', 'unavailable', /it answered HTTP 503, server_error$/],
    [429, '', 'unavailable', /it answered HTTP 429$/],
  ])('an issuer that refuses says whose fault it is: %i %s', async (status, error, kind, said) => {
    const { tokenUrl, answer } = await granting();
    Object.assign(answer, { status, fields: { error, error_description: 'alice-token' } });
    expect(await errorAt(tokenUrl)).toMatchObject({ kind, message: expect.stringMatching(said) });
  });

  it('an issuer that is away, or too slow, is an error within the deadline', async () => {
    expect(await errorAt(`${await closedPortUrl()}/token`)).toMatchObject({
      kind: 'unavailable',
      message: expect.stringMatching(/weather: connection refused$/),
    });
    expect(await errorAt(await serve(() => {}), {}, alice, 300)).toMatchObject({ kind: 'unavailable' });
    const half = await serve((_, res) => res.writeHead(200).write('{"access_token":"granted'));
    expect(await errorAt(half, {}, alice, 300)).toMatchObject({ kind: 'unavailable' });
  });

  const issuer = 'https://issuer.test';
  const now = Math.floor(Date.now() / 1_000);
  it.each<[what: string, said: RegExp, fields: object]>([
    ['a refresh token', /issued_token_type/, { issued_token_type: 'urn:ietf:params:oauth:token-type:refresh_token' }],
    ['a type that is none', /issued_token_type/, { issued_token_type: 7 }],
    ['a token bound to a key', /token_type/, { token_type: 'DPoP' }],
    ['no access token', /token_type/, { token_type: 'N_A' }],
    ['another audience', /another audience \(aud\)/, { access_token: jwt({ aud: ['calendar', 'mail'] }) }],
    ["another's token", /another caller \(sub\)/, { access_token: jwt({ iss: issuer, aud: 'weather', sub: 'bob' }) }],
    ['a token that lives no longer', /already expired.*clocks/, { expires_in: 0 }],
    ['a token of yesterday', /already expired.*clocks/, { access_token: jwt({ exp: now - 86_400 }) }],
    [
      'a token that ends before it begins',
      /expired/,
      { access_token: jwt({ iat: now, exp: now - 1 }), expires_in: '' },
    ],
    ['a token that fits into no header', /longer than 16384/, { access_token: 'granted'.repeat(4_000) }],
    ['nothing', /its answer holds none$/, { access_token: undefined }],
  ])('an issuer that answers with %s is refused, and the answer is not used later', async (_, said, fields) => {
    const { tokenUrl, answer } = await granting();
    answer.fields = fields;
    const caller = bearer(jwt({ iss: issuer, sub: 'alice' }));
    expect(await errorAt(tokenUrl, {}, caller)).toMatchObject({
      kind: 'invalidAgentResponse',
      message: expect.stringMatching(said),
    });
    const tokens = openTokens(settingsOf(tokenUrl, { audience: 'weather' }));
    await expect(tokens.headers(caller, forever)).rejects.toThrow(said);
    answer.fields = { access_token: 'good' };
    expect(await tokens.headers(caller, forever)).toEqual({ authorization: 'Bearer good' });
  });

  it('an issuer that names its users otherwise for each client is believed where another claim is configured, or none', async () => {
    const { tokenUrl, answer } = await granting();
    answer.fields = { access_token: jwt({ iss: issuer, sub: 'pairwise', oid: 'alice-id' }) };
    const caller = bearer(jwt({ iss: issuer, sub: 'alice', oid: 'alice-id' }));
    for (const subjectClaim of ['oid', '']) {
      const tokens = openTokens(settingsOf(tokenUrl, { subjectClaim }));
      expect((await tokens.headers(caller, forever)).authorization).toMatch(/^Bearer /);
    }
  });

  it('an issuer brings nothing but a token or an A2AError, whatever JSON it answers with', async () => {
    let answer: unknown;
    const url = await serve(async (req, res) => {
      await bodyOf(req);
      sendJson(res, answer);
    });
    const field = fc.oneof(fc.jsonValue(), fc.constantFrom('abc', 'a.b.c', jwt({ exp: 'x', aud: {} }), '60', 1e308));
    await fc.assert(
      fc.asyncProperty(
        fc.record(
          { access_token: field, token_type: field, expires_in: field, issued_token_type: field, refresh_token: field },
          { requiredKeys: [] },
        ),
        async (body) => {
          answer = body;
          const tokens = openTokens(settingsOf(url, { audience: 'weather' }));
          const got = await tokens.headers(alice, forever).catch((error: unknown) => error);
          if (got instanceof A2AError) expect(got.kind).toBe('invalidAgentResponse');
          else expect(got).toEqual({ authorization: expect.stringMatching(/^Bearer [\x21-\x7e]+$/) });
        },
      ),
      { numRuns: 50 },
    );
  });
});
