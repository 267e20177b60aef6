/**
 * `npm run house`: prints measures of the program's entanglement next to the limits in `house.json`: the files that
 * name an extension from outside, those that reserve bytes in `limits.buffered`, arrows upward between folders, methods
 * handed on without their objects, functions and classes that are too large, the lines of the console, what three calls
 * run, and the size of the installed packages and of the published one. Fails if a limit is exceeded. With `--check` it
 * prints only the measures above their limits, and skips the published package, which it would have to build. With
 * `--flow NAME` it lists the functions that the call `message`, `stream` or `agentvault` runs, by file, with the number
 * of times.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, globSync, lstatSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { flowNames, listFlow, measureFlows } from './house/flows.ts';
import { upwardArrows } from './house/folders.ts';
import { unboundMethods } from './house/methods.ts';
import { features, filesThatName, reservations } from './house/naming.ts';
import { type ParsedFile, parseSources, type Sized } from './house/syntax.ts';
import { readSources } from './imports.ts';

/** A measured number, with the items that it counts if they can be listed. */
interface Measure {
  readonly value: number;
  readonly details?: readonly string[];
}

interface Limit {
  /** Limit above which the check fails. */
  readonly most: number;
  /** Value that the project aims at. */
  readonly goal?: number;
  /** Reason why the limit is above the goal. */
  readonly reason?: string;
}

const root = fileURLToPath(new URL('../', import.meta.url));
const limits: Readonly<Record<string, Limit>> = JSON.parse(readFileSync(join(root, 'house.json'), 'utf8'));
const { values } = parseArgs({ options: { check: { type: 'boolean', default: false }, flow: { type: 'string' } } });

/** Lines of a function that fit on a screen, and members of a class that fit in the head. */
const sizes = { function: 80, screen: 50, class: 30 };

/** Measures everything that has a limit, by the name of the limit. */
async function measure(): Promise<Map<string, Measure>> {
  const sources = parseSources(root);
  const measures = new Map<string, Measure>([
    ...Object.entries(features).map(
      ([name, feature]) => [`files that name ${name}`, listed(filesThatName(feature, sources))] as const,
    ),
    ['files that reserve bytes', listed(filesThatName(reservations, sources))],
    ['arrows upward between folders', listed(arrows())],
    ['methods handed on without their objects', listed(unboundMethods(sources))],
    [`functions above ${sizes.function} lines`, above(sources, 'functions', sizes.function)],
    [`functions above ${sizes.screen} lines`, above(sources, 'functions', sizes.screen)],
    [`classes above ${sizes.class} members`, above(sources, 'classes', sizes.class)],
    ['lines of the console', { value: linesBelow('src/extensions/console') }],
  ]);
  for (const [flow, { files, functions, calls }] of await measureFlows()) {
    measures.set(`files of ${flow}`, { value: files });
    measures.set(`functions of ${flow}`, { value: functions });
    measures.set(`calls of ${flow}`, { value: calls });
  }
  // Packages for other platforms contain binaries of other sizes.
  if (process.platform === 'linux' && process.arch === 'x64' && existsSync(join(root, 'node_modules'))) {
    measures.set('MB of node_modules', { value: megabytes(sizeOf(join(root, 'node_modules'))) });
  }
  if (!values.check) measures.set('MB of the package', { value: megabytes(packageSize()) });
  return measures;
}

/** Lines of the TypeScript below a folder. */
const linesBelow = (folder: string): number =>
  globSync('**/*.{ts,tsx}', { cwd: join(root, folder) })
    .map((path) => readFileSync(join(root, folder, path), 'utf8').split('\n').length - 1)
    .reduce((sum, lines) => sum + lines, 0);

const listed = (details: readonly string[]): Measure => ({ value: details.length, details });

function arrows(): string[] {
  const written = readSources(new URL('../', import.meta.url)).filter(
    ({ path }) => !/^src\/(?:gen|extensions\/console)\//.test(path),
  );
  return upwardArrows(written).map(({ example }) => example);
}

function above(sources: readonly ParsedFile[], kind: 'functions' | 'classes', most: number): Measure {
  const isLarger = (one: Sized, other: Sized): number => other.size - one.size;
  const large = sources.flatMap((file) => file[kind].filter(({ size }) => size > most)).sort(isLarger);
  return listed(large.map(({ place, size }) => `${size} ${place}`));
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

const column = (value: number | undefined): string => (value?.toLocaleString('en') ?? '').padStart(9);

async function printMeasures(): Promise<void> {
  const measures = await measure();
  if (!values.check) console.log(`      now     limit      goal`);
  for (const [name, { value, details = [] }] of measures) {
    const { most = 0, goal, reason } = limits[name] ?? {};
    const isAbove = value > most;
    if (isAbove) process.exitCode = 1;
    if (!isAbove && values.check) continue;
    const verdict = isAbove ? `: above the limit of ${most} in house.json` : '';
    console.log(`${column(value)} ${column(most)} ${column(goal)}  ${name}${verdict}${reason ? ` (${reason})` : ''}`);
    const isShown = isAbove || (goal !== undefined && value > goal);
    if (isShown) for (const detail of details) console.log(`${' '.repeat(33)}${detail}`);
  }
}

async function printFlow(name: string): Promise<void> {
  const flow = flowNames.find((known) => known === name);
  if (flow === undefined) throw new Error(`There is no flow ${name}: name one of ${flowNames.join(', ')}`);
  for (const line of await listFlow(flow)) console.log(line);
}

await (values.flow === undefined ? printMeasures() : printFlow(values.flow));
