/** The documentation site for tests: built once in a test run, when the first test asks for it, and served on loopback. */
import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join, normalize } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { inject } from 'vitest';
import { paced } from './pace.ts';

const script = fileURLToPath(new URL('../../tools/site/build.ts', import.meta.url));

/** For `beforeAll`: a build takes this long at most, in milliseconds, where many tests share the processor. */
export const siteDeadline = paced(600_000);

/** Returns the exit code and the output of `npm run docs` with these arguments. */
export function runDocs(...args: string[]): Promise<{ code: number; output: string }> {
  const { promise, resolve } = Promise.withResolvers<{ code: number; output: string }>();
  execFile(process.execPath, [script, ...args], { timeout: siteDeadline }, (error, out, err) => {
    const code = error === null ? 0 : typeof error.code === 'number' ? error.code : 1;
    resolve({ code, output: out + err });
  });
  return promise;
}

/** Folder of the built site. Files of tests run in several processes: the first to make the lock builds, others wait. */
export async function builtSite(): Promise<string> {
  const folder = inject('siteFolder');
  const [site, lock, result] = [join(folder, 'dist'), join(folder, 'lock'), join(folder, 'result.txt')];
  try {
    mkdirSync(lock);
    const { code, output } = await runDocs('--out', site);
    writeFileSync(join(folder, 'output.txt'), output);
    writeFileSync(`${result}.part`, code === 0 ? 'ok' : output);
    renameSync(`${result}.part`, result);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
    const end = Date.now() + siteDeadline;
    while (!existsSync(result) && Date.now() < end) await sleep(100);
  }
  const said = readFileSync(result, 'utf8');
  if (said !== 'ok') throw new Error(`the site was not built:\n${said}`);
  return site;
}

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.json': 'application/json',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.txt': 'text/plain; charset=utf-8',
};

/** Serves a folder as a plain web server does: files, `index.html` of folders, and `404.html` for everything else. */
export async function serveFolder(folder: string): Promise<{ url: string } & AsyncDisposable> {
  const server = createServer((request, response) => {
    const path = decodeURIComponent(new URL(request.url ?? '/', 'http://localhost').pathname);
    const name = normalize(path.endsWith('/') ? `${path}index.html` : path);
    const file = join(folder, name);
    const type = types[extname(name)];
    if (type === undefined || !existsSync(file)) {
      response.writeHead(404, { 'content-type': 'text/html; charset=utf-8' });
      response.end(readFileSync(join(folder, '404.html')));
      return;
    }
    response.writeHead(200, { 'content-type': type }).end(readFileSync(file));
  });
  const { promise, resolve } = Promise.withResolvers<void>();
  server.listen(0, '127.0.0.1', resolve);
  await promise;
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    [Symbol.asyncDispose]: async () => {
      const closed = Promise.withResolvers<void>();
      server.close(() => closed.resolve());
      server.closeAllConnections();
      await closed.promise;
    },
  };
}
