import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join, sep } from 'node:path';

/** What an update may write, below the project. */
const written = ['proto', 'codegen/schemas', 'src/gen', 'docs/dialects'];

/** What a compilation does not need. */
const skipped = new Set(['node_modules', 'dist', 'data', 'coverage']);

/** Copies a project to try an update on, without what is big and without its history. */
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
  /** Path below the project; empty where the message is about no file. */
  readonly file: string;
  readonly line: number;
  readonly message: string;
}

/** Compiles a project and returns what the compiler finds, the first line of each message. */
export function compile(root: string): CompilerError[] {
  const tsc = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin', 'tsc');
  const run = spawnSync(process.execPath, [tsc, '-p', 'tsconfig.json', '--pretty', 'false'], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 64 << 20,
  });
  if (run.error) throw new Error(`the compiler does not run: ${run.error.message}`);
  const errors = [...run.stdout.matchAll(/^(?:(.+?)\((\d+),\d+\): )?error (TS\d+: .*)$/gm)].map(
    ([, file = '', line = '0', message = '']) => ({ file, line: Number(line), message }),
  );
  if (run.status === 0 || errors.length > 0) return errors;
  throw new Error(`the compiler fails: ${run.stderr.trim() || run.stdout.trim()}`);
}

/** Files that an update may write and whose content differs between two projects; paths with forward slashes, sorted. */
export function changedFiles(from: string, to: string): string[] {
  const paths = new Set(written.flatMap((dir) => [...filesBelow(from, dir), ...filesBelow(to, dir)]));
  return [...paths].filter((path) => !sameBytes(contentOf(join(from, path)), contentOf(join(to, path)))).sort();
}

/** Brings files from one project to another. When one of them cannot be written, all are as they were. */
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
