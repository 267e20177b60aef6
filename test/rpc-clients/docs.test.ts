import { readFileSync } from 'node:fs';
import { testBlocks } from '../readme/run-blocks.ts';

const text = readFileSync(new URL('../../docs/guides/clients.md', import.meta.url), 'utf8');
testBlocks('docs/guides/clients.md', text, { installed: true });
