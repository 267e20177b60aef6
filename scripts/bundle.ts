import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type CodeSplittingNameFunction, type Plugin, rolldown } from 'rolldown';
import { optionalPackages } from '../src/config/packages.ts';
import { entries, included, includedInPages } from './packages.ts';
import { bundledPackages, notices } from './release/bundled.ts';
import { createSbom } from './release/sbom.ts';

const shared = 'shared';

/**
 * The entry points that run only on Node, and refuse old versions of it. The gRPC clients leave that check to their
 * library.
 */
const forNode: ReadonlySet<string> = new Set(['index', 'testing']);

/** Throws before all other code of an entry point runs. */
const requireNode = `import { tooOld } from '../bin/node-version.js';
if (tooOld) throw new Error(tooOld);
`;

const isExternal = (id: string, packages: readonly string[]): boolean =>
  packages.some((name) => id === name || id.startsWith(`${name}/`));

/**
 * Whether a file shares objects with a library of the program, so that it needs the program's copy of that library's
 * dependencies.
 */
const isMount = (importer: string | undefined): boolean => importer?.includes('/src/mounts/') === true;

const newUrl = /new URL\('([^']+)', import\.meta\.url\)/g;

/**
 * Writes the JavaScript of the package from the sources: a few files instead of hundreds, because each file that Node
 * loads takes longer to find and to read than its code takes to run. Dynamic imports remain files of their own. It also
 * writes the licenses of the packages whose code is included, and the software bill of materials.
 *
 * @param dist folder of the built package
 * @param root folder of the project, with `node_modules`
 * @param others paths of the modules in the console and in the generators
 * @throws Error for a source that refers to a file relative to itself in another way than `new URL('…',
 *   import.meta.url)`
 */
export async function bundle(dist: URL, root: URL, others: readonly string[]): Promise<void> {
  const source = fileURLToPath(new URL('src/', root));
  const manifest = JSON.parse(readFileSync(new URL('package.json', root), 'utf8'));
  const external = [...Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies }), ...optionalPackages];
  const build = await rolldown({
    input: entries,
    cwd: fileURLToPath(root),
    platform: 'node',
    // Comments contain the paths of included files: in a copy of the checkout, `node_modules` is a link to another
    // folder.
    resolve: { symlinks: false },
    external: (id, importer) => isExternal(id, external) && !(isExternal(id, included) && !isMount(importer)),
    plugins: [placesIn(source), withoutProcesses, builtins, withoutValidators, ascii, direct],
    // Modules that the command loads lazily may be loaded at once by programs that use the package.
    checks: { ineffectiveDynamicImport: false },
    // The groups below need this. It adds no exports to the entries.
    preserveEntrySignatures: 'allow-extension',
  });
  const { output } = await build.write({
    dir: fileURLToPath(dist),
    format: 'esm',
    entryFileNames: '[name].js',
    chunkFileNames: `${shared}/[name].js`,
    codeSplitting: {
      groups: [{ name: startGroups(source), debugName: 'start', includeDependenciesRecursively: false }],
    },
    // Comments are a tenth of the package. The declarations keep them.
    comments: { jsdoc: false },
    banner: ({ name }) => (forNode.has(name) ? "import './require-node.js';" : ''),
  });
  await build.close();
  for (const file of output) {
    if (file.type !== 'chunk' || file.fileName.startsWith(`${shared}/`)) continue;
    if (file.code.includes('import.meta.url')) throw new Error(`${file.fileName} names files by its own place`);
  }
  writeFileSync(new URL('require-node.js', dist), requireNode);
  const paths = output.flatMap((file) => (file.type === 'chunk' ? file.moduleIds : []));
  const bundled = bundledPackages([...paths, ...others], [...included, ...includedInPages]);
  writeFileSync(new URL('THIRD-PARTY-NOTICES.txt', dist), notices(bundled));
  const sbom = createSbom(manifest, JSON.parse(readFileSync(new URL('package-lock.json', root), 'utf8')), bundled);
  writeFileSync(new URL('sbom.cdx.json', dist), `${JSON.stringify(sbom, undefined, 2)}\n`);
}

/** Modules that a gateway loads before its first answer, apart from the command line. */
const start = [
  'cli/commands/serve.ts',
  'config/index.ts',
  'gateway/compose/gateway.ts',
  'gateway/process/logger.ts',
  'stores/sqlite/database.ts',
];

/**
 * Groups the modules that a gateway loads at its start into a few files, by the other entry points that load them: the
 * command line, the typed gRPC clients, and commands and features that need no gateway. Finding, reading and linking a
 * file takes longer than running it.
 */
function startGroups(source: string): CodeSplittingNameFunction {
  const at = (path: string): string => join(source, path);
  let users: ReadonlyMap<string, ReadonlySet<string>> | undefined;
  return (id, context) => {
    const reached = (roots: readonly string[], dynamic = false): Set<string> => {
      const found = new Set(roots);
      for (const each of found) {
        const info = context.getModuleInfo(each);
        for (const next of info?.importedIds ?? []) found.add(next);
        if (dynamic) for (const next of info?.dynamicallyImportedIds ?? []) found.add(next);
      }
      return found;
    };
    const usersOf = (): ReadonlyMap<string, ReadonlySet<string>> => {
      const started = reached(start.map(at));
      const all = reached(
        Object.values(entries).map((entry) => join(source, '..', entry)),
        true,
      );
      const others = [...all].filter(
        (each) => !started.has(each) && !reached([each]).has(at('gateway/compose/gateway.ts')),
      );
      return new Map([
        ['start', started],
        ['command', reached([at('cli/run.ts')])],
        ['rpc', reached([at('rpc-clients/grpc.ts'), at('rpc-clients/grpc-0.3.ts')])],
        ['other', reached(others)],
      ]);
    };
    users ??= usersOf();
    const names = [...users].flatMap(([name, modules]) => (modules.has(id) ? [name] : []));
    // The command line and the gRPC clients share too little code for a file of its own.
    if (names.join('-').startsWith('start-command')) return 'start-command';
    return names[0] === 'start' || names[0] === 'command' ? names.join('-') : null;
  };
}

/** Rewrites references to files that are relative to a source, because its code moves to the folder of shared files. */
const placesIn = (source: string): Plugin => ({
  name: 'places',
  transform(code, id) {
    if (!id.startsWith(source) || !code.includes('import.meta.url')) return null;
    const moved = code.replace(newUrl, (_, path: string) => {
      const place = join(relative(source, dirname(id)), path.replace(/\.ts$/, '.js')).replaceAll('\\', '/');
      // The package contains the generators next to the files built from src.
      const target = relative(shared, place.replace(/^\.\.\/codegen\//, '')).replaceAll('\\', '/');
      return `new URL('${target}', import.meta.url)`;
    });
    if (code.split('import.meta').length - 1 !== [...code.matchAll(newUrl)].length) {
      throw new Error(`${id} uses import.meta in another way than new URL('…', import.meta.url)`);
    }
    return { code: moved, map: null };
  },
});

/** Node modules that take long to load, or load others, and that a gateway may not need at its start. */
const loadedByCalls: ReadonlySet<string> = new Set(['node:fs/promises', 'node:http2', 'node:tls', 'node:zlib']);

/**
 * Imports of Node's modules read every export, also those for which Node loads further modules, such as its own HTTP
 * client and the Web Crypto API: an eighth of the start. This plugin reads only the exports that are used. For modules
 * in `loadedByCalls` it provides the constants, and functions that load the module when they are called. Imports that
 * old versions of Node lack would fail before `require-node.js` can report the old version.
 */
const builtins: Plugin = {
  name: 'builtins',
  resolveId: (id, importer, { kind }) =>
    kind === 'import-statement' && id.startsWith('node:') && !importer?.startsWith('\0') ? `\0${id}` : null,
  load(id) {
    if (!id.startsWith('\0node:')) return null;
    const name = id.slice(1);
    const module = `process.getBuiltinModule('${name}')`;
    const exports = Object.entries(process.getBuiltinModule(name) as object);
    if (loadedByCalls.has(name)) {
      const functions = exports.flatMap(([key, value]) => {
        if (key === 'constants') return `export const ${key} = ${JSON.stringify(value)};`;
        return /^[a-z]/.test(key) && typeof value === 'function'
          ? `export const ${key} = (...args) => ${module}.${key}(...args);`
          : [];
      });
      return functions.join('\n');
    }
    const read = exports.map(([key]) => `export const ${key} = /* @__PURE__ */ __read('${key}');`);
    return [
      `const __module = ${module};`,
      'const __read = (key) => __module[key];',
      ...read,
      'export default __module;',
    ].join('\n');
  },
};

const notEscapable = /String\.raw`[^`]*[^\0-\x7f]|(?<!\\)(?:\\\\)*\\[^\0-\x7f]/;

/** Escapes characters beyond ASCII: a single one doubles the memory for a file's text, and the time to read it. */
const ascii: Plugin = {
  name: 'ascii',
  generateBundle(_, files) {
    const escaped = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
    for (const file of Object.values(files)) {
      if (file.type !== 'chunk') continue;
      if (notEscapable.test(file.code))
        throw new Error(`${file.fileName} has such a character in String.raw or behind \\`);
      file.code = file.code.replace(/[^\0-\x7f]/g, escaped);
    }
  },
};

/**
 * Imports the file with the code directly. For a module that is imported dynamically and whose code is in a file with
 * others, the bundler adds a file that only exports its names from there. Node needs half a millisecond to find and
 * link each.
 */
const direct: Plugin = {
  name: 'direct',
  generateBundle(_, files) {
    const chunks = Object.values(files).filter((file) => file.type === 'chunk');
    for (const { fileName, code } of chunks) {
      const [, names = '', target] = /^export \{ (.*) \} from "\.\/(.*)";\n$/.exec(code) ?? [];
      if (target === undefined || !fileName.startsWith(`${shared}/`)) continue;
      const members = names.split(', ').map((each) => each.split(' as '));
      const picked = members.map(([own, name = own]) => `${name}: m.${own}`).join(', ');
      const path = new RegExp(`import\\("([./a-z]*/)${fileName.slice(shared.length + 1).replace('.', '\\.')}"\\)`, 'g');
      for (const user of chunks) {
        user.code = user.code.replace(path, `import("$1${target}").then((m) => ({ ${picked} }))`);
      }
      delete files[fileName];
    }
  },
};

/**
 * Removes `node:child_process` from commander, which can run commands that are separate programs. The gateway has none,
 * and the module takes time to load.
 */
const withoutProcesses: Plugin = {
  name: 'without-processes',
  resolveId: (id, importer) =>
    id === 'node:child_process' && importer?.includes('/commander/') ? '\0no-processes' : null,
  load: (id) => (id === '\0no-processes' ? 'export default {};' : null),
};

/**
 * Removes the JSON Schema validator from both packages of the MCP SDK, in which it is half of the code. The sources
 * pass a validator of their own.
 */
const withoutValidators: Plugin = {
  name: 'without-validators',
  resolveId: (id) => (/^@modelcontextprotocol\/(?:client|server)\/_shims$/.test(id) ? '\0mcp-shims' : null),
  load: (id) =>
    id === '\0mcp-shims'
      ? `export { default as process } from 'node:process';
export const CORS_IS_POSSIBLE = false;
export class DefaultJsonSchemaValidator {
  constructor() { throw new Error('a client or server of MCP was made without a validator'); }
}`
      : null,
};
