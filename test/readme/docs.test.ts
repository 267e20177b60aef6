import { readFileSync } from 'node:fs';
import { testBlocks } from './run-blocks.ts';

/** Pages whose readers have installed the package. */
for (const name of ['docs/guides/agents.md', 'docs/guides/authentication.md', 'docs/guides/embedding.md']) {
  testBlocks(name, readFileSync(new URL(`../../${name}`, import.meta.url), 'utf8'), { installed: true });
}
