import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { npm } from './npm.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** The tarball that would be published. */
export interface Packed {
  readonly tarball: string;
  /** Its size in bytes. */
  readonly size: number;
  /** Size of its files in bytes. */
  readonly unpackedSize: number;
  /** Paths in it. */
  readonly files: readonly string[];
}

/**
 * Packs a copy of what is committed or will be, which keeps the build out of the checkout.
 *
 * @param base folder for the copy and the tarball
 */
export async function pack(base: string, signal: AbortSignal): Promise<Packed> {
  const copy = join(base, 'checkout');
  const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], { cwd: root });
  for (const path of listed
    .toString()
    .split('\0')
    .filter((name) => name !== '' && existsSync(join(root, name)))) {
    mkdirSync(dirname(join(copy, path)), { recursive: true });
    cpSync(join(root, path), join(copy, path), { force: true });
  }
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'), 'junction');

  // With --json, npm prints what prepack prints before the JSON itself.
  const output = await npm(copy, signal, 'pack', '--json', '--pack-destination', base);
  const json = JSON.parse(output.slice(output.search(/^[[{]/m)));
  const [packed] = Object.values<{
    filename: string;
    size: number;
    unpackedSize: number;
    files: { path: string }[];
  }>(json);
  if (packed === undefined) throw new Error(`npm pack said: ${output}`);
  const { filename, size, unpackedSize, files } = packed;
  return { tarball: join(base, filename), size, unpackedSize, files: files.map(({ path }) => path) };
}
