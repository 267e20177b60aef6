/**
 * `npm run console`: builds the console into `dist/console`, with a brotli file next to each file that compresses.
 *
 * With `--if-changed`, it builds only if the sources differ from those of the last build. `--out FOLDER` writes to
 * another folder. `npm run console:dev` serves the console with live reload, and passes all other requests on to the
 * gateway at `--gateway`.
 */
import { chmodSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { buildConsole, isBuilt, serveConsole } from './console-build.ts';

const root = fileURLToPath(new URL('../', import.meta.url));

const { values } = parseArgs({
  options: {
    out: { type: 'string', default: join(root, 'dist', 'console') },
    'if-changed': { type: 'boolean', default: false },
    dev: { type: 'boolean', default: false },
    port: { type: 'string', default: '5174' },
    gateway: { type: 'string', default: 'http://localhost:8080' },
  },
});

if (values.dev) {
  const url = await serveConsole(Number(values.port), values.gateway);
  console.log(`The console is at ${url}`);
} else {
  const out = resolve(values.out);
  if (!values['if-changed'] || !isBuilt(out)) {
    mkdirSync(dirname(out), { recursive: true });
    // Built next to its destination, so that a gateway that starts meanwhile finds the old console or the new one,
    // never a part of one.
    const built = mkdtempSync(join(dirname(out), '.console-'));
    try {
      await buildConsole(built);
      chmodSync(built, 0o755);
      rmSync(out, { recursive: true, force: true });
      renameSync(built, out);
    } finally {
      rmSync(built, { recursive: true, force: true });
    }
  }
}
