import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { createServer } from 'node:https';
import { join } from 'node:path';
import { createAuthority } from './certificates.ts';
import { nginx, startNginx } from './nginx.ts';
import { freePort } from './peer.ts';

/** A proxy that ends TLS, takes `/gateway` off the path, and passes requests to replicas by turns. */
export interface TlsProxy {
  /** `https://localhost:PORT/gateway`. */
  readonly url: string;
  readonly kind: 'nginx' | 'Node';
  /** The certificate of its authority, in PEM. */
  readonly ca: string;
  close(): Promise<void>;
}

/**
 * Starts nginx where the machine has it, and otherwise a proxy in this process. A replica that does not accept connections is
 * passed over; without any, the answer is 502.
 *
 * @param folder where nginx keeps its files
 * @param ports those of the replicas, which may start later
 */
export async function startTlsProxy(folder: string, ports: readonly number[]): Promise<TlsProxy> {
  const port = await freePort();
  const authority = createAuthority('of the proxy');
  const certified = authority.issue({
    subject: [['CN', 'localhost']],
    altNames: [['dns', 'localhost']],
  });
  const start = nginx === undefined ? startNode : throughNginx;
  const close = await start({ folder, ports, port, ...certified });
  return {
    url: `https://localhost:${port}/gateway`,
    kind: nginx === undefined ? 'Node' : 'nginx',
    ca: authority.cert,
    close,
  };
}

interface Settings {
  readonly folder: string;
  readonly ports: readonly number[];
  readonly port: number;
  readonly cert: string;
  readonly key: string;
}

async function throughNginx({ folder, ports, port, cert, key }: Settings): Promise<() => Promise<void>> {
  const file = (name: string, text: string): string => {
    const path = join(folder, name);
    writeFileSync(path, text, { mode: 0o600 });
    return path;
  };
  const http = `
  client_max_body_size 32m;
  upstream replicas {
    ${ports.map((each) => `server 127.0.0.1:${each} max_fails=1 fail_timeout=1s;`).join(' ')}
    keepalive 32;
  }
  server {
    listen 127.0.0.1:${port} ssl http2;
    ssl_certificate ${file('nginx-cert.pem', cert)};
    ssl_certificate_key ${file('nginx-key.pem', key)};
    location /gateway/ {
      proxy_pass http://replicas/;
      proxy_http_version 1.1;
      proxy_set_header Connection '';
      proxy_set_header X-Forwarded-Proto https;
      proxy_buffering off;
      proxy_read_timeout 1h;
    }
  }`;
  return (await startNginx(folder, http, port)).close;
}

async function startNode({ ports, port, cert, key }: Settings): Promise<() => Promise<void>> {
  let turn = 0;
  const server = createServer({ cert, key }, (req, res) => {
    const path = req.url?.replace(/^\/gateway(?=\/)/, '') ?? '/';
    turn += 1;
    const pass = (left: number): void => {
      const to = ports[(turn + left) % ports.length] ?? 0;
      const headers = { ...req.headers, host: `127.0.0.1:${to}`, 'x-forwarded-proto': 'https' };
      const passed = request({ port: to, host: '127.0.0.1', method: req.method, path, headers }, (answer) => {
        res.writeHead(answer.statusCode ?? 500, answer.headers);
        // The headers of a stream come before its first event.
        res.flushHeaders();
        answer.pipe(res);
        answer.once('error', () => res.destroy());
      });
      passed.once('socket', (socket) => (socket.connecting ? socket.once('connect', send) : send()));
      passed.on('error', (error) => {
        if (res.headersSent) res.destroy();
        else if ('code' in error && error.code === 'ECONNREFUSED' && left > 1) pass(left - 1);
        else res.writeHead(502, { 'content-type': 'text/html' }).end('<h1>502 Bad Gateway</h1>');
      });
      const send = (): void => void req.pipe(passed);
      res.once('close', () => passed.destroy());
    };
    pass(ports.length);
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return async () => {
    const closed = new Promise((resolve) => server.close(resolve));
    server.closeAllConnections();
    await closed;
  };
}
