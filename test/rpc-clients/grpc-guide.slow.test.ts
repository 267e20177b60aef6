import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { type Block, blocksOf } from '../readme/blocks.ts';
import { testBlocks } from '../readme/run-blocks.ts';

const page = readFileSync(new URL('../../docs/guides/grpc.md', import.meta.url), 'utf8');

/** Whether a block runs with nothing but npm: without grpcurl, packages of PyPI and Go modules. */
const needsOnlyNpm = ({ language, text }: Block): boolean =>
  language !== 'sh' || !/^(?:\w+=\S+ )?(?:grpcurl|pip|python|go) /m.test(text);

/** The page, in which the lines of blocks that need more than npm are empty. */
function withNpmAlone(): string {
  const lines = page.split('\n');
  for (const block of blocksOf(page).filter((each) => !needsOnlyNpm(each)))
    lines.fill('', block.line - 1, block.line + block.text.split('\n').length);
  return lines.join('\n');
}

const commands = (markdown: string): string[] =>
  blocksOf(markdown).flatMap(({ language, text }) => (language === 'sh' ? [text] : []));

const isHere = spawnSync('grpcurl', ['-version']).status === 0;

if (isHere) testBlocks('docs/guides/grpc.md', page, { installed: true });
else testBlocks('docs/guides/grpc.md, with npm alone', withNpmAlone(), { installed: true });

it('without grpcurl, the test of the page about gRPC leaves out what needs PyPI, Go modules or grpcurl, and nothing else', () => {
  const left = commands(withNpmAlone());
  expect(left.filter((text) => /\b(?:grpcurl|pip|python|go run)\b/.test(text))).toEqual([]);
  expect(left.length).toBeGreaterThan(8);
  expect(commands(page).length - left.length).toBeGreaterThan(8);
});
