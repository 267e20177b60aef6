import { generateKeyPairSync } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { jwtVerify } from 'jose';
import { describe, expect, it } from 'vitest';
import { newKey } from '../../../src/auth/hash.ts';
import { connect } from '../../../src/client/index.ts';
import { silent } from '../../support/core.ts';
import { newFolder } from '../../support/folders.ts';
import { startGateway } from '../../support/gateway.ts';
import { type Issuer, startAuthorized, startIssuer } from '../../support/tools/authorized-server.ts';
import { startTools } from '../../support/tools/gateway.ts';

/** Tool servers that want tokens of the authorization server that they name. */

const clientSecret = 'very secret words';
const client = { clientId: 'gateway', clientSecret };

/** A gateway in front of a server, and its warnings. */
async function gatewayFor(url: string, auth: object) {
  const logged: unknown[] = [];
  const logger = { ...silent, warn: (fields: object) => void logged.push(fields) };
  const gateway = await startTools({ servers: { it: { url, auth: { type: 'oauth2Discovery', ...auth } } }, logger });
  const call = async (name: string, args = {}): Promise<string> => {
    const peer = await connect(gateway.origin);
    const { task } = await peer.send([{ data: { tool_name: name, arguments: args } }]);
    return task?.status.message?.parts.find(({ text }) => text !== undefined)?.text ?? `${task?.status.state}`;
  };
  return { call, logged };
}

const done = 'TASK_STATE_COMPLETED';

/** An issuer, a server that wants its tokens, and a gateway in front. */
async function start(auth: object = client, options: Parameters<typeof startIssuer>[0] = {}) {
  const issuer = await startIssuer(options);
  const server = await startAuthorized(issuer);
  return { issuer, server, ...(await gatewayFor(server.url, { issuer: issuer.issuer, ...auth })) };
}

const scopesOf = ({ requests }: Issuer) => requests.map(({ form }) => form.get('scope'));

it('a token is for this server alone, with the scopes that it names, and is shared by all calls', async () => {
  const { issuer, server, call } = await start();
  expect(await Promise.all([call('read'), call('read'), call('read')])).toEqual([done, done, done]);
  expect(issuer.requests).toHaveLength(1);
  const [{ authorization, form } = expect.fail('no request')] = issuer.requests;
  expect(authorization).toBe(`Basic ${btoa(`gateway:${clientSecret}`)}`);
  expect(Object.fromEntries(form)).toEqual({ grant_type: 'client_credentials', scope: 'read', resource: server.url });
  expect(server.unauthorized).toBe(1);
});

it('a token is replaced by one with more scopes when a call needs them', async () => {
  const { issuer, call } = await start();
  expect(await call('read')).toBe(done);
  expect(await call('write')).toBe(done);
  expect(await call('read')).toBe(done);
  expect(scopesOf(issuer)).toEqual(['read', 'read write']);
});

it('a token has no other scopes than the configured ones', async () => {
  const { issuer, call } = await start({ ...client, scopes: ['read'] });
  expect(await call('read')).toBe(done);
  expect(await call('write')).toBe('[A2A_PROXY/MCP_UNAUTHORIZED] The server denies the gateway access (HTTP 403)');
  expect(scopesOf(issuer)).toEqual(['read']);
});

it('a token that was revoked is replaced, once', async () => {
  const { issuer, call } = await start();
  expect(await call('read')).toBe(done);
  issuer.granted.clear();
  expect(await call('read')).toBe(done);
  expect(issuer.requests).toHaveLength(2);
  issuer.granted.set = () => issuer.granted;
  issuer.granted.clear();
  expect(await call('read')).toBe('[A2A_PROXY/MCP_UNAUTHORIZED] The server denies the gateway access (HTTP 401)');
  expect(issuer.requests).toHaveLength(3);
});

it('a token is replaced before it expires', async () => {
  const { issuer, server, call } = await start(client, { lifetime: 60 });
  expect(await call('read')).toBe(done);
  expect(issuer.requests.length).toBeGreaterThan(1);
  expect(server.unauthorized).toBe(1);
});

it.each([
  ['an EC key', () => generateKeyPairSync('ec', { namedCurve: 'P-384' })],
  ['an RSA key', () => generateKeyPairSync('rsa', { modulusLength: 2048 })],
  ['an Ed25519 key', () => generateKeyPairSync('ed25519')],
])('a token is granted for an assertion that is signed with %s', async (_, pair) => {
  const { publicKey, privateKey } = pair();
  const folder = newFolder();
  const file = join(folder, 'key.pem');
  await writeFile(file, privateKey.export({ type: 'pkcs8', format: 'pem' }));
  const { issuer, call } = await start({ clientId: 'gateway', privateKey: file });
  expect(await call('read')).toBe(done);
  const assertion = issuer.requests[0]?.form.get('client_assertion') ?? '';
  const { payload } = await jwtVerify(assertion, publicKey, { audience: issuer.issuer, issuer: 'gateway' });
  expect(payload.sub).toBe('gateway');
});

it('a token is got from another gateway, which issues tokens itself', async () => {
  const { key, hash } = newKey();
  const other = await startGateway({
    settings: `auth: { anonymous: false, tokenEndpoint: { clients: [{ id: gateway, hash: "${hash}" }] } }`,
  });
  const settings = { issuer: other.origin, clientId: 'gateway', clientSecret: key };
  const { call } = await gatewayFor(`${other.origin}/demo/mcp`, settings);
  expect(await call('echo', { message: 'say hello' })).not.toContain('MCP_UNAUTHORIZED');
});

describe('no credentials are sent', () => {
  const elsewhere = 'http://127.0.0.1:9';

  it.each<[string, (issuer: string) => { claims?: object; server?: object; metadata?: string }, string]>([
    ['where the server names another issuer', () => ({ server: { authorization_servers: [elsewhere] } }), 'not name'],
    ['where the metadata is of another issuer', () => ({ claims: { issuer: elsewhere } }), 'Issuer mismatch'],
    ['for another resource', () => ({ server: { resource: `${elsewhere}/mcp` } }), 'does not match'],
    [
      'where the metadata is at another origin',
      () => ({ metadata: `${elsewhere}/prm` }),
      'belongs to neither the server nor the issuer',
    ],
    ['without encryption', () => ({ claims: { token_endpoint: 'http://idp.example.com/token' } }), 'https'],
  ])('no credentials are sent %s', async (_, liesOf, reason) => {
    const issuer = await startIssuer();
    const { claims, server: said, metadata } = liesOf(issuer.issuer);
    const liar = claims ? await startIssuer({ claims }) : issuer;
    const { url } = await startAuthorized(liar, said, metadata);
    const { call, logged } = await gatewayFor(url, { issuer: liar.issuer, ...client });
    expect(await call('read')).toBe(
      '[A2A_PROXY/MCP_UNAUTHORIZED] The gateway cannot get an access token for the server',
    );
    expect(liar.requests).toEqual([]);
    const errors = logged.map((fields) => String((fields as { err?: Error }).err)).join('\n');
    expect(errors).toContain(reason);
    expect(JSON.stringify(logged) + errors).not.toContain(clientSecret);
  });
});

it('an authorization server that cannot be reached is reported as that', async () => {
  const issuer = 'http://127.0.0.1:9';
  const { url } = await startAuthorized({ issuer, requests: [], granted: new Map() });
  const { call } = await gatewayFor(url, { issuer, ...client });
  expect(await call('read')).toBe(
    "[A2A_PROXY/MCP_CONNECTION_ERROR] The server's authorization server cannot be reached",
  );
});
