import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Place } from './place.ts';

/** A project as `init` writes it: its test, its start, and a call over every binding. */
export async function ownProject(place: Place): Promise<void> {
  const { folder, tarball } = place.options;
  await place.step('init', () =>
    place.run(folder, 'npm', 'exec', '--yes', `--package=${tarball}`, '--', 'a2a-gateway', 'init', 'my-agent', '--js'),
  );
  const cwd = join(folder, 'my-agent');
  // The package is not published yet, so that it comes from the tarball.
  await place.step('npm install', () =>
    place.run(cwd, 'npm', 'install', '--prefer-offline', '--loglevel=error', tarball),
  );
  place.options.report(`          installed: ${size(join(cwd, 'node_modules'))} MB in node_modules`);
  await place.step('npm test', () => place.run(cwd, 'npm', 'test'));
  const { url, stop } = await place.step('npm start', () =>
    place.start(cwd, 'npm', 'start', '--', '--port', '0', '--store', 'memory:'),
  );
  try {
    for (const via of ['jsonrpc', 'rest', 'grpc', 'connect']) {
      await place.step(`call it over ${via}`, async () => {
        const send = (...args: readonly string[]): Promise<string> =>
          place.run(cwd, join(cwd, 'node_modules/.bin/a2a-gateway'), 'send', url, ...args, '--via', via);
        const id = /task (\S+) needs input/.exec(await send('hello'))?.[1] ?? '';
        const said = await send('Ada', '--task', id);
        if (!said.includes('Hello, Ada!')) throw new Error(`answered: ${said}`);
      });
    }
  } finally {
    await stop();
  }
}

/** Megabytes of the files below a folder. */
export function size(folder: string): number {
  let bytes = 0;
  for (const entry of readdirSync(folder, { withFileTypes: true, recursive: true })) {
    if (entry.isFile()) bytes += statSync(join(entry.parentPath, entry.name)).size;
  }
  return Math.round(bytes / 1e6);
}
