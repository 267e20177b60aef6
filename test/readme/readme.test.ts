import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { blocksOf } from './blocks.ts';
import { testBlocks } from './run-blocks.ts';

describe('blocks of a Markdown file', () => {
  const fence = '```';

  it('blocks of a Markdown file are found with their words, place and directives', () => {
    const text = `# Title
<!-- no-run: it never ends -->
<!-- shows: hello -->
${fence}sh no-run
sleep infinity
${fence}

1. indented
   ${fence}yaml
   # conf/gateway.yaml
   a:
     b: 1
   ${fence}
${fence}${fence.slice(0, 1)}md
${fence}sh
inner
${fence}
${fence}${fence.slice(0, 1)}
`;
    expect(blocksOf(text)).toEqual([
      {
        language: 'sh',
        words: ['no-run'],
        text: 'sleep infinity\n',
        line: 4,
        directives: new Map([
          ['shows', 'hello'],
          ['no-run', 'it never ends'],
        ]),
        file: undefined,
      },
      {
        language: 'yaml',
        words: [],
        text: '# conf/gateway.yaml\na:\n  b: 1\n',
        line: 9,
        directives: new Map(),
        file: 'conf/gateway.yaml',
      },
      {
        language: 'md',
        words: [],
        text: `${fence}sh\ninner\n${fence}\n`,
        line: 14,
        directives: new Map(),
        file: undefined,
      },
    ]);
  });

  it('blocks of a Markdown file must be closed', () => {
    expect(() => blocksOf(`text\n${fence}sh\nls\n`)).toThrow('line 2: this fence is never closed');
  });
});

const sample = `
\`\`\`sh
echo "from the shell" > note.txt
\`\`\`
<!-- shows: from the shell -->
\`\`\`sh
cat note.txt | tr a-z a-z
\`\`\`
\`\`\`sh fails
cat no-such-file | cat
\`\`\`
\`\`\`sh fails
echo '{"jsonrpc":"2.0","id":1,"error":{"code":-32600}}'
\`\`\`
\`\`\`yaml
# conf/some.yaml
key: value
\`\`\`
<!-- shows: key: value -->
\`\`\`sh
npm ci
cat conf/some.yaml
\`\`\`
<!-- shows: 24 -->
\`\`\`sh
npx tsc --version
node -p 'const n: number = 24; n'
\`\`\`
<!-- no-run: it would never end -->
\`\`\`sh no-run
sleep infinity
\`\`\`
`;
testBlocks('a sample', sample);

const readme = new URL('../../README.md', import.meta.url);
testBlocks('README.md', readFileSync(readme, 'utf8'), { installed: true });
