import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { buildImage } from './image.ts';
import { checkOverlay, describeAll, outputs } from './outputs.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

/** Where to read from and write to; the default of each is the project's own place. */
export interface Places {
  /** Import root of the protos. */
  readonly proto?: string;
  /** Bundle of A2A 1.0. */
  readonly schema?: string;
  /** Folder of the generated code. */
  readonly out?: string;
}

/** The generated files by path below the output folder, nothing written. */
export async function generate({ proto, schema }: Places = {}): Promise<Map<string, string>> {
  const image = buildImage(proto ?? join(root, 'proto'));
  const described = describeAll(image, (target) => {
    if (target.schema === undefined) return undefined;
    return target.dir === 'a2a-v1' && schema !== undefined ? schema : join(root, 'codegen', 'schemas', target.schema);
  });
  checkOverlay(described);
  return outputs(image, described);
}

/** Paths below `out` whose content differs from `files`, missing and superfluous ones included; sorted. */
export function changedFiles(files: ReadonlyMap<string, string>, out: string): string[] {
  const changed = [...files].filter(([path, text]) => {
    const file = join(out, path);
    return !existsSync(file) || readFileSync(file, 'utf8') !== text;
  });
  const stale = filesBelow(out).filter((path) => !files.has(path));
  return [...changed.map(([path]) => path), ...stale].sort();
}

/** Makes `out` hold exactly `files`; files that are right already are not touched. */
export function writeFiles(files: ReadonlyMap<string, string>, out: string): void {
  for (const path of changedFiles(files, out)) {
    const text = files.get(path);
    const file = join(out, path);
    if (text === undefined) {
      rmSync(file);
      continue;
    }
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
}

function filesBelow(dir: string): string[] {
  if (!existsSync(dir)) return [];
  return readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(dir, join(entry.parentPath, entry.name)).split(sep).join('/'));
}

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      check: { type: 'boolean', default: false },
      out: { type: 'string', default: join(root, 'src', 'gen') },
      proto: { type: 'string' },
      schema: { type: 'string' },
    },
  });
  const { check, out, proto, schema } = values;
  const files = await generate({ ...(proto !== undefined && { proto }), ...(schema !== undefined && { schema }) });
  const changed = changedFiles(files, out);
  if (!check) {
    writeFiles(files, out);
    console.log(`${files.size} files, ${changed.length} changed`);
    return 0;
  }
  if (changed.length === 0) return 0;
  console.error(`Generated code is not up to date; run npm run generate:\n${changed.map((p) => `  ${p}`).join('\n')}`);
  return 1;
}

if (import.meta.main) {
  try {
    process.exitCode = await main();
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
  }
}
