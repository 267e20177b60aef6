import { globSync, readFileSync } from 'node:fs';
import { parseAst } from 'vitest/node';
/** Place of a peer's version, so that the page never names one that was not tried. */
export type VersionSource =
  /** A package in a lock file: that of the project, or of a folder of `tools`. */
  | { readonly npm: string; readonly in?: 'tools/tests' | 'tools/compile' | 'tools/plugins' }
  /** Sources of frames in a file of `test/golden`, with `*` in place of the version, such as `a2a-go * client`. */
  | { readonly golden: string; readonly source: string }
  /** All versions of an SDK in `test/interop/software/recorded.json`. */
  | { readonly recorded: string }
  /** A constant of a module, by its path from the project's root. */
  | { readonly constant: string; readonly of: string }
  /** A package that a page tells its readers to install, such as `google-adk` in `pip install google-adk==2.13.0`. */
  | { readonly installed: string; readonly by: string };

/** A row of `docs/reference/peers.md`. */
export interface PeerRow {
  /** Name of the software, as its users know it. */
  readonly software: string;
  readonly version: VersionSource;
  readonly role: 'client' | 'agent' | 'client and agent' | 'tool server' | 'suite';
  /** Generation of the protocol, and bindings. */
  readonly speaks: string;
  /** Adaptation of the gateway for it. */
  readonly does: string;
}

const projectRoot = new URL('../../', import.meta.url);

/** A declaration of a file of tests. */
interface Declared extends PeerRow {
  readonly path: string;
}

/** The used part of a node of the syntax tree. */
interface Node {
  readonly type: string;
  readonly start: number;
  readonly callee?: { readonly name?: string };
  readonly arguments?: readonly Node[];
  readonly value?: unknown;
  readonly key?: { readonly name?: string; readonly value?: string };
  readonly properties?: readonly Node[];
  readonly id?: { readonly name?: string };
  readonly init?: Node;
}

/** Visits every node below a value. */
function visit(value: unknown, see: (node: Node) => void): void {
  if (typeof value !== 'object' || value === null) return;
  if ('type' in value) see(value as Node);
  for (const child of Object.values(value)) visit(child, see);
}

const treeOf = (text: string): unknown => parseAst(text, { lang: 'ts' }).body;

/** The value of a literal, or of an object of literals; undefined for everything else. */
function literal({ type, value, properties = [] }: Node): unknown {
  if (type === 'Literal') return value;
  if (type !== 'ObjectExpression') return undefined;
  return Object.fromEntries(properties.map(({ key, value: of }) => [key?.name ?? key?.value, literal(of as Node)]));
}

/**
 * The declarations in a module: the calls of `peerRow`.
 *
 * @throws Error for a call whose argument is no object of texts
 */
export function declaredIn(path: string, text: string): Declared[] {
  const found: Declared[] = [];
  visit(treeOf(text), ({ type, callee, arguments: [argument] = [], start }) => {
    if (type !== 'CallExpression' || callee?.name !== 'peerRow') return;
    const row = argument && (literal(argument) as PeerRow | undefined);
    const { software, role, speaks, does, version } = row ?? {};
    const line = text.slice(0, start).split('\n').length;
    if (![software, role, speaks, does].every((one) => typeof one === 'string') || typeof version !== 'object') {
      throw new Error(`${path}:${line}: peerRow() takes an object of literals`);
    }
    found.push({ ...(row as PeerRow), path });
  });
  return found;
}

/** All declarations of tests. */
export function declaredPeers(root: URL = projectRoot): Declared[] {
  return globSync('test/**/*.ts', { cwd: root })
    .map((path) => path.replaceAll('\\', '/'))
    .sort()
    .flatMap((path) => {
      const text = readFileSync(new URL(path, root), 'utf8');
      return text.includes('/peer-row.ts') ? declaredIn(path, text) : [];
    });
}

const unique = (versions: readonly string[]): string => [...new Set(versions)].join(', ');

/**
 * The versions that a source names.
 *
 * @throws Error where it names none
 */
export function versionOf(source: VersionSource, root: URL = projectRoot): string {
  const found = versionsIn(source, (path) => readFileSync(new URL(path, root), 'utf8'));
  if (found === '') throw new Error(`there is no version in ${JSON.stringify(source)}`);
  return found;
}

function versionsIn(source: VersionSource, read: (path: string) => string): string {
  if ('npm' in source) {
    const lock = JSON.parse(read(`${source.in === undefined ? '' : `${source.in}/`}package-lock.json`));
    return lock.packages[`node_modules/${source.npm}`]?.version ?? '';
  }
  if ('golden' in source) {
    const [before = '', after = ''] = source.source.split('*');
    const frames: readonly { source: string }[] = JSON.parse(read(`test/golden/${source.golden}`));
    const sources = frames.map((frame) => frame.source);
    const matching = sources.filter((one) => one.startsWith(before) && one.endsWith(after));
    return unique(matching.map((one) => one.slice(before.length, one.length - after.length)));
  }
  if ('recorded' in source) {
    const recorded: readonly { sdk: string; version: string }[] = JSON.parse(
      read('test/interop/software/recorded.json'),
    );
    return unique(recorded.flatMap(({ sdk, version }) => (sdk === source.recorded ? [version] : [])));
  }
  if ('constant' in source) return constantIn(read(source.of), source.constant);
  return installedBy(read(source.by), source.installed);
}

function constantIn(text: string, name: string): string {
  let found = '';
  visit(treeOf(text), ({ type, id, init }) => {
    if (type === 'VariableDeclarator' && id?.name === name && init) found = String(literal(init) ?? '');
  });
  return found.replace(/^v/, '');
}

/** The version behind the name of a package in a page: of pip `==`, of npm and Go `@`, of Maven an element of its own. */
function installedBy(page: string, name: string): string {
  const words = page.split(/[\s']+/);
  for (const [at, word] of words.entries()) {
    const [start, version] = word.split(/==|@v?(?=\d)/);
    if (version !== undefined && start?.replace(/\[.*\]$/, '') === name) return version;
    if (word === `<artifactId>${name}</artifactId>`) return words[at + 1]?.replace(/<\/?version>/g, '') ?? '';
  }
  return '';
}

const headings = ['software', 'version', 'as', 'speaks', 'the gateway', 'proof'];

/** The table of all peers, by name and version. Links lead to the files of tests in the project's repository. */
export function peersTable(root: URL = projectRoot): string {
  const peers = declaredPeers(root);
  const { repository } = JSON.parse(readFileSync(new URL('package.json', root), 'utf8'));
  const address = `${repository.url.replace(/^git\+|\.git$/g, '')}/blob/main`;
  const rows = peers.map(({ software, version, role, speaks, does, path }) => {
    const proof = `[${path.replace(/^test\//, '')}](${address}/${path})`;
    return [software, versionOf(version, root), role, speaks, does, proof];
  });
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |\n`;
  const order = new Intl.Collator('en', { numeric: true });
  const sorted = rows.map(line).sort(order.compare);
  return line(headings) + line(headings.map(() => '---')) + sorted.join('');
}
