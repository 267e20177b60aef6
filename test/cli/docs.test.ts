import { readFileSync } from 'node:fs';
import { testBlocks } from '../readme/run-blocks.ts';

const page = readFileSync(new URL('../../docs/command-line.md', import.meta.url), 'utf8');

testBlocks('docs/command-line.md', page, { installed: true });
