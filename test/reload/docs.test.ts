import { readFileSync } from 'node:fs';
import { testBlocks } from '../readme/run-blocks.ts';

testBlocks('docs/reloading.md', readFileSync(new URL('../../docs/reloading.md', import.meta.url), 'utf8'));
