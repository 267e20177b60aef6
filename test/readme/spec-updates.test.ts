import { readFileSync } from 'node:fs';
import { testBlocks } from './run-blocks.ts';

testBlocks('docs/spec-updates.md', readFileSync(new URL('../../docs/spec-updates.md', import.meta.url), 'utf8'));
