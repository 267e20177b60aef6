import { generateKeyPairSync } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { decodeProtectedHeader, jwtVerify } from 'jose';
import { describe, expect, it } from 'vitest';
import type { SettingsOf } from '../../../src/net/credentials/outbound-settings.ts';
import { newFolder } from '../../support/folders.ts';
import { bearer, forever, granting, jwt, keptState, openTokens, settingsOf } from './on-behalf.ts';

const principal = 'jwt:https://issuer.test#alice';
const alice = bearer('alice-token', principal);

it('the token of a task is kept sealed, and used at another replica without the caller until it expires', async () => {
  let now = 0;
  const { tokenUrl, forms } = await granting();
  const { kept, values } = keptState();
  const options = { clock: () => now };
  await openTokens(settingsOf(tokenUrl), options).headers({ ...alice, kept }, forever);
  expect(JSON.stringify([...values])).not.toMatch(/granted|alice/);
  const other = openTokens(settingsOf(tokenUrl), options);
  const headers = await other.headers({ principal, kept }, forever);
  expect(headers).toEqual({ authorization: 'Bearer granted-1' });
  now = 3_599_999;
  expect(await other.headers({ principal, kept }, forever)).toEqual(headers);
  now += 1;
  await expect(other.headers({ principal, kept }, forever)).rejects.toMatchObject({
    kind: 'unauthenticated',
    message: expect.stringMatching(/agent weather .*expired or was refused.*cannot be renewed without the caller/),
  });
  expect(forms).toHaveLength(1);
});

it('the token of a task is not used after the agent has refused it, nor for another principal, nor with the secret of another store', async () => {
  const { tokenUrl } = await granting();
  const { kept } = keptState();
  await openTokens(settingsOf(tokenUrl)).headers({ ...alice, kept }, forever);
  const other = openTokens(settingsOf(tokenUrl));
  const refused = { kind: 'unauthenticated', message: expect.stringMatching(/auth\.subject/) };
  await expect(other.headers({ principal: 'key:mallory', kept }, forever)).rejects.toMatchObject(refused);
  const elsewhere = openTokens(settingsOf(tokenUrl), { secret: async () => 'of another store' });
  await expect(elsewhere.headers({ principal, kept }, forever)).rejects.toMatchObject(refused);
  const headers = await other.headers({ principal, kept }, forever);
  expect(other.rejected(headers)).toBe(true);
  await expect(other.headers({ principal, kept }, forever)).rejects.toThrow(/expired or was refused/);
});

it('the token of a task is refreshed without the caller where the issuer gave a refresh token, also when that changes each time', async () => {
  let now = 0;
  const { tokenUrl, forms, answer } = await granting();
  const { kept } = keptState();
  answer.fields = { refresh_token: 'refresh-1' };
  await openTokens(settingsOf(tokenUrl), { clock: () => now }).headers({ ...alice, kept }, forever);
  const other = openTokens(settingsOf(tokenUrl), { clock: () => now });
  now = 4_000_000;
  answer.fields = { refresh_token: 'refresh-2' };
  const both = await Promise.all([1, 2].map(() => other.headers({ principal, kept }, forever)));
  expect(both).toEqual([{ authorization: 'Bearer granted-2' }, { authorization: 'Bearer granted-2' }]);
  now = 8_000_000;
  const third = openTokens(settingsOf(tokenUrl), { clock: () => now });
  expect(await third.headers({ principal, kept }, forever)).toEqual({ authorization: 'Bearer granted-3' });
  const client = { client_id: 'gw', client_secret: 's3cret' };
  expect(forms.slice(1)).toEqual([
    { grant_type: 'refresh_token', refresh_token: 'refresh-1', ...client },
    { grant_type: 'refresh_token', refresh_token: 'refresh-2', ...client },
  ]);
  answer.status = 400;
  answer.fields = { error: 'invalid_grant' };
  now = 12_000_000;
  await expect(third.headers({ principal, kept }, forever)).rejects.toMatchObject({ kind: 'unauthenticated' });
  // The caller is back, with its token.
  answer.status = 200;
  answer.fields = {};
  expect((await third.headers({ ...alice, kept }, forever)).authorization).toMatch(/^Bearer granted-/);
});

it('the token of a task that cannot be kept does not end the call', async () => {
  const { tokenUrl } = await granting();
  const lines: string[] = [];
  const logger = { warn: (_: object, message: string) => void lines.push(message) };
  const kept = { get: async () => undefined, set: () => Promise.reject(new Error('the store is away')) };
  const tokens = openTokens(settingsOf(tokenUrl), { logger });
  expect(await tokens.headers({ ...alice, kept }, forever)).toEqual({ authorization: 'Bearer granted-1' });
  expect(lines).toEqual([expect.stringMatching(/cannot store the token of a task/)]);
});

describe('the JWT bearer grant', () => {
  const settings = (tokenUrl: string, more: Partial<SettingsOf<'jwtBearer'>> = {}): SettingsOf<'jwtBearer'> => ({
    type: 'jwtBearer',
    tokenUrl,
    scopes: [],
    parameters: {},
    subject: 'caller',
    subjectClaim: 'sub',
    ...more,
  });
  const grant_type = 'urn:ietf:params:oauth:grant-type:jwt-bearer';

  it("the JWT bearer grant sends the caller's JWT, and refuses a token that is none", async () => {
    const { tokenUrl, forms } = await granting();
    const tokens = openTokens(settings(tokenUrl, { parameters: { requested_token_use: 'on_behalf_of' } }));
    const assertion = jwt({ sub: 'alice' });
    await tokens.headers(bearer(assertion), forever);
    expect(forms).toEqual([{ grant_type, assertion, requested_token_use: 'on_behalf_of' }]);
    await expect(tokens.headers(alice, forever)).rejects.toMatchObject({
      kind: 'unauthenticated',
      message: expect.stringMatching(/agent weather .*auth\.type jwtBearer.*auth\.privateKey/),
    });
  });

  it('the JWT bearer grant signs a JWT about the caller: of a token that the gateway verified, or of every principal', async () => {
    const { tokenUrl, forms } = await granting();
    const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const path = join(newFolder(), 'key.pem');
    writeFileSync(path, privateKey.export({ type: 'pkcs8', format: 'pem' }));
    const signing = { privateKey: path, keyId: 'k1', issuer: 'gw' };
    const ofTokens = openTokens(settings(tokenUrl, signing));
    const { kept, values } = keptState();
    await ofTokens.headers({ ...alice, kept }, forever);
    // A resumed task needs its caller's id alone.
    await ofTokens.headers({ principal, kept }, forever);
    expect(values.size).toBe(0);
    await expect(ofTokens.headers({ ...alice, principal: 'key:alice' }, forever)).rejects.toMatchObject({
      kind: 'unauthenticated',
      message: expect.stringMatching(/auth\.subject of the agent to principal/),
    });
    await openTokens(settings(tokenUrl, { ...signing, subject: 'principal', assertionAudience: 'them' })).headers(
      { principal: 'key:alice' },
      forever,
    );
    const [first = '', second = ''] = forms.map(({ assertion }) => assertion);
    expect(forms).toHaveLength(2);
    expect(decodeProtectedHeader(first)).toEqual({ alg: 'ES256', typ: 'JWT', kid: 'k1' });
    const wanted = { issuer: 'gw', requiredClaims: ['iat', 'exp', 'jti'] };
    expect((await jwtVerify(first, publicKey, { ...wanted, audience: tokenUrl })).payload.sub).toBe('alice');
    expect((await jwtVerify(second, publicKey, { ...wanted, audience: 'them' })).payload.sub).toBe('key:alice');
  });

  it('the JWT bearer grant names the file of a key that cannot be used', async () => {
    const { tokenUrl } = await granting();
    const tokens = openTokens(settings(tokenUrl, { privateKey: '/nowhere/key.pem', issuer: 'gw' }));
    await expect(tokens.headers(alice, forever)).rejects.toThrow('cannot read a private key from /nowhere/key.pem');
  });
});
