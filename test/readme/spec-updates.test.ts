import { readFileSync } from 'node:fs';
import { testBlocks } from './run-blocks.ts';

testBlocks(
  'docs/reference/spec-updates.md',
  readFileSync(new URL('../../docs/reference/spec-updates.md', import.meta.url), 'utf8'),
);
