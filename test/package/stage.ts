import { execFile, execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const root = fileURLToPath(new URL('../../', import.meta.url));
const execute = promisify(execFile);

/** The machine's npm runs on the machine's own Node, and must not take this project's settings for its own. */
function npmEnvironment(): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(
    ([name]) => !/^npm_(package|lifecycle|command|config_local)/.test(name),
  );
  return { ...Object.fromEntries(kept), npm_config_audit: 'false', npm_config_fund: 'false' };
}

const npm = async (cwd: string, signal: AbortSignal, ...args: string[]) => {
  try {
    return (await execute('npm', args, { cwd, signal, env: npmEnvironment() })).stdout;
  } catch (error) {
    const said = Object.entries(error ?? {}).filter(([name]) => name === 'stdout' || name === 'stderr');
    throw new Error(`npm ${args.join(' ')} failed: ${said.map(([, text]) => text).join('\n')}`);
  }
};

/** The package as users get it: packed from a copy of the checkout, and installed into a folder of their own. */
export interface Installed {
  /** Paths in the tarball. */
  readonly files: readonly string[];
  /** The tarball, in bytes. */
  readonly size: number;
  readonly tarball: string;
  /** A user's folder that has the package installed. */
  readonly folder: string;
  remove(): void;
}

/** The tarball that would be published. */
export type Packed = Pick<Installed, 'files' | 'size' | 'tarball'>;

/** Packs a copy of what is committed or will be, which keeps the build out of the checkout. */
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
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));

  // With --json, npm prints what prepack prints before the JSON itself.
  const output = await npm(copy, signal, 'pack', '--json', '--pack-destination', base);
  const json = JSON.parse(output.slice(output.search(/^[[{]/m)));
  const [packed] = Object.values<{ filename: string; size: number; files: { path: string }[] }>(json);
  if (packed === undefined) throw new Error(`npm pack said: ${output}`);
  const { filename, size, files } = packed;
  return { tarball: join(base, filename), size, files: files.map(({ path }) => path) };
}

/** Packs the package, and installs it into a folder of a user. */
export async function packAndInstall(signal: AbortSignal): Promise<Installed> {
  const base = mkdtempSync(join(tmpdir(), 'a2a-gateway-package-'));
  const remove = () => rmSync(base, { recursive: true, force: true });
  try {
    const { tarball, files, size } = await pack(base, signal);
    const folder = join(base, 'user');
    mkdirSync(folder);
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, type: 'module' }));
    await npm(folder, signal, 'install', '--prefer-offline', '--loglevel=error', tarball);
    return { files, size, tarball, folder, remove };
  } catch (error) {
    remove();
    throw error;
  }
}
