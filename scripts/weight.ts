/**
 * `npm run weight`: prints the lines of each folder; then what three calls run, the size of the installed packages, and the
 * size of the published package, beside the budgets in `weight.json`. Fails above a budget. With `--check` it prints only
 * what is too heavy, and leaves out the published package, which it would have to build.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, globSync, lstatSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { testFiles } from './test-files.ts';
import { tierOf } from './tiers.ts';
import { measureFlows } from './weight/flows.ts';

interface Budget {
  /** More than this fails. */
  readonly most: number;
  /** What the project wants to come down to. */
  readonly goal?: number;
  /** Why the budget is above the goal, or was raised. */
  readonly reason?: string;
}

const root = fileURLToPath(new URL('../', import.meta.url));
const budgets: Readonly<Record<string, Budget>> = JSON.parse(readFileSync(join(root, 'weight.json'), 'utf8'));
const { values } = parseArgs({ options: { check: { type: 'boolean', default: false } } });

/** Folders whose lines are counted together, with the files that count. */
const folders: Readonly<Record<string, { readonly files: string; readonly except?: readonly string[] }>> = {
  src: { files: 'src/**/*.ts', except: ['src/extensions/console/**', 'src/gen/**'] },
  'src/extensions/console': { files: 'src/extensions/console/**/*.{ts,tsx}' },
  'src/gen': { files: 'src/gen/**/*.ts' },
  test: { files: 'test/**/*.ts' },
  'codegen and scripts': { files: '{codegen,scripts}/**/*.ts' },
  docs: { files: 'docs/**/*.md' },
};

function linesOf(path: string): number {
  return readFileSync(join(root, path), 'utf8').split('\n').length - 1;
}

/** Lines by the name of a folder and by the folders in it. */
function weighFolder(name: string): { total: number; parts: Map<string, number> } {
  const { files, except = [] } = folders[name] as (typeof folders)[string];
  const parts = new Map<string, number>();
  let total = 0;
  for (const path of globSync(files, { cwd: root, exclude: [...except] })) {
    const lines = linesOf(path);
    total += lines;
    const below = path.replaceAll('\\', '/').split('/');
    // Files of a folder are counted with it: `src/core`, `src/extensions/knowledge`.
    const part = below
      .slice(0, Math.min(below.length - 1, name.split('/').length + (below[1] === 'extensions' ? 2 : 1)))
      .join('/');
    parts.set(part, (parts.get(part) ?? 0) + lines);
  }
  return { total, parts };
}

/** Bytes that installed packages take on the disk. The caches of tools, whose names begin with a dot, are left out. */
function sizeOf(modules: string): number {
  return readdirSync(modules)
    .filter((name) => !name.startsWith('.'))
    .flatMap((name) => readdirSync(join(modules, name), { recursive: true, withFileTypes: true }))
    .map((entry) => lstatSync(join(entry.parentPath, entry.name)))
    .reduce((sum, { blocks, size }) => sum + (blocks === undefined ? size : blocks * 512), 0);
}

/** Bytes of the package once it is installed. npm builds it before. */
function packageSize(): number {
  const packed = execFileSync('npm', ['pack', '--dry-run', '--json', '--silent'], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 64 << 20,
    shell: process.platform === 'win32',
    timeout: 300_000,
  });
  return JSON.parse(packed.slice(packed.indexOf('[\n'))).at(0).unpackedSize;
}

const megabytes = (bytes: number): number => Math.ceil(bytes / 2 ** 20);

/** Everything that has a budget, by its name there. */
async function weigh(): Promise<Map<string, number>> {
  const weights = new Map<string, number>();
  for (const [flow, { files, functions, calls }] of Object.entries(await measureFlows())) {
    weights.set(`files of ${flow}`, files);
    weights.set(`functions of ${flow}`, functions);
    weights.set(`calls of ${flow}`, calls);
  }
  // The packages of other platforms have programs of other sizes.
  if (process.platform === 'linux' && process.arch === 'x64' && existsSync(join(root, 'node_modules'))) {
    weights.set('MB of node_modules', megabytes(sizeOf(join(root, 'node_modules'))));
  }
  if (!values.check) weights.set('MB of the package', megabytes(packageSize()));
  return weights;
}

const number = (value: number | undefined): string => (value?.toLocaleString('en') ?? '').padStart(9);

function printLines(): void {
  for (const name of Object.keys(folders)) {
    const { total, parts } = weighFolder(name);
    console.log(`${number(total)}  ${name}`);
    const largest = [...parts].sort(([, a], [, b]) => b - a).slice(0, 30);
    for (const [part, lines] of largest) console.log(`${number(lines)}    ${part}`);
  }
  const tiers = new Map<string, { files: number; lines: number }>();
  for (const file of testFiles(root)) {
    const { files = 0, lines = 0 } = tiers.get(tierOf(file)) ?? {};
    tiers.set(tierOf(file), { files: files + 1, lines: lines + linesOf(file.path) });
  }
  for (const [tier, { files, lines }] of tiers)
    console.log(`${number(lines)}  ${tier} tier of tests, in ${files} files`);
}

if (!values.check) printLines();
const weights = await weigh();
if (!values.check) console.log(`\n   weight    budget      goal`);
for (const [name, weight] of weights) {
  const { most = 0, goal, reason } = budgets[name] ?? {};
  const tooHeavy = weight > most;
  if (tooHeavy) process.exitCode = 1;
  if (!tooHeavy && values.check) continue;
  const verdict = tooHeavy ? `: above the budget of ${most} in weight.json` : '';
  console.log(`${number(weight)} ${number(most)} ${number(goal)}  ${name}${verdict}${reason ? ` (${reason})` : ''}`);
}
