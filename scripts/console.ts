/**
 * `npm run console`: builds the console to `dist/console`, with a brotli file beside each file that gets smaller by it.
 *
 * `--if-changed` does so only where the sources differ from those of the last such build. `--out FOLDER` writes to another
 * folder. `npm run console:dev` serves the console with reload, and passes all other requests on to the gateway at `--gateway`.
 */
import { createHash } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { buildConsole, serveConsole } from './console-build.ts';

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

/** What the console is built from. */
const sources = [
  'src/{console,gen,wire,dialects,core/model}/**/*',
  'scripts/console*.ts',
  'tools/site/portable.ts',
  'package-lock.json',
];

/** A digest of all sources, by which a later run knows that there is nothing to do. */
function digestOfSources(): string {
  const hash = createHash('sha256');
  const files = globSync(sources, { cwd: root, withFileTypes: true }).filter((entry) => entry.isFile());
  for (const path of files.map((entry) => join(entry.parentPath, entry.name)).sort()) {
    hash.update(path).update('\0').update(readFileSync(path)).update('\0');
  }
  return hash.digest('hex');
}

if (values.dev) {
  const url = await serveConsole(Number(values.port), values.gateway);
  console.log(`The console is at ${url}`);
} else {
  const out = resolve(values.out);
  const mark = join(out, '.sources');
  const digest = values['if-changed'] ? digestOfSources() : undefined;
  if (digest === undefined || !existsSync(mark) || readFileSync(mark, 'utf8') !== digest) {
    mkdirSync(dirname(out), { recursive: true });
    // Beside its place, so that a gateway that starts meanwhile finds the old console or the new one, never half of one.
    const built = mkdtempSync(join(dirname(out), '.console-'));
    try {
      await buildConsole(built);
      if (digest !== undefined) writeFileSync(join(built, '.sources'), digest);
      chmodSync(built, 0o755);
      rmSync(out, { recursive: true, force: true });
      renameSync(built, out);
    } finally {
      rmSync(built, { recursive: true, force: true });
    }
  }
}
