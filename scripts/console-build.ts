import { createHash } from 'node:crypto';
import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants } from 'node:zlib';
import { createServer, type InlineConfig, type Plugin, build as viteBuild } from 'vite';
import { withoutServerCode } from './portable.ts';

const root = fileURLToPath(new URL('../', import.meta.url));
const source = fileURLToPath(new URL('../src/extensions/console/', import.meta.url));

/**
 * Builds workers as further chunks of the console, so that they share its code, such as the dialects. A separate bundle
 * would contain that code a second time.
 */
function workersAsChunks(): Plugin {
  return {
    name: 'workers-as-chunks',
    apply: 'build',
    // Runs before Vite finds the worker.
    enforce: 'pre',
    async transform(code, importer) {
      const [place, path] =
        /new URL\('(\.\/[\w-]+\.ts)', import\.meta\.url\)(?=, \{ type: 'module' \})/.exec(code) ?? [];
      if (place === undefined || path === undefined) return null;
      const worker = await this.resolve(path, importer);
      if (!worker) throw new Error(`${importer} starts a worker that does not exist: ${path}`);
      const reference = this.emitFile({ type: 'chunk', id: worker.id, name: 'worker' });
      return { code: code.replace(place, `import.meta.ROLLUP_FILE_URL_${reference}`), map: null };
    },
  };
}

/** Makes the console load its parts with its own `loadPart`, which waits while the gateway is unreachable. */
function ownLoader(): Plugin {
  return {
    name: 'own-loader',
    apply: 'build',
    // Runs before Vite writes its own function.
    enforce: 'pre',
    load(id) {
      if (id !== '\0vite/preload-helper.js') return null;
      return `export { loadPart as __vitePreload } from ${JSON.stringify(join(source, 'shell/load-part.ts'))};`;
    },
  };
}

const config: InlineConfig = {
  root: source,
  configFile: false,
  // The console works below any path, so its files refer to each other by relative URLs.
  base: './',
  publicDir: false,
  logLevel: 'warn',
  plugins: [withoutServerCode(), workersAsChunks(), ownLoader()],
  worker: { format: 'es' },
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
};

/** Sources of the console. */
const inputs = [
  'src/{extensions/console,gen,wire,dialects,core/model}/**/*',
  'scripts/console*.ts',
  'scripts/portable.ts',
  'package-lock.json',
];

/** Name of the file in which a build stores the digest of its sources. */
const digestFile = '.sources';

function digestOfInputs(): string {
  const hash = createHash('sha256');
  const files = globSync(inputs, { cwd: root, withFileTypes: true }).filter((entry) => entry.isFile());
  for (const path of files.map((entry) => join(entry.parentPath, entry.name)).sort()) {
    hash.update(path.slice(root.length)).update('\0').update(readFileSync(path)).update('\0');
  }
  return hash.digest('hex');
}

/** Whether a folder contains an up-to-date build of the console. */
export function isBuilt(out: string): boolean {
  const file = join(out, digestFile);
  return existsSync(file) && readFileSync(file, 'utf8') === digestOfInputs();
}

/** Builds the console into a folder. Returns the paths of its modules. */
export async function buildConsole(out: string): Promise<string[]> {
  const modules: string[] = [];
  await viteBuild({
    ...config,
    plugins: [
      ...(config.plugins ?? []),
      {
        name: 'modules',
        generateBundle(_, bundle) {
          for (const file of Object.values(bundle)) if (file.type === 'chunk') modules.push(...file.moduleIds);
        },
      },
    ],
    build: {
      outDir: out,
      emptyOutDir: true,
      target: 'es2023',
      // Inlined files would be data URLs, which the content security policy refuses.
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      reportCompressedSize: false,
    },
  });
  for (const path of globSync('**/*.{html,js,css,svg}', { cwd: out })) compress(join(out, path));
  writeFileSync(join(out, digestFile), digestOfInputs());
  return modules;
}

/** Writes a brotli file next to a file if it is smaller. */
function compress(path: string): void {
  const bytes = readFileSync(path);
  const params = { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length };
  const small = brotliCompressSync(bytes, { params });
  if (small.length < bytes.length) writeFileSync(`${path}.br`, small);
}

/**
 * Serves the console from its sources, with live reload. All other requests are passed to a gateway. Returns the URL.
 */
export async function serveConsole(port: number, gateway: string): Promise<string> {
  const server = await createServer({
    ...config,
    base: '/console/',
    server: {
      port,
      host: 'localhost',
      // All other paths belong to the gateway, which must receive requests of its own origin.
      proxy: {
        '^/(?!console/)|^/console/(?:settings\\.json|session|sign-in|signed-in)': {
          target: gateway,
          changeOrigin: true,
          configure: (proxy) => proxy.on('proxyReq', (request) => request.removeHeader('origin')),
        },
      },
    },
  });
  await server.listen();
  return `http://localhost:${port}/console/`;
}
