import { readFileSync } from 'node:fs';
import { testBlocks } from '../readme/run-blocks.ts';

const page = readFileSync(new URL('../../docs/reference/command-line.md', import.meta.url), 'utf8');

testBlocks('docs/reference/command-line.md', page, { installed: true });
