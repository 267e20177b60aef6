import { execFile, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { zstdCompressSync } from 'node:zlib';
import { installTools, resolveTool } from '../../tools.ts';

const execute = promisify(execFile);

/** A file: its path, and where it begins and ends in its part. */
type Entry = readonly [path: string, start: number, end: number];

/** Files that are unpacked together, and where they begin and end in the archive, compressed. */
interface Part {
  readonly start: number;
  readonly end: number;
  readonly files: readonly Entry[];
}

export interface ExecutableOptions {
  /** A user's folder in which npm has installed the package, and the packages of its features. */
  readonly installed: string;
  /** Empty folder for what is written: the executable, and what it is made of. */
  readonly out: string;
  readonly signal: AbortSignal;
}

/** Node recognizes an executable with a program in it by this text, which `postject` changes. */
const fuse = 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2';

/** Files that run or are read; packages also carry sources, declarations, maps and pages. */
const isNeeded = (path: string): boolean =>
  /\.(js|cjs|mjs|json|wasm|proto|sql|html|css|svg|br|txt)$/.test(path) &&
  !/^node_modules\/(\.|a2a-gateway\/(docs|examples|deploy)\/)/.test(path);

const packageOf = (path: string): string => /^node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? '';

/** The part that a file belongs to: each package is one. The gateway looks up versions of others before it imports them. */
const partOf = (path: string): string =>
  /^node_modules\/(@[^/]+\/)?[^/]+\/package\.json$/.test(path) ? 'a2a-gateway' : packageOf(path);

/** The name of the executable on a platform, such as `a2a-gateway-linux-x64`. */
export const executableName = (platform: string = process.platform, arch: string = process.arch): string =>
  `a2a-gateway-${platform === 'win32' ? 'windows' : platform === 'darwin' ? 'macos' : platform}-${arch}${platform === 'win32' ? '.exe' : ''}`;

/** Puts files one after the other; returns where each is. */
function concatenate(
  files: readonly (readonly [path: string, content: Buffer])[],
): readonly [readonly Entry[], Buffer] {
  let end = 0;
  const entries = files.map(([path, { length }]): Entry => {
    end += length;
    return [path, end - length, end];
  });
  return [entries, Buffer.concat(files.map(([, content]) => content))];
}

/** Paths of what npm has installed, in an order that does not depend on the file system. */
function installedPaths(installed: string): readonly string[] {
  const listed = readdirSync(join(installed, 'node_modules'), { recursive: true, withFileTypes: true });
  const files = listed.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const paths = files.map((path) => relative(installed, path).replaceAll('\\', '/'));
  return paths.filter(isNeeded).sort();
}

/** The packages that npm has installed, by parts. */
function archive(installed: string): { readonly parts: Readonly<Record<string, Part>>; readonly bytes: Buffer } {
  const loader = ['load.cjs', readFileSync(new URL('load.cjs', import.meta.url))] as const;
  const compressed: (readonly [name: string, content: Buffer])[] = [];
  const filesOf = new Map<string, readonly Entry[]>();
  for (const [name, paths] of Map.groupBy(installedPaths(installed), partOf)) {
    const files = paths.map((path) => [path, readFileSync(join(installed, path))] as const);
    const [entries, bytes] = concatenate(name === 'a2a-gateway' ? [loader, ...files] : files);
    filesOf.set(name, entries);
    compressed.push([name, zstdCompressSync(bytes)]);
  }
  const [places, bytes] = concatenate(compressed);
  const parts = places.map(([name, start, end]) => [name, { start, end, files: filesOf.get(name) ?? [] }] as const);
  return { parts: Object.fromEntries(parts), bytes };
}

/** Whether the machine has the program that removes symbols. Without it, a file is larger than a release allows. */
export const canStrip = process.platform !== 'win32' && spawnSync('strip', ['--version']).error === undefined;

/**
 * Makes an executable file of this Node and the installed package. It is made for the platform that this runs on, since it is
 * this process's own executable that is copied.
 *
 * @returns its path
 */
export async function buildExecutable({ installed, out, signal }: ExecutableOptions): Promise<string> {
  const { version } = JSON.parse(readFileSync(join(installed, 'node_modules/a2a-gateway/package.json'), 'utf8'));
  const { parts, bytes } = archive(installed);
  const digest = createHash('sha256').update(bytes).digest('hex').slice(0, 16);
  const assets = { files: bytes, parts: JSON.stringify(parts), name: `${version}-${digest}` };
  const work = join(out, 'work');
  mkdirSync(work);
  for (const [name, content] of Object.entries(assets)) writeFileSync(join(work, name), content);
  const settings = {
    main: fileURLToPath(new URL('start.cjs', import.meta.url)),
    output: join(work, 'blob'),
    disableExperimentalSEAWarning: true,
    assets: Object.fromEntries(Object.keys(assets).map((name) => [name, join(work, name)])),
  };
  writeFileSync(join(work, 'settings'), JSON.stringify(settings));
  await execute(process.execPath, ['--experimental-sea-config', join(work, 'settings')], { signal });

  const executable = join(out, executableName());
  copyFileSync(process.execPath, executable);
  const isMac = process.platform === 'darwin';
  if (isMac) await execute('codesign', ['--remove-signature', executable], { signal });
  // Symbols for debuggers are a seventh of Node. On Windows they are in another file.
  if (canStrip) await execute('strip', [...(isMac ? ['-x'] : []), executable], { signal });
  await installTools('executable');
  const inject = [executable, 'NODE_SEA_BLOB', join(work, 'blob'), '--sentinel-fuse', fuse];
  const segment = isMac ? ['--macho-segment-name', 'NODE_SEA'] : [];
  await execute(process.execPath, [resolveTool('executable', 'postject/dist/cli.js'), ...inject, ...segment], {
    signal,
  });
  if (isMac) await execute('codesign', ['--sign', '-', executable], { signal });
  rmSync(work, { recursive: true });
  return executable;
}

/** Bytes that an executable may have. */
export const largestExecutable = 120_000_000;

export const sizeOf = (executable: string): number => statSync(executable).size;
