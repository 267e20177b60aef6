import { spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { dialectPages } from './dialect-pages.ts';
import { type Change, compareModels, touchedOperations } from './diff.ts';
import { changedFiles, writeFiles, writePages } from './generate.ts';
import { buildImage, type Image } from './image.ts';
import { type Mention, mentions } from './mentions.ts';
import { staleRows } from './model.ts';
import { type Described, describeAll, outputs, type Target, targets } from './outputs.ts';
import { overlay } from './overlay.ts';

/** What `specUpdate` needs to know. */
export interface UpdateOptions {
  /** The project to update. */
  readonly root: string;
  /** The new proto of A2A 1.0; absent: it stays. */
  readonly proto?: string;
  /** The new JSON Schema bundle; absent: it stays. */
  readonly schema?: string;
  /** Report only. */
  readonly dryRun?: boolean;
}

/** What an update changes. */
export interface UpdateReport {
  readonly changes: readonly Change[];
  /** Names of the operations that are touched. */
  readonly operations: readonly string[];
  /** Files in src/dialects that mention what changed. */
  readonly dialects: readonly Mention[];
  /** Generated files that changed, below src/gen. */
  readonly files: readonly string[];
  /** Names in codegen/overlay.ts that the new proto lacks. */
  readonly staleOverlay: readonly string[];
  /** What the compiler says to the new types and did not say before, line by line. */
  readonly compiler: readonly string[];
}

/**
 * Takes in a new version of the A2A 1.0 proto and its bundle: checks them, regenerates, and says what that means. All
 * is worked out beside the project first, so that a bad input changes nothing.
 *
 * @throws Error with the words of buf, of the bundle's reader or of the agreement check
 */
export async function specUpdate({ root, proto, schema, dryRun = false }: UpdateOptions): Promise<UpdateReport> {
  const target = updatedTarget();
  const before = read(root, buildImage(join(root, 'proto')), undefined);
  const work = mkdtempSync(join(tmpdir(), 'a2a-spec-update-'));
  try {
    const protoDir = join(work, 'proto');
    cpSync(join(root, 'proto'), protoDir, { recursive: true });
    if (proto !== undefined) cpSync(existing(proto), join(protoDir, target.proto));
    const image = buildImage(protoDir);
    const after = read(root, image, schema === undefined ? undefined : existing(schema));
    const files = await outputs(image, after);
    const [was, is] = [modelOf(before, target), modelOf(after, target)];
    const changes = compareModels(was, is);
    const gen = join(root, 'src', 'gen');
    const changed = changedFiles(files, gen);
    const known = new Set(compile(root));
    const place = dryRun ? copyProject(root, join(work, 'project')) : root;
    apply(
      place,
      [
        [join('proto', target.proto), proto],
        [join('codegen', 'schemas', String(target.schema)), schema],
      ],
      files,
    );
    const docs = join(place, 'docs', 'dialects');
    writePages(dialectPages(is, docs), docs);
    return {
      changes,
      operations: [...new Set([...touchedOperations(was, changes), ...touchedOperations(is, changes)])],
      dialects: mentions(join(root, 'src', 'dialects'), changes),
      files: changed,
      staleOverlay: staleRows(is, overlay),
      compiler: compile(place).filter((line) => !known.has(line)),
    };
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** The one target with a bundle is the one whose specification moves. */
function updatedTarget(): Target {
  const [target] = targets.filter(({ schema }) => schema !== undefined);
  if (!target) throw new Error('no target has a bundle');
  return target;
}

function read(root: string, image: Image, schema: string | undefined): Described[] {
  return describeAll(image, (target) => {
    if (target.schema === undefined) return undefined;
    return target === updatedTarget() && schema !== undefined
      ? schema
      : join(root, 'codegen', 'schemas', target.schema);
  });
}

function modelOf(described: readonly Described[], target: Target) {
  const found = described.find((entry) => entry.target === target);
  if (!found) throw new Error(`${target.dir} was not described`);
  return found.model;
}

function existing(path: string): string {
  if (!existsSync(path)) throw new Error(`${path}: no such file`);
  return path;
}

/** Writes inputs and outputs; when that fails midway, what was there comes back. */
function apply(
  root: string,
  inputs: readonly (readonly [path: string, from: string | undefined])[],
  files: ReadonlyMap<string, string>,
): void {
  const gen = join(root, 'src', 'gen');
  const backup = mkdtempSync(join(tmpdir(), 'a2a-spec-backup-'));
  cpSync(gen, join(backup, 'gen'), { recursive: true });
  const old = inputs.map(([path]) => [join(root, path), readFileSync(join(root, path))] as const);
  try {
    for (const [path, from] of inputs) if (from !== undefined) writeFileSync(join(root, path), readFileSync(from));
    writeFiles(files, gen);
  } catch (error) {
    for (const [path, bytes] of old) writeFileSync(path, bytes);
    cpSync(join(backup, 'gen'), gen, { recursive: true });
    throw error;
  } finally {
    rmSync(backup, { recursive: true, force: true });
  }
}

/** A copy to compile, without what is big and without history. */
function copyProject(root: string, to: string): string {
  const skipped = new Set(['node_modules', 'dist', 'data', 'coverage']);
  for (const entry of readdirSync(root)) {
    if (!skipped.has(entry) && !entry.startsWith('.')) cpSync(join(root, entry), join(to, entry), { recursive: true });
  }
  symlinkSync(join(root, 'node_modules'), join(to, 'node_modules'), 'dir');
  return to;
}

/** The compiler's messages, line by line. */
function compile(root: string): string[] {
  const tsc = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin', 'tsc');
  const run = spawnSync(process.execPath, [tsc, '-p', 'tsconfig.json', '--pretty', 'false'], { cwd: root });
  // By now the project is updated: that the compiler does not run is part of the report.
  if (run.error) return [`the compiler does not run: ${run.error.message}`];
  return `${run.stdout}${run.stderr}`.split('\n').filter((line) => line.trim() !== '');
}

/** The report as text. */
export function formatReport(report: UpdateReport): string {
  const lines: string[] = [];
  const section = (title: string, none: string, rows: readonly string[]): void => {
    lines.push(rows.length > 0 ? `${title}:` : none, ...rows.map((row) => `  ${row}`), '');
  };
  section(
    'Changes',
    'No changes in messages, fields, enums or rpcs.',
    report.changes.map(({ kind, change, name, detail }) => `${change} ${kind} ${name}${detail ? `: ${detail}` : ''}`),
  );
  section('Operations touched', 'No operation is touched.', report.operations);
  section(
    'Dialects that mention what changed',
    'No dialect mentions what changed.',
    report.dialects.map(({ file, words }) => `src/dialects/${file}: ${words.join(', ')}`),
  );
  section(
    'Generated files',
    'The generated code stays as it is.',
    report.files.map((file) => `src/gen/${file}`),
  );
  if (report.staleOverlay.length > 0) {
    section('To be taken out of codegen/overlay.ts before the next npm run generate', '', report.staleOverlay);
  }
  section('The compiler asks for', 'The compiler is content.', report.compiler);
  return lines.join('\n').trimEnd();
}

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: { proto: { type: 'string' }, schema: { type: 'string' }, 'dry-run': { type: 'boolean', default: false } },
  });
  const { proto, schema, 'dry-run': dryRun } = values;
  if (proto === undefined && schema === undefined) {
    console.error('usage: npm run spec:update -- --proto FILE --schema FILE [--dry-run]');
    return 2;
  }
  const report = await specUpdate({
    root: fileURLToPath(new URL('..', import.meta.url)),
    ...(proto !== undefined && { proto: resolve(proto) }),
    ...(schema !== undefined && { schema: resolve(schema) }),
    dryRun,
  });
  console.log(formatReport(report));
  if (dryRun) console.log('\nNothing was changed (--dry-run).');
  return 0;
}

if (import.meta.main) {
  try {
    process.exitCode = await main();
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : error}\nNothing was changed.`);
    process.exitCode = 1;
  }
}
