import { readFileSync } from 'node:fs';
import { testBlocks } from './run-blocks.ts';

/** Guides whose readers have installed the package. */
const pages = ['agents', 'authentication', 'bridge', 'embedding', 'knowledge', 'mcp'];
for (const name of pages) {
  const page = `docs/guides/${name}.md`;
  testBlocks(page, readFileSync(new URL(`../../${page}`, import.meta.url), 'utf8'), { installed: true });
}
