import { readFileSync } from 'node:fs';
import { testBlocks } from '../readme/run-blocks.ts';

testBlocks(
  'docs/operate/reloading.md',
  readFileSync(new URL('../../docs/operate/reloading.md', import.meta.url), 'utf8'),
);
