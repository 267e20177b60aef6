import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join, sep } from 'node:path';
import { text } from 'node:stream/consumers';

/** Paths below the project that an update may write. */
const written = ['proto', 'codegen/schemas', 'src/gen', 'docs/dialects'];

/** Folders that compiling does not need. */
const skipped = new Set(['node_modules', 'dist', 'data', 'coverage']);

/** Copies a project for trying an update, without large folders and history. */
export function copyProject(root: string, to: string): string {
  for (const entry of readdirSync(root)) {
    if (skipped.has(entry) || entry.startsWith('.')) continue;
    cpSync(join(root, entry), join(to, entry), {
      recursive: true,
      filter: (path) => basename(path) !== 'node_modules',
    });
  }
  symlinkSync(join(root, 'node_modules'), join(to, 'node_modules'), 'dir');
  return to;
}

/** A message of the compiler. */
export interface CompilerError {
  /** Path below the project; empty if the message concerns no file. */
  readonly file: string;
  readonly line: number;
  readonly message: string;
}

/**
 * Compiles a project and returns the first line of each compiler message.
 *
 * @param signal stops the compiler
 */
export async function compile(root: string, signal?: AbortSignal): Promise<CompilerError[]> {
  const tsc = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin', 'tsc');
  // Several checkers repeat shared work: one takes half of the CPU time and, on two cores, no longer.
  const args = [tsc, '-p', 'tsconfig.json', '--pretty', 'false', '--singleThreaded'];
  const child = spawn(process.execPath, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'], signal });
  const [stdout, stderr, [status]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close') as Promise<[number | null]>,
  ]).catch((error: Error) => {
    throw new Error(`the compiler does not run: ${error.message}`, { cause: error });
  });
  const errors = [...stdout.matchAll(/^(?:(.+?)\((\d+),\d+\): )?error (TS\d+: .*)$/gm)].map(
    ([, file = '', line = '0', message = '']) => ({ file, line: Number(line), message }),
  );
  if (status === 0 || errors.length > 0) return errors;
  throw new Error(`the compiler fails: ${stderr.trim() || stdout.trim()}`);
}

/**
 * Returns the files that an update may write and that differ between two projects: sorted paths with forward slashes.
 */
export function changedFiles(from: string, to: string): string[] {
  const paths = new Set(written.flatMap((dir) => [...filesBelow(from, dir), ...filesBelow(to, dir)]));
  return [...paths].filter((path) => !sameBytes(contentOf(join(from, path)), contentOf(join(to, path)))).sort();
}

/** Copies files from one project to another. If one of them cannot be written, all are restored. */
export function moveFiles(paths: readonly string[], from: string, to: string): void {
  const old = paths.map((path) => [join(to, path), contentOf(join(to, path))] as const);
  try {
    for (const path of paths) put(join(to, path), contentOf(join(from, path)));
  } catch (error) {
    for (const [path, content] of old) if (!sameBytes(contentOf(path), content)) put(path, content);
    throw error;
  }
}

function put(path: string, content: Buffer | undefined): void {
  if (content === undefined) {
    rmSync(path, { force: true });
    return;
  }
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
}

function contentOf(path: string): Buffer | undefined {
  return existsSync(path) ? readFileSync(path) : undefined;
}

function sameBytes(a: Buffer | undefined, b: Buffer | undefined): boolean {
  return a === undefined || b === undefined ? a === b : a.equals(b);
}

function filesBelow(root: string, dir: string): string[] {
  if (!existsSync(join(root, dir))) return [];
  return readdirSync(join(root, dir), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(join(root).length).split(sep).join('/'))
    .map((path) => path.replace(/^\//, ''));
}
