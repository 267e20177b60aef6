import { globSync, readFileSync } from 'node:fs';
import { parseAst } from 'vitest/node';

/** A timer, a delay or a loop that polls, in a file of `test`. */
export interface Wait {
  readonly line: number;
  /** Name of the call, such as `expect.poll`. */
  readonly call: string;
}

/** The waits of one file, by its path from the project's root. */
export interface Waiting {
  readonly path: string;
  readonly waits: readonly Wait[];
  /** Lines with a time limit of a test that is the same on every machine. */
  readonly fixedLimits: readonly number[];
}

/** Files that may wait for a real clock, with the reason. A path that ends in a slash is a folder. */
export const reasons: Readonly<Record<string, string>> = {
  'test/bench/': 'measures real time; runs by hand',
  'test/conformance/': 'runs programs of others, which are ready when they answer',
  'test/ecosystem/': 'runs apps of others, which are ready when they answer',
  'test/frameworks/': 'runs apps of others, which are ready when they answer',
  'test/pictures/': 'lets real minutes pass for the numbers in pictures; runs by hand',
  'test/simulation/': 'defines the virtual clock',
  'test/torture/': 'kills, pauses and restarts real processes and a real database',
  'test/workload/': 'is the load of the torture, and of the simulation, whose clock is virtual there',
  'test/support/cli.ts': 'waits for real processes',
  'test/support/nats.ts': 'a program of others, which is ready when it answers',
  'test/support/nginx.ts': 'a program of others, which is ready when it answers',
  'test/support/pgbouncer.ts': 'a program of others, which is ready when it answers',
  'test/support/proxies.ts': 'programs of others, which are ready when they answer',
  'test/support/postgres.ts': 'a PostgreSQL that was killed tells no one when its processes are gone',
};

/** Returns the reason why a file may wait for a real clock. Undefined if it may not. */
export const excused = (path: string): string | undefined =>
  Object.entries(reasons).find(([place]) => (place.endsWith('/') ? path.startsWith(place) : path === place))?.[1];

const polling: ReadonlySet<string> = new Set(['expect.poll', 'vi.waitFor', 'vi.waitUntil']);
const timers: ReadonlySet<string> = new Set(['setTimeout', 'setInterval', 'page.waitForTimeout']);
const modules: ReadonlySet<string> = new Set(['node:timers/promises', 'timers/promises']);

interface Node {
  readonly type: string;
  readonly start: number;
  readonly [member: string]: unknown;
}

const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null && 'type' in value;

/** Returns `a.b` for a member of a name, and `a` for a name. */
function nameOf(node: unknown): string {
  if (!isNode(node)) return '';
  if (node.type === 'Identifier') return String(node.name);
  if (node.type !== 'MemberExpression') return '';
  return `${nameOf(node.object)}.${nameOf(node.property)}`.replace(/^(globalThis|global|window)\./, '');
}

/**
 * Returns the names under which a module imports delays, except `setImmediate`, which waits for only one turn of the
 * event loop.
 */
function delaysOf(node: Node): readonly string[] {
  if (node.type !== 'ImportDeclaration' || !modules.has(String((node.source as Node).value))) return [];
  return (node.specifiers as readonly Node[])
    .filter(({ imported }) => nameOf(imported) !== 'setImmediate')
    .map(({ local }) => nameOf(local));
}

const limited = /^(test|it|describe|beforeAll|beforeEach|afterAll|afterEach|expect\.poll|vi\.waitFor|vi\.waitUntil)\b/;

const isNumber = (node: unknown): boolean => isNode(node) && node.type === 'Literal' && typeof node.value === 'number';

/** The name of what a call calls, also of `it.each(rows)` that is called in turn. */
const calleeOf = ({ callee }: Node): string =>
  isNode(callee) && callee.type === 'CallExpression' ? calleeOf(callee) : nameOf(callee);

/** Whether a call of a test, a hook or a poll has a literal time limit of at least a second. */
function hasFixedLimit(node: Node): boolean {
  if (!limited.test(calleeOf(node))) return false;
  const [, ...rest] = node.arguments as readonly unknown[];
  return rest.filter(isNode).some((argument) => {
    if (argument.type !== 'ObjectExpression') return isNumber(argument) && Number(argument.value) >= 1_000;
    const options = argument.properties as readonly Node[];
    return options.some(
      ({ key, value }) => nameOf(key) === 'timeout' && isNumber(value) && Number((value as Node).value) >= 1_000,
    );
  });
}

/** Lists the calls in TypeScript text that wait for a clock, and literal time limits. */
export function waitsOf(text: string, lang: 'ts' | 'tsx' = 'ts'): Omit<Waiting, 'path'> {
  const delays = new Set<string>();
  const waits: Wait[] = [];
  const fixedLimits: number[] = [];
  const visit = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return;
    if (isNode(node)) {
      for (const name of delaysOf(node)) delays.add(name);
      const line = (): number => text.slice(0, node.start).split('\n').length;
      const call = node.type === 'CallExpression' ? waitOf(node, delays) : undefined;
      if (call !== undefined) waits.push({ line: line(), call });
      if (node.type === 'CallExpression' && hasFixedLimit(node)) fixedLimits.push(line());
    }
    for (const child of Object.values(node)) visit(child);
  };
  visit(parseAst(text, { lang }).body);
  return { waits, fixedLimits };
}

function waitOf(node: Node, delays: ReadonlySet<string>): string | undefined {
  const name = nameOf(node.callee);
  if (polling.has(name) || timers.has(name) || delays.has(name)) return name;
  const [first] = node.arguments as readonly unknown[];
  return name === 'promisify' && timers.has(nameOf(first)) ? 'promisify(setTimeout)' : undefined;
}

/** Reads all files of tests, sorted by path. */
export function readWaits(root: URL): Waiting[] {
  return globSync('test/**/*.{ts,tsx}', { cwd: root })
    .map((path) => path.replaceAll('\\', '/'))
    .sort()
    .map((path) => ({
      path,
      ...waitsOf(readFileSync(new URL(path, root), 'utf8'), path.endsWith('x') ? 'tsx' : 'ts'),
    }))
    .filter(({ waits, fixedLimits }) => waits.length + fixedLimits.length > 0);
}

/** Lowers the counts of a list for files with fewer waits than listed. */
export function lowered(counts: Readonly<Record<string, number>>, found: readonly Waiting[]): Record<string, number> {
  const now = new Map(found.map(({ path, waits }) => [path, waits.length]));
  const left = Object.entries(counts).map(([path, count]) => [path, Math.min(count, now.get(path) ?? 0)] as const);
  return Object.fromEntries(left.filter(([, count]) => count > 0));
}

/** Returns the errors of a list of counts, one per line. The list can only shrink. */
export function waitErrors(counts: Readonly<Record<string, number>>, found: readonly Waiting[]): string[] {
  const tooMany = found.flatMap(({ path, waits }) => {
    const allowed = counts[path] ?? 0;
    if (waits.length <= allowed) return [];
    const where = waits.map(({ line, call }) => `${call} (line ${line})`).join(', ');
    return [
      `${path}: ${waits.length} waits for a clock, ${allowed} are listed: ${where}. ` +
        'Wait for the fact (test/support/until.ts), or move a virtual clock (vi.useFakeTimers).',
    ];
  });
  const now = new Map(found.map(({ path, waits }) => [path, waits.length]));
  const stale = Object.entries(counts)
    .filter(([path, count]) => (now.get(path) ?? 0) < count)
    .map(
      ([path, count]) =>
        `test/waits.json: ${path} has ${now.get(path) ?? 0} waits, not ${count}; ` +
        'lower the count: npx node scripts/check-waits.ts --lower',
    );
  const fixed = found
    .filter(({ fixedLimits }) => fixedLimits.length > 0)
    .map(({ path, fixedLimits }) => {
      const where = `${path}: line ${fixedLimits.join(', ')}`;
      return `${where}: a time limit in milliseconds of one machine; write paced(60_000) (test/support/pace.ts).`;
    });
  return [...tooMany, ...stale, ...fixed];
}
