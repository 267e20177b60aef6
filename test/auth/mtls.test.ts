import { hash, X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { connect as connectHttp2 } from 'node:http2';
import { request } from 'node:https';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { fileURLToPath } from 'node:url';
import * as grpc from '@grpc/grpc-js';
import { afterEach, expect, it } from 'vitest';
import { hashOf, shownHash } from '../../src/auth/hash.ts';
import { api } from '../../src/core/model/a2a.ts';
import type { Gateway } from '../../src/gateway/compose/gateway.ts';
import { decode, encode } from '../../src/wire/protobuf.ts';
import { type Certified, createAuthority } from '../support/certificates.ts';
import { newFolder } from '../support/folders.ts';
import { openGateway } from '../support/gateway.ts';
import { paced } from '../support/pace.ts';

/** Client certificates, on the port that everything else is on. */

const tls = (name: string): string => fileURLToPath(new URL(`../support/tls/${name}`, import.meta.url));
const ca = readFileSync(tls('ca.pem'), 'utf8');
const folder = newFolder();

const authority = createAuthority('Clients');
const subject = (name: string) => [['O', 'Example'] as const, ['CN', name] as const];
const carol = authority.issue({ subject: subject('carol') });
const dave = authority.issue({ subject: subject('dave') });
const partners = createAuthority('Partners');
const otherCarol = partners.issue({ subject: subject('carol') });
/** The name of an authority in `auth.mtls.clients`: the hash of its public key. */
const keyOf = ({ cert }: Pick<Certified, 'cert'>): string =>
  hash('sha256', new X509Certificate(cert).publicKey.export({ type: 'spki', format: 'der' }), 'hex');
const expired = authority.issue({ subject: subject('carol'), until: Date.now() - 60_000 });
const forged = createAuthority('Clients').issue({ subject: subject('carol') });

let gateway: Gateway | undefined;
afterEach(async () => {
  await gateway?.close({ drainMs: 0 });
  gateway = undefined;
});

/** Starts a gateway that takes certificates of the authority. */
async function start(auth: string, authorities: readonly Pick<Certified, 'cert'>[] = [authority]): Promise<number> {
  const clientCa = join(folder, 'clients.pem');
  writeFileSync(clientCa, authorities.map(({ cert }) => cert).join(''));
  const listen = `{ port: 0, tls: { cert: ${tls('server.pem')}, key: ${tls('server.key')}, clientCa: ${clientCa} } }`;
  const text = `listen: ${listen}\nstore: "memory:"\nauth: ${auth}\n`;
  const opened = await openGateway(text, { file: join(folder, 'gateway.yaml') });
  ({ gateway } = opened);
  return opened.port;
}

/** The status of a request over HTTP/1.1, or how the connection failed. */
function status(
  port: number,
  client: Certified | undefined,
  { path = '/tasks', headers = {} }: { path?: string; headers?: Record<string, string> } = {},
): Promise<number | string> {
  return new Promise((resolve) => {
    const options = { host: 'localhost', port, path, ca, ...client, agent: false as const, timeout: 5_000 };
    const sent = request({ ...options, headers: { 'a2a-version': '1.0', ...headers } }, (res) => {
      res.resume().on('end', () => resolve(res.statusCode ?? 0));
    });
    sent.on('error', () => resolve('no connection'));
    sent.end();
  });
}

/** The status of the same request over HTTP/2. */
async function statusOver2(port: number, client: Certified | undefined): Promise<number | string> {
  const session = connectHttp2(`https://localhost:${port}`, { ca, ...client, ALPNProtocols: ['h2'] });
  const failed = once(session, 'error').then(() => 'no connection');
  const stream = session.request({ ':path': '/tasks', 'a2a-version': '1.0' });
  const answered = once(stream, 'response').then(
    ([headers]) => Number(headers[':status']),
    () => 'no connection',
  );
  const status = await Promise.race([answered, failed]);
  session.destroy();
  return status;
}

/** Sends a message over gRPC: the name of the status, and the task's id. */
async function sendOver(port: number, client: Certified | undefined, metadata = {}): Promise<[string, string]> {
  const key = client && Buffer.from(client.key);
  const credentials = grpc.credentials.createSsl(Buffer.from(ca), key, client && Buffer.from(client.cert));
  const channel = new grpc.Client(`localhost:${port}`, credentials, { 'grpc.use_local_subchannel_pool': 1 });
  const message = { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'hello' }] };
  const bytes = Buffer.from(encode(api, 'lf.a2a.v1.SendMessageRequest', { message }));
  const asIs = (value: Buffer): Buffer => value;
  const sent = new grpc.Metadata();
  for (const [name, value] of Object.entries(metadata)) sent.set(name, String(value));
  try {
    return await new Promise((resolve) => {
      const path = '/lf.a2a.v1.A2AService/SendMessage';
      channel.makeUnaryRequest(
        path,
        asIs,
        asIs,
        bytes,
        sent,
        { deadline: Date.now() + paced(5_000) },
        (error, answer) => {
          const type = 'lf.a2a.v1.SendMessageResponse';
          const { task } = answer ? decode<{ task?: { id: string } }>(api, type, answer) : {};
          resolve([error ? (grpc.status[error.code] ?? '') : 'OK', task?.id ?? '']);
        },
      );
    });
  } finally {
    channel.close();
  }
}

/** The status line of a request over a connection that may resume another; and what resumes it. */
function rawStatus(
  port: number,
  client: Certified | undefined,
  session?: Buffer,
): Promise<{ readonly line: string; readonly session: Buffer | undefined; readonly resumed: boolean }> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: 'localhost', port, ca, ...client, ...(session && { session }) });
    let last: Buffer | undefined;
    let text = '';
    let resumed = false;
    socket.on('session', (given) => {
      last = given;
    });
    socket.on('secureConnect', () => {
      resumed = socket.isSessionReused();
    });
    socket.on('error', reject);
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1');
    });
    socket.on('close', () => resolve({ line: text.split('\r\n', 1)[0] ?? '', session: last, resumed }));
    socket.write('GET /tasks HTTP/1.1\r\nHost: localhost\r\nA2A-Version: 1.0\r\nConnection: close\r\n\r\n');
  });
}

it('a gateway that requires client certificates of an authority refuses connections without a certificate, with an expired one, and with one of another authority', async () => {
  const port = await start('{ anonymous: false }');
  expect(await status(port, carol)).toBe(200);
  expect(await statusOver2(port, carol)).toBe(200);
  expect(await statusOver2(port, undefined)).toBe('no connection');
  expect(await status(port, undefined)).toBe('no connection');
  expect(await status(port, forged)).toBe('no connection');
  expect(await status(port, expired)).toBe('no connection');
  expect((await sendOver(port, carol))[0]).toBe('OK');
  expect((await sendOver(port, undefined))[0]).toBe('UNAVAILABLE');
});

it('a gateway that requires client certificates of an authority identifies each certificate subject as a different caller', async () => {
  const port = await start('{ anonymous: false }');
  const [, id] = await sendOver(port, carol);
  expect(id).not.toBe('');
  expect(await status(port, carol, { path: `/tasks/${id}` })).toBe(200);
  expect(await status(port, dave, { path: `/tasks/${id}` })).toBe(404);
});

it('a gateway that requires client certificates of an authority identifies the same subject of two authorities as two callers', async () => {
  const port = await start('{ anonymous: false }', [authority, partners]);
  for (const [owner, stranger] of [
    [carol, otherCarol],
    [otherCarol, carol],
  ] as const) {
    const [, id] = await sendOver(port, owner);
    expect(await status(port, owner, { path: `/tasks/${id}` })).toBe(200);
    expect(await status(port, stranger, { path: `/tasks/${id}` })).toBe(404);
  }
});

it('a gateway that requires client certificates of an authority finds the root authority behind an intermediate one, also on a resumed TLS session', async () => {
  const between = authority.intermediate('Between');
  const leaf = between.issue({ subject: subject('carol') });
  const withChain = { ...leaf, cert: leaf.cert + between.cert };
  const alone = await start('{ anonymous: false }');
  expect(await status(alone, withChain)).toBe(200);
  await gateway?.close({ drainMs: 0 });
  // Of several authorities, the one behind is found by the certificates in between, which are in the file, too.
  const port = await start('{ anonymous: false }', [authority, partners, between]);
  const [, id] = await sendOver(port, carol);
  // One subject of one authority is one caller.
  expect(await status(port, withChain, { path: `/tasks/${id}` })).toBe(200);
  const first = await rawStatus(port, withChain);
  const again = await rawStatus(port, undefined, first.session);
  expect([first.line, again.line, again.resumed]).toEqual(['HTTP/1.1 200 OK', 'HTTP/1.1 200 OK', true]);
});

it('a gateway that requires client certificates of an authority identifies callers as before after the authority renews its certificate with the same key', async () => {
  const port = await start('{ anonymous: false }', [authority.renewed(), partners]);
  expect(await status(port, carol)).toBe(200);
  const [, id] = await sendOver(port, carol);
  expect(await status(port, authority.issue({ subject: subject('carol') }), { path: `/tasks/${id}` })).toBe(200);
  expect(keyOf(authority.renewed())).toBe(keyOf(authority));
});

it('a gateway that requires client certificates of an authority does not start when a configured name matches clients of two authorities', async () => {
  const clients = (more: string) =>
    `{ anonymous: false, mtls: { clients: [{ name: carol, commonName: carol${more} }] } }`;
  const both = [authority, partners];
  await expect(start(clients(''), both)).rejects.toThrow(`clients.0 requires authority, since listen.tls.clientCa has`);
  const port = await start(clients(`, authority: ${keyOf(authority)}`), both);
  expect(await status(port, carol)).toBe(200);
  expect(await status(port, otherCarol)).toBe(401);
});

it('a gateway that requires client certificates of an authority accepts other configured credentials instead of a certificate', async () => {
  const key = `{ name: alice, hash: "${shownHash(hashOf('key of alice'))}" }`;
  const port = await start(`{ anonymous: false, apiKeys: [${key}] }`);
  const shown = { 'x-api-key': 'key of alice' };
  expect(await status(port, undefined, { headers: shown })).toBe(200);
  expect(await status(port, undefined)).toBe(401);
  expect(await status(port, carol)).toBe(200);
  expect((await sendOver(port, undefined, shown))[0]).toBe('OK');
  expect((await sendOver(port, undefined))[0]).toBe('UNAUTHENTICATED');
  // A certificate that is no good is not overlooked.
  expect(await status(port, forged, { headers: shown })).toBe('no connection');
  expect(await status(port, expired, { headers: shown })).toBe('no connection');
});

it('a gateway that requires client certificates of an authority identifies the caller of a resumed TLS session by the first one, with or without a certificate', async () => {
  const port = await start('{ anonymous: false, mtls: { required: false } }');
  for (const [client, expected] of [
    [carol, 'HTTP/1.1 200 OK'],
    [undefined, 'HTTP/1.1 401 Unauthorized'],
  ] as const) {
    const first = await rawStatus(port, client);
    const again = await rawStatus(port, undefined, first.session);
    expect([first.line, again.line, again.resumed]).toEqual([expected, expected, true]);
  }
});
