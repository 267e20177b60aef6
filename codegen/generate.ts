import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { compileAhead } from './image.ts';
import { canonicalModel, checkOverlay, describeAll, imagesOf, outputs } from './outputs.ts';
import { withProgress } from './project-types/progress.ts';
import { sectionNotes } from './sections.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const docsDir = join(root, 'docs', 'dialects');

/** Input folders. Default: the project's folders. */
export interface Sources {
  /** Import root of the protos. */
  readonly proto?: string | undefined;
  /** Folder of the JSON Schema bundles. */
  readonly schemas?: string | undefined;
  /** Folder of the dialect pages, which are generated in part. */
  readonly docs?: string | undefined;
}

/** Generated files, not yet written. */
export interface Generated {
  /** Notes about the protos that need attention, one per line. */
  readonly notes: readonly string[];
  /** Source texts by path below `src/gen`. */
  readonly files: ReadonlyMap<string, string>;
  /** Page texts by path below `docs/dialects`. */
  readonly pages: ReadonlyMap<string, string>;
}

/** @param beforeTables see `outputs` */
export async function generate(
  { proto, schemas, docs = docsDir }: Sources = {},
  beforeTables?: (files: ReadonlyMap<string, string>) => void,
): Promise<Generated> {
  const protoDir = proto ?? join(root, 'proto');
  await withProgress('compiling the protos', () => compileAhead(protoDir));
  const images = imagesOf(protoDir);
  const schemaDir = schemas ?? join(root, 'codegen', 'schemas');
  const described = describeAll(images, ({ schema }) => (schema === undefined ? undefined : join(schemaDir, schema)));
  checkOverlay(described);
  const notes = described.flatMap(({ model }) => model.notes.map(({ at, says }) => `${at}: ${says}`));
  const files = await outputs(described, beforeTables);
  const { dialectPages } = await import('./dialect-pages.ts');
  const canonical = canonicalModel(described);
  // Deduplicated, since versions have most rpcs in common.
  return { notes: [...new Set(notes), ...sectionNotes(canonical)], files, pages: dialectPages(canonical, docs) };
}

/** Returns the paths below `out` that are missing, superfluous or differ from `files`, sorted. */
export function changedFiles(files: ReadonlyMap<string, string>, out: string): string[] {
  const stale = filesBelow(out).filter((path) => !files.has(path));
  return [...differing(files, out), ...stale].sort();
}

/** Returns the paths of files that are missing in `dir` or differ there. */
function differing(files: ReadonlyMap<string, string>, dir: string): string[] {
  const paths = [...files.keys()];
  return paths.filter((path) => {
    const file = join(dir, path);
    return !existsSync(file) || readFileSync(file, 'utf8') !== files.get(path);
  });
}

/** Makes `out` contain exactly `files`. Files that are already correct are not touched. */
export function writeFiles(files: ReadonlyMap<string, string>, out: string): void {
  for (const path of filesBelow(out)) if (!files.has(path)) rmSync(join(out, path));
  writePages(files, out);
}

/** Writes the files that differ, and leaves all others in `dir` unchanged. */
export function writePages(files: ReadonlyMap<string, string>, dir: string): void {
  for (const path of differing(files, dir)) {
    const file = join(dir, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, files.get(path) as string);
  }
}

/** Files of the same folder that are hand-written or written by `scripts/reference`. */
const ofOthers: ReadonlySet<string> = new Set(['api.ts', 'checks.ts', 'operations.ts', 'settings.ts']);

function filesBelow(dir: string): string[] {
  if (!existsSync(dir)) return [];
  return readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(dir, join(entry.parentPath, entry.name)).split(sep).join('/'))
    .filter((path) => !ofOthers.has(path));
}

/** Runs `npm run generate` and returns its exit code. Rejects for invalid inputs. */
export async function runGenerate(
  args: readonly string[],
  { out: print, err }: { readonly out: (text: string) => void; readonly err: (text: string) => void },
): Promise<number> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      check: { type: 'boolean', default: false },
      out: { type: 'string' },
      docs: { type: 'string' },
      proto: { type: 'string' },
      schemas: { type: 'string' },
    },
  });
  const own = join(root, 'src', 'gen');
  const { check, out = own, proto, schemas } = values;
  // Generating into another folder does not change the project's pages.
  const docs = values.docs ?? (values.out === undefined ? docsDir : undefined);
  // Dialect tables import code of src/gen. The files that they need are written first, so that outdated or broken code
  // cannot prevent generation.
  const before = new Set<string>();
  const { files, pages, notes } = await generate({ proto, schemas, docs }, (early) => {
    if (check || out !== own) return;
    for (const path of differing(early, out)) before.add(path);
    writePages(early, out);
  });
  for (const line of notes) print(line);
  const changed = [
    ...before,
    ...changedFiles(files, out),
    ...(docs === undefined ? [] : differing(pages, docs).map((page) => `docs/dialects/${page}`)),
  ];
  if (!check) {
    writeFiles(files, out);
    if (docs !== undefined) writePages(pages, docs);
    print(`${files.size + (docs === undefined ? 0 : pages.size)} files, ${changed.length} changed`);
    return 0;
  }
  if (changed.length === 0) return 0;
  err(`Generated files are not up to date; run npm run generate:\n${changed.map((p) => `  ${p}`).join('\n')}`);
  return 1;
}

if (import.meta.main) {
  try {
    process.exitCode = await runGenerate(process.argv.slice(2), { out: console.log, err: console.error });
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
  }
}
