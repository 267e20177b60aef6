import { once } from 'node:events';
import { Agent, request } from 'node:https';
import { type ConnectionOptions, connect, type TLSSocket } from 'node:tls';
import { expect, it } from 'vitest';
import { createAuthority } from '../../support/certificates.ts';
import { startReloading } from './support.ts';

/** The listener's certificate is replaced while clients are connected. */

const authority = createAuthority('Gateways');
const issued = (name: string) =>
  authority.issue({
    subject: [['CN', name]],
    altNames: [['dns', 'localhost']],
  });

const text = `store: "memory:"
listen: { tls: { cert: ./server.pem, key: ./server.key } }
agents: { demo: { kind: reference } }
`;

async function shownTo(options: ConnectionOptions): Promise<{ name: string; socket: TLSSocket }> {
  const socket = connect({ host: 'localhost', servername: 'localhost', ca: authority.cert, ...options });
  await once(socket, 'secureConnect');
  return { name: String(socket.getPeerCertificate().subject.CN), socket };
}

it('connections that are made later are shown another one, those that are there stay', async () => {
  const [first, second] = [issued('first'), issued('second')];
  const { port, reload, write } = await startReloading(text, {
    files: { 'server.pem': first.cert, 'server.key': first.key },
  });
  const agent = new Agent({ keepAlive: true, maxSockets: 1, ca: authority.cert });
  const sockets = new Set<unknown>();
  const ask = (): Promise<number | undefined> =>
    new Promise((resolve, reject) => {
      const req = request({ agent, host: 'localhost', port, path: '/healthz' }, (res) => {
        sockets.add(res.socket);
        res.resume().on('end', () => resolve(res.statusCode));
      });
      req.on('error', reject).end();
    });
  expect(await ask()).toBe(200);
  const h2 = await shownTo({ port, ALPNProtocols: ['h2'] });
  expect(h2.name).toBe('first');

  write('server.pem', second.cert);
  write('server.key', second.key);
  expect(await reload(text)).toMatchObject({ restart: [] });
  const later = await shownTo({ port, ALPNProtocols: ['h2'] });
  expect([later.name, h2.socket.destroyed]).toEqual(['second', false]);
  expect([await ask(), sockets.size]).toEqual([200, 1]);

  // A key that does not fit is refused, and nothing changes.
  write('server.key', first.key);
  await expect(reload(text)).rejects.toThrow(/gateway\.yaml:2: listen\.tls: .*cannot be used for TLS/);
  const last = await shownTo({ port });
  expect(last.name).toBe('second');
  for (const { socket } of [h2, later, last]) socket.destroy();
  agent.destroy();
});

it('a client whose authority is not trusted any more gets no new connection', async () => {
  const others = createAuthority('Others');
  const server = issued('server');
  const mutual = text
    .replace('server.key }', 'server.key, clientCa: ./clients.pem }')
    .replace('agents:', 'auth: { mtls: { clients: [{ name: alice, commonName: alice }] } }\nagents:');
  const { port, reload, write } = await startReloading(mutual, {
    files: { 'server.pem': server.cert, 'server.key': server.key, 'clients.pem': authority.cert },
  });
  const alice = authority.issue({ subject: [['CN', 'alice']] });
  const { socket } = await shownTo({ port, ...alice });
  write('clients.pem', others.cert);
  await reload(mutual);
  expect(socket.destroyed).toBe(false);
  const refused = connect({ host: 'localhost', servername: 'localhost', ca: authority.cert, port, ...alice });
  // With TLS 1.3 the refusal comes after the client has finished.
  await new Promise<void>((resolve) => refused.on('error', () => {}).on('close', () => resolve()));
  socket.destroy();
});
