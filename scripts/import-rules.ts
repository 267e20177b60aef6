import { isBuiltin } from 'node:module';
import { posix } from 'node:path';
import type { ImportSite, SourceFile } from './imports.ts';

const base = ['core', 'gen'];

/**
 * Imports allowed between parts of src. A part is a folder of src or of src/extensions, or a file directly in src. Only
 * listed parts may be imported; a part that is not listed is itself an error, so that the table stays complete. No
 * extension imports another one.
 */
export const mayImport: Readonly<Record<string, readonly string[] | 'everything'>> = {
  gen: [],
  core: ['gen'],
  wire: base,
  dialects: ['wire', ...base],
  net: base,
  stores: base,
  auth: ['net', ...base],
  push: ['net', 'dialects', ...base],
  metrics: base,
  transports: ['dialects', 'wire', 'net', ...base],
  client: ['transports', 'dialects', 'net', ...base],
  agents: ['client', 'net', ...base],
  // Seams that modules and the gateway share: what a module may be, what it gets, and what several need.
  extensions: [
    'config',
    'auth',
    'client',
    'metrics',
    'push',
    'stores',
    'transports',
    'dialects',
    'wire',
    'net',
    ...base,
  ],
  'extensions/erasure': ['extensions', 'auth', 'stores', ...base],
  'extensions/knowledge': ['extensions', 'config', 'auth', 'client', 'stores', 'dialects', 'net', ...base],
  'extensions/mcp': ['extensions', 'config', 'agents', 'auth', 'transports', 'dialects', 'wire', 'net', ...base],
  'extensions/admin': [
    'extensions',
    'config',
    'auth',
    'client',
    'metrics',
    'stores',
    'dialects',
    'wire',
    'net',
    ...base,
  ],
  'extensions/calls': ['extensions', 'config', 'metrics', 'stores', ...base],
  'extensions/generations': ['extensions', 'config', 'client', 'stores', 'dialects', ...base],
  // Code that modules with conditions in CEL share.
  'extensions/conditions': ['extensions', 'config', 'auth', ...base],
  'extensions/policies': ['extensions', 'extensions/conditions', 'config', 'auth', 'metrics', ...base],
  'extensions/guards': [
    'extensions',
    'extensions/conditions',
    'config',
    'agents',
    'auth',
    'metrics',
    'wire',
    'net',
    ...base,
  ],
  // Decisions about calls that wait for people, for all modules that take them.
  'extensions/asks': ['extensions', 'auth', ...base],
  'extensions/questions': [
    'extensions',
    'extensions/asks',
    'config',
    'auth',
    'push',
    'transports',
    'wire',
    'net',
    ...base,
  ],
  'extensions/slack': ['extensions', 'extensions/asks', 'config', 'auth', 'push', 'transports', 'net', ...base],
  'extensions/recordings': ['extensions', 'transports', 'dialects', 'wire', 'net', ...base],
  'extensions/registration': ['extensions', 'config', 'client', 'stores', 'wire', 'net', ...base],
  'extensions/stops': ['extensions', 'metrics', 'stores', ...base],
  'extensions/trees': ['extensions', 'config', 'metrics', 'stores', 'transports', 'wire', 'net', ...base],
  'extensions/console-pages': ['extensions', 'auth', 'transports', 'wire', ...base],
  'extensions/console': ['dialects', 'wire', ...base],
  config: ['auth', 'stores', 'net', 'dialects', ...base],
  'rpc-clients': ['transports', 'dialects', 'wire', ...base],
  mounts: ['gateway', 'transports', 'dialects', 'wire', ...base],
  gateway: 'everything',
  cli: [
    'gateway',
    'metrics',
    'client',
    'dialects',
    'wire',
    'net',
    'auth',
    'config',
    'extensions',
    'extensions/calls',
    'extensions/generations',
    'extensions/guards',
    'extensions/knowledge',
    'extensions/mcp',
    'extensions/policies',
    ...base,
  ],
  testing: 'everything',
  index: 'everything',
};

/**
 * Imports allowed between sub-folders of src/core, besides their own. The model of a task comes before the operations
 * on it, and a request passes them from the last to the first.
 */
export const coreMayImport: Readonly<Record<string, readonly string[]>> = {
  collections: [],
  model: [],
  ports: ['model'],
  limits: ['collections', 'model', 'ports'],
  telemetry: ['model', 'ports'],
  tasks: ['collections', 'model', 'ports', 'limits', 'telemetry'],
  cluster: ['model', 'ports', 'limits', 'telemetry', 'tasks'],
  operations: ['model', 'ports', 'limits', 'telemetry', 'tasks', 'cluster'],
  middleware: ['collections', 'model', 'ports', 'limits', 'telemetry', 'tasks', 'cluster', 'operations'],
};

/**
 * Imports allowed between sub-folders of src/gateway, besides their own: facts of the process, objects created from a
 * configuration, servers, and the composition.
 */
export const gatewayMayImport: Readonly<Record<string, readonly string[]>> = {
  process: [],
  access: ['process'],
  agents: ['process', 'access'],
  tracing: ['process'],
  reload: ['process', 'access', 'agents'],
  cards: ['process', 'access', 'agents', 'reload'],
  http: ['process', 'access', 'agents', 'reload', 'cards'],
  compose: ['process', 'access', 'agents', 'tracing', 'reload', 'cards', 'http'],
};

/** The list of modules: a row for each. No other file of the gateway imports an extension. */
const extensionRows = 'src/gateway/compose/extensions.ts';

/** Parts that only the command and its users start: nothing imports them. */
const roots = new Set(['cli', 'extensions/console', 'index', 'mounts', 'rpc-clients', 'testing']);

/** Folders of src/transports that all bindings share. Every other folder is a binding, and no binding imports another. */
const sharedTransports: ReadonlySet<string | undefined> = new Set(['listener', 'http', 'pages', 'rpc', 'outbound']);

/** Parts that stay free of input and output, and what they may therefore not import. */
const pure = new Set(['gen', 'core', 'wire', 'dialects']);
const inputOutput =
  /^(node:)?(http|https|http2|net|tls|dgram|child_process|cluster|sqlite)$|^(pg|express|undici|kysely|@grpc\/[^/]+|@connectrpc\/connect-node)(\/|$)/;

/**
 * Folders that browsers run too, such as the playground of the documentation, and the files in them that only servers
 * need.
 */
const portable = /^src\/(?:gen|dialects|wire|core\/model)\//;
const forServers: ReadonlySet<string> = new Set(['src/wire/json-body.ts']);

/** Generated for libraries that do input and output. Only `rpc-clients` imports it, so that the gateway needs none of them. */
const clients = 'src/gen/clients/';

/** The npm package that a specifier names, or undefined for a relative path or one of Node's own modules. */
export function packageOf(specifier: string): string | undefined {
  if (/^[./#]/.test(specifier) || isBuiltin(specifier)) return undefined;
  const [scope, name] = specifier.split('/');
  return specifier.startsWith('@') ? `${scope}/${name}` : scope;
}

/** The part of src that a file belongs to. */
function partOf(path: string): string {
  const [, part = '', extension, ...rest] = path.split('/');
  return part === 'extensions' && rest.length > 0 ? `${part}/${extension}` : part.replace(/\.ts$/, '');
}

function brokenRule(from: string, site: ImportSite): string | undefined {
  const part = partOf(from);
  const { specifier } = site;
  if (!specifier.startsWith('.')) {
    const forbidden = pure.has(part) && !from.startsWith(clients) && inputOutput.test(specifier);
    if (forbidden) return `${part} does no input or output, so it may not import ${specifier}`;
    const ofNode = isBuiltin(specifier) && portable.test(from) && !forServers.has(from);
    return ofNode ? `pages run this file too, so it may not import ${specifier}` : undefined;
  }
  const to = posix.normalize(posix.join(posix.dirname(from), specifier));
  // A bundle has the text of a page of the documentation, and nothing of it is run.
  if (part === 'extensions/console' && /^docs\/.+\.md\?raw$/.test(to)) return undefined;
  if (!to.startsWith('src/')) return `src imports nothing outside of src, but this is ${to}`;
  const target = partOf(to);
  if (to.startsWith(clients) && part !== 'rpc-clients' && !from.startsWith(clients))
    return `only rpc-clients imports ${to}`;
  if (part === 'transports' && target === 'transports') {
    const [mine, other] = [from.split('/'), to.split('/')].map((path) => (path.length > 3 ? path[2] : undefined));
    const allowed = mine === other || sharedTransports.has(other);
    return allowed ? undefined : `transports/${mine} may not import the binding ${other}`;
  }
  const order = part === target ? orders[part] : undefined;
  if (order) return brokenOrder(part, order, from.split('/')[2] ?? '', to.split('/')[2] ?? '');
  if (target === part) return undefined;
  if (roots.has(target)) return `nothing imports ${target}`;
  if (part === 'gateway' && target.startsWith('extensions/') && from !== extensionRows)
    return `of the gateway, only ${extensionRows} imports extensions: not ${target}`;
  const allowed = mayImport[part] ?? [];
  if (allowed === 'everything' || allowed.includes(target)) return undefined;
  return `${part} may import ${allowed.join(', ') || 'nothing'}: not ${target}`;
}

/** Parts whose sub-folders have an order. */
const orders: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  core: coreMayImport,
  gateway: gatewayMayImport,
};

function brokenOrder(
  part: string,
  order: Readonly<Record<string, readonly string[]>>,
  from: string,
  to: string,
): string | undefined {
  const allowed = order[from];
  if (!allowed) return `${part}/${from}: not in the table of who may import whom`;
  if (from === to || allowed.includes(to)) return undefined;
  return `${part}/${from} may import ${allowed.join(', ') || 'nothing'} of ${part}: not ${to}`;
}

/**
 * Files that the generators share with the program, which runs nothing that they write; of the command, its types
 * alone.
 */
const readByCodegen =
  /^src\/(?:gen\/(?:api|operations)|core\/model\/errors|wire\/http-rule|cli\/commands\/types|dialects\/(?:kernel\/record|a2a-1\.x\/(?:dropped|narrowed|retyped|conversions)|a2a-0\.3\/(?:error-names|names)))\.ts$/;

/** The tables of dialects, whose functions import code of src/gen. */
const dialectTables = /^src\/dialects\/[^/]+\/(?:protobuf\/)?(?:card-)?mapping\.ts$/;

/** Files that load those tables. `npm run generate` runs them last, when it has written the code that they import. */
const loadsTables = /^codegen\/(?:records|dialect-pages)\.ts$/;

/** Part of codegen in the package: the generators of `a2a-gateway types`, with the packages that they install. */
const projectTypes = 'codegen/project-types/';

function brokenToolRule(from: string, to: string, lazy: boolean): string | undefined {
  const [part, target] = [from, to].map((path) => path.split('/')[0]);
  // An update of a protocol begins with code that is right.
  const afterOthers = lazy || loadsTables.test(from) || from.startsWith('codegen/update/');
  if (loadsTables.test(to) && part === 'codegen' && !afterOthers)
    return `${to} loads code of src/gen, which is written first: only by import()`;
  if (part === target || (from === 'codegen/records.ts' && dialectTables.test(to))) return undefined;
  if (part === 'codegen' && !readByCodegen.test(to))
    return `codegen reads the mappings of dialects in records.ts, and nothing else of the program: not ${to}`;
  if (part === 'scripts' && target !== 'src' && target !== 'tools' && !to.startsWith(projectTypes))
    return `scripts may import src, tools and ${projectTypes}: not ${to}`;
  return undefined;
}

/** Every import of codegen and scripts that leads where it must not, as `file:line: rule`. */
export const toolErrors = (files: readonly SourceFile[]): string[] =>
  files.flatMap(({ path, imports }) =>
    imports.flatMap(({ specifier, line, lazy }) => {
      if (!specifier.startsWith('.')) return [];
      const rule = brokenToolRule(path, posix.normalize(posix.join(posix.dirname(path), specifier)), lazy);
      return rule === undefined ? [] : [`${path}:${line}: ${rule}`];
    }),
  );

/** Every import that breaks a rule between the parts of src, as `file:line: rule`. */
export function folderErrors(files: readonly SourceFile[]): string[] {
  const errors: string[] = [];
  for (const part of new Set(files.map(({ path }) => partOf(path)))) {
    if (!Object.hasOwn(mayImport, part)) errors.push(`src/${part}: not in the table of who may import whom`);
  }
  for (const file of files) {
    for (const site of file.imports) {
      const rule = brokenRule(file.path, site);
      if (rule !== undefined) errors.push(`${file.path}:${site.line}: ${rule}`);
    }
  }
  return errors;
}

/**
 * Packages that src imports without declaring them, as `file:line: rule`, and declared ones that it never imports.
 *
 * @param declared dependencies, peer dependencies, and packages whose code is included
 */
export function packageErrors(files: readonly SourceFile[], declared: readonly string[]): string[] {
  const errors: string[] = [];
  const used = new Set<string>();
  for (const file of files) {
    for (const { specifier, line } of file.imports) {
      const name = packageOf(specifier);
      if (name === undefined) continue;
      used.add(name);
      if (!declared.includes(name)) errors.push(`${file.path}:${line}: ${name} is not a declared package`);
    }
  }
  for (const name of declared) {
    if (!used.has(name)) errors.push(`package.json: src never imports the package ${name}`);
  }
  return errors;
}

/** Files that no entry point reaches by imports. */
export function unreachable(files: readonly SourceFile[], entries: readonly string[]): SourceFile[] {
  const byPath = new Map(files.map((file) => [file.path, file]));
  const reached = new Set<string>();
  const queue = [...entries];
  for (let path = queue.pop(); path !== undefined; path = queue.pop()) {
    const file = byPath.get(path);
    if (file === undefined || reached.has(path)) continue;
    reached.add(path);
    queue.push(...targetsOf(file));
  }
  return files.filter(({ path }) => !reached.has(path));
}

/** Circles of imports, types included. */
export const circleErrors = (files: readonly SourceFile[]): string[] =>
  circles(files).map((circle) => `a circle of imports: ${circle.join(' → ')}`);

/**
 * Groups of files that import each other in a circle; each group in the order in which one leads to the next. Tarjan's
 * algorithm, by depth-first search.
 */
function circles(files: readonly SourceFile[]): string[][] {
  const targets = new Map(files.map((file) => [file.path, targetsOf(file)]));
  const order = new Map<string, number>();
  const lowest = new Map<string, number>();
  const open: string[] = [];
  const found: string[][] = [];
  const visit = (path: string): number => {
    const place = order.size;
    order.set(path, place);
    lowest.set(path, place);
    open.push(path);
    for (const target of targets.get(path) ?? []) {
      if (!targets.has(target)) continue;
      const reached = order.has(target) ? (open.includes(target) ? order.get(target) : undefined) : visit(target);
      lowest.set(path, Math.min(lowest.get(path) ?? place, reached ?? place));
    }
    const low = lowest.get(path) ?? place;
    if (low === place) {
      const group = open.splice(open.indexOf(path));
      if (group.length > 1 || targets.get(path)?.includes(path)) found.push(group);
    }
    return low;
  };
  for (const path of targets.keys()) if (!order.has(path)) visit(path);
  return found;
}

const targetsOf = ({ path, imports }: SourceFile): string[] =>
  imports
    .filter(({ specifier }) => specifier.startsWith('.'))
    .map(({ specifier }) => posix.normalize(posix.join(posix.dirname(path), specifier)));
