/**
 * `npm run executable`: puts the package, the packages of its optional features and this Node into one executable file for
 * this platform, starts it and calls it. `-- --tarball FILE` takes a packed package, `--out FOLDER` writes elsewhere.
 */
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { pack } from '../pack.ts';
import { tryOut } from '../try-out.ts';
import { buildExecutable, largestExecutable, sizeOf } from './build.ts';
import { installWithFeatures } from './features.ts';

const options = { tarball: { type: 'string' }, out: { type: 'string', default: 'release' } } as const;
const { values } = parseArgs({ options });

async function main(base: string, signal: AbortSignal): Promise<void> {
  const tarball = values.tarball ?? (await pack(base, signal)).tarball;
  const installed = join(base, 'user');
  await installWithFeatures(resolve(tarball), installed, signal);
  const made = join(base, 'made');
  mkdirSync(made);
  const executable = await buildExecutable({ installed, out: made, signal });
  const { version } = JSON.parse(readFileSync(join(installed, 'node_modules/a2a-gateway/package.json'), 'utf8'));
  await tryOut({ folder: made, program: [executable], version }, signal);
  const size = sizeOf(executable);
  if (size > largestExecutable) throw new Error(`${executable} has ${size} bytes, more than ${largestExecutable}`);
  const out = resolve(values.out);
  mkdirSync(out, { recursive: true });
  const path = join(out, basename(executable));
  copyFileSync(executable, path);
  console.log(`${path}: ${Math.round(size / 1e6)} MB`);
}

const base = mkdtempSync(join(tmpdir(), 'a2a-gateway-executable-'));
try {
  await main(base, AbortSignal.timeout(15 * 60_000));
} finally {
  rmSync(base, { recursive: true, force: true });
}
