import { expect, it } from 'vitest';
import { startIdentityProvider } from '../../support/identity-provider.ts';
import { caller, keysOf, type Streaming, sending, startReloading } from './support.ts';

/** Streams of callers who showed something else than a key, when the configuration changes. */

const v1 = { 'Content-Type': 'application/json', 'A2A-Version': '1.0' };

/** A stream that is opened with a token. */
async function streamWith(url: string, token: string): Promise<Pick<Streaming, 'text' | 'over'>> {
  const response = await fetch(`${url}/message:stream`, {
    method: 'POST',
    headers: { ...v1, Authorization: `Bearer ${token}` },
    body: JSON.stringify(sending('wait')),
  });
  let text = '';
  const over = (async () => {
    for await (const chunk of response.body as AsyncIterable<Uint8Array>) text += Buffer.from(chunk).toString();
    return text;
  })();
  while (!text.includes('WORKING')) await new Promise((resolve) => setTimeout(resolve, 5));
  return { text: () => text, over };
}

const head = 'store: "memory:"\nagents: { demo: { kind: reference } }\n';

it('a stream with a token of an identity provider goes on as long as the token would be verified, and allows it', async () => {
  const provider = await startIdentityProvider();
  const jwt = (more: string): string =>
    `${head}auth: { anonymous: false, jwt: { issuer: "${provider.issuer}", audience: a2a, jwksUrl: "${provider.jwksUrl}"${more} } }\n`;
  const { url, reload } = await startReloading(jwt(''));
  const stream = await streamWith(url, provider.token('carol'));
  expect((await reload(jwt(', agents: [demo]'))).ended).toBe(0);
  expect((await reload(jwt(', scopes: [tasks]'))).ended).toBe(0);
  expect(stream.text()).not.toContain('error');
  expect((await reload(jwt(', scopes: [knowledge]'))).ended).toBe(1);
  expect(await stream.over).toContain('PERMISSION_DENIED');
  expect((await reload(jwt(''))).ended).toBe(0);
  const another = await streamWith(url, provider.token('carol'));
  expect((await reload(jwt(', clockTolerance: 1s'))).ended).toBe(1);
  expect(await another.over).toContain('UNAUTHENTICATED');
  // A new stream with the token opens.
  await streamWith(url, provider.token('carol'));
});

it('a stream with a token of the token endpoint goes on as long as the client has the secret that it was granted for', async () => {
  const { key, line } = keysOf('bob', 'other');
  const client = (name: string, more = ''): string =>
    line(name, more)
      .replace('name: ', 'id: ')
      .replace(/id: other/, 'id: bob');
  const clients = (...lines: readonly string[]): string =>
    `${head}auth: { anonymous: false, tokenEndpoint: { clients: [${lines.join(', ')}] } }\n`;
  const { url, reload } = await startReloading(clients(client('bob')));
  const granted = await fetch(`${url}/oauth/token`, {
    method: 'POST',
    body: new URLSearchParams({ grant_type: 'client_credentials', client_id: 'bob', client_secret: key('bob') }),
  });
  const { access_token: token } = (await granted.json()) as { access_token: string };
  const stream = await streamWith(url, token);
  // A second secret is added, and then replaces the first.
  expect((await reload(clients(client('bob'), client('other')))).ended).toBe(0);
  expect((await reload(clients(client('other')))).ended).toBe(1);
  expect(await stream.over).toContain('UNAUTHENTICATED');
  const refused = await fetch(`${url}/tasks`, { headers: { ...v1, Authorization: `Bearer ${token}` } });
  expect(refused.status).toBe(401);
  // Without the endpoint there is none.
  const { line: keyLine } = keysOf('alice');
  await reload(`${head}auth: { anonymous: false, apiKeys: [${keyLine('alice')}] }\n`);
  expect((await caller(url).post('/oauth/token', {})).status).toBe(401);
});
