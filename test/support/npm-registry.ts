import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';

/** A package of one file, `index.js`. */
export interface PackedPackage {
  readonly manifest: { readonly name: string; readonly version: string; readonly [field: string]: unknown };
  readonly tarball: Buffer;
  /** In the form of lock files. */
  readonly integrity: string;
}

/** A registry of npm on loopback. */
export interface Registry {
  readonly url: string;
  /** Paths that npm has asked for. */
  readonly requests: readonly string[];
  close(): void;
}

export function pack(name: string, fields: Readonly<Record<string, unknown>> = {}): PackedPackage {
  const manifest = { name, version: '1.0.0', main: 'index.js', ...fields };
  const files = { 'package.json': JSON.stringify(manifest), 'index.js': `module.exports = '${name}';\n` };
  const entries = Object.entries(files).map(([path, text]) => tarEntry(`package/${path}`, text));
  const tarball = gzipSync(Buffer.concat([...entries, Buffer.alloc(1024)]));
  const integrity = `sha512-${createHash('sha512').update(tarball).digest('base64')}`;
  return { manifest, tarball, integrity };
}

function tarEntry(path: string, text: string): Buffer {
  const header = Buffer.alloc(512);
  header.write(path, 0);
  header.write('000644 \x000000 \x000000 \0', 100);
  header.write(`${text.length.toString(8).padStart(11, '0')}\0`, 124);
  header.write('00000000000\0', 136);
  header.write('        ', 148);
  header.write('0', 156);
  header.write('ustar\x0000', 257);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  const body = Buffer.alloc(Math.ceil(text.length / 512) * 512);
  body.write(text);
  return Buffer.concat([header, body]);
}

/** Serves packages to callers with a token. */
export async function startRegistry(packages: readonly PackedPackage[], token: string): Promise<Registry> {
  const requests: string[] = [];
  const server = createServer((request, response) => {
    const path = decodeURIComponent(request.url ?? '');
    requests.push(path);
    if (request.headers.authorization !== `Bearer ${token}`) return void response.writeHead(401).end('{}');
    const found = packages.find(({ manifest }) => path === `/${manifest.name}` || path === `/${manifest.name}.tgz`);
    if (found === undefined) return void response.writeHead(404).end('{}');
    if (path.endsWith('.tgz')) return void response.end(found.tarball);
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(packument(found, url)));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const close = (): void => {
    server.close();
    server.closeAllConnections();
  };
  return { url, requests, close };
}

function packument({ manifest, integrity }: PackedPackage, url: string): object {
  const { name, version } = manifest;
  const dist = { tarball: `${url}${name}.tgz`, integrity };
  return { name, 'dist-tags': { latest: version }, versions: { [version]: { ...manifest, dist } } };
}
