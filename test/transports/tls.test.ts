import { execFile, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseConfig } from '../../src/config/parse.ts';
import type { Gateway } from '../../src/gateway/compose/gateway.ts';
import { buf } from '../support/buf.ts';
import { openGateway } from '../support/gateway.ts';
import { paced } from '../support/pace.ts';

/** All bindings on one port with TLS: ALPN decides, and clients need no special settings. */

const file = (name: string): string => fileURLToPath(new URL(`../support/tls/${name}`, import.meta.url));
const here = fileURLToPath(new URL('gateway.yaml', import.meta.url));

let gateway: Gateway;
let origin: string;
beforeAll(async () => {
  const tls = `{ cert: ${file('server.pem')}, key: ${file('server.key')} }`;
  const config = parseConfig(`listen: { port: 0, tls: ${tls} }\nstore: "memory:"\n`, { file: here });
  ({ gateway, url: origin } = await openGateway(config));
});
afterAll(() => gateway.close({ drainMs: 0 }));

const run = promisify(execFile);

describe('a gateway with TLS', () => {
  it('a gateway with TLS serves the official SDK over JSON-RPC, HTTP+JSON and gRPC', async () => {
    expect(origin).toMatch(/^https:/);
    const client = fileURLToPath(new URL('tls-client.ts', import.meta.url));
    const env = { ...process.env, NODE_EXTRA_CA_CERTS: file('ca.pem') };
    const { stdout } = await run(process.execPath, [client, origin, file('ca.pem')], { env, timeout: paced(20_000) });
    const said = [{ text: 'safe' }];
    expect(JSON.parse(stdout)).toEqual({ JSONRPC: said, 'HTTP+JSON': said, GRPC: said });
  });

  it.skipIf(spawnSync('curl', ['--version']).error !== undefined)(
    'a gateway with TLS serves curl, which offers HTTP/1.1 and HTTP/2',
    async () => {
      const call = ['--silent', '--cacert', file('ca.pem'), '-H', 'Content-Type: application/json', '--data'];
      const message = { messageId: 'c', role: 'ROLE_USER', parts: [{ text: 'say safe' }] };
      const { stdout } = await run('curl', [...call, JSON.stringify({ message }), `${origin}/message:send`]);
      expect(JSON.parse(stdout).message.parts).toEqual([{ text: 'safe' }]);
    },
  );

  // It is built on Go's net/http, which offers both protocols, and finds the service by server reflection.
  it('a gateway with TLS serves `buf curl`, a gRPC client that offers HTTP/1.1 and HTTP/2', async () => {
    const message = { messageId: 'b', role: 'ROLE_USER', parts: [{ text: 'say safe' }] };
    const args = [buf, 'curl', '--protocol', 'grpc', '--cacert', file('ca.pem'), '--data', JSON.stringify({ message })];
    const { stdout } = await run(process.execPath, [...args, `${origin}/lf.a2a.v1.A2AService/SendMessage`], {
      timeout: paced(30_000),
    });
    expect(JSON.parse(stdout).message.parts).toEqual([{ text: 'safe' }]);
  });

  it.each(['/lf.a2a.v1.A2AService/SendMessage', '/grpc.reflection.v1.ServerReflection/ServerReflectionInfo'])(
    'gRPC over HTTP/1.1 at %s is refused with the reason that it needs HTTP/2',
    async (path) => {
      const options = {
        method: 'POST',
        ca: readFileSync(file('ca.pem')),
        headers: { 'content-type': 'application/grpc' },
      };
      const sent = request(origin + path, options).end(Buffer.alloc(5));
      const [response] = (await once(sent, 'response')) as [IncomingMessage];
      expect([response.statusCode, response.statusMessage]).toEqual([415, 'gRPC needs HTTP/2']);
      expect((await response.toArray()).join('')).toMatch(/came over HTTP\/1\.1.*ALPN \(h2\).*Connect or gRPC-Web/);
    },
  );
});
