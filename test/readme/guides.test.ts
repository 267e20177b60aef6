import { readFileSync } from 'node:fs';
import { testBlocks } from './run-blocks.ts';

/** Guides whose readers have installed the package. */
const pages = [
  'docs/guides/agents.md',
  'docs/guides/authentication.md',
  'docs/guides/bridge.md',
  'docs/guides/embedding.md',
  'docs/guides/knowledge.md',
  'docs/guides/mcp.md',
];
for (const name of pages) {
  testBlocks(name, readFileSync(new URL(`../../${name}`, import.meta.url), 'utf8'), { installed: true });
}
