/**
 * `npm run docs`: builds the documentation site from `docs` to `tools/site/dist`. `npm run docs:dev` serves it with reload.
 *
 * With `--no-api`, the pages about the library are left out, which is faster.
 * `DOCS_BASE` is the path below which the site will be served; the default is `/`.
 */
import { mkdirSync, mkdtempSync, rmSync, watch, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { build, createServer } from 'vitepress';
import { writeApi } from './api.ts';
import { faultsOf } from './check.ts';
import { writeTexts } from './llms.ts';
import { project, stagePage, stagePages } from './stage.ts';

const here = fileURLToPath(new URL('./', import.meta.url));

const { values } = parseArgs({
  allowNegative: true,
  options: {
    docs: { type: 'string', default: join(project, 'docs') },
    out: { type: 'string', default: join(here, 'dist') },
    api: { type: 'boolean', default: true },
    base: { type: 'string', default: process.env.DOCS_BASE ?? '/' },
    dev: { type: 'boolean', default: false },
    port: { type: 'string', default: '5173' },
  },
});

/** Makes the folder that VitePress builds from: the staged pages, and a `.vitepress` that leads to this folder's. */
async function stage(docs: string, outDir: string, base: string): Promise<string> {
  mkdirSync(join(here, '.stage'), { recursive: true });
  const folder = mkdtempSync(join(here, '.stage', 'site-'));
  stagePages(docs, folder);
  if (values.api) await writeApi(join(folder, 'reference', 'api'));
  const options = JSON.stringify({ pages: folder, outDir, base });
  mkdirSync(join(folder, '.vitepress', 'theme'), { recursive: true });
  writeFileSync(
    join(folder, '.vitepress', 'config.ts'),
    `import { siteConfig } from '../../../.vitepress/config.ts';\nexport default siteConfig(${options});\n`,
  );
  writeFileSync(
    join(folder, '.vitepress', 'theme', 'index.ts'),
    `export { default } from '../../../../.vitepress/theme/index.ts';\n`,
  );
  return folder;
}

/** Serves the pages, and stages each page again that changes. */
async function serve(docs: string, folder: string, port: number): Promise<void> {
  const server = await createServer(folder, { port, host: '127.0.0.1' });
  await server.listen();
  console.log(server.resolvedUrls?.local.join('\n') ?? '');
  watch(docs, { recursive: true }, (_, file) => {
    if (!file?.endsWith('.md')) return;
    try {
      stagePage(docs, file, folder);
    } catch (error) {
      console.error(error instanceof Error ? error.message : error);
    }
  });
  await new Promise<void>((stop) => process.once('SIGINT', stop).once('SIGTERM', stop));
  await server.close();
}

const started = performance.now();
const docs = resolve(values.docs);
const out = resolve(values.out);
let folder: string | undefined;
try {
  folder = await stage(docs, out, values.base);
  if (values.dev) await serve(docs, folder, Number(values.port));
  else {
    await build(folder);
    writeTexts(folder, out);
    const faults = faultsOf(out, values.base);
    if (faults.length > 0) throw new Error(`faults of the site:\n${faults.map((line) => `  ${line}`).join('\n')}`);
    console.log(`${out}: built in ${((performance.now() - started) / 1000).toFixed(1)} s`);
  }
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
} finally {
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
}
