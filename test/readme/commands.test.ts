import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Command } from 'commander';
import { expect, it } from 'vitest';
import { createProgram } from '../../src/cli/run.ts';
import { blocksOf } from './blocks.ts';

/** The commands on all pages that no test runs, held against the programs that they name. */

const root = fileURLToPath(new URL('../../', import.meta.url));
const names = globSync('{*.md,{docs,examples}/**/*.md}', { cwd: root })
  // Commands of earlier versions.
  .filter((name) => name !== 'CHANGELOG.md')
  .sort();
const pages = new Map(names.map((name) => [name, readFileSync(join(root, name), 'utf8')]));

/** Text that a reader may paste into a shell, with its place: blocks of commands, and commands within sentences. */
const shellTexts = [...pages].flatMap(([page, text]) => [
  ...blocksOf(text)
    .filter(({ language }) => language === 'sh' || language === '')
    .map((block) => ({ place: `${page}:${block.line}`, text: block.text.replaceAll('\\\n', ' ') })),
  ...text.split('\n').flatMap((line, index) =>
    [...line.matchAll(/`((?:npx )?(?:a2a-gateway|npm run) [^`]+)`/g)].map(([, command = '']) => ({
      place: `${page}:${index + 1}`,
      text: command,
    })),
  ),
]);

const beginning = String.raw`(?:^|[;&|(]\s*|\bnpx |\.bin/|^\w+=\S+ )`;
const rest = String.raw`((?:'[^']*'|"[^"]*"|[^'"\n|;&>#)])*)`;

/** Commands of one program in a text, each up to the end of its line, or to what ends a command in a shell. */
const commandsIn = (text: string, program: string): string[] =>
  [...text.matchAll(new RegExp(`${beginning}${program} ${rest}`, 'gm'))].map(([, words = '']) => words.trim());

const wordsOf = (command: string): string[] => command.match(/(?:'[^']*'|"[^"]*"|[^\s'"])+/g) ?? [];

const output = { print: () => undefined, note: () => undefined, json: () => undefined };
const program = createProgram(output as never, undefined);

/** The words of a command that the program does not know. */
function unknownWords(command: string): string[] {
  let at: Command = program;
  const unknown: string[] = [];
  for (const word of wordsOf(command)) {
    if (word === '--') break;
    const next = at.commands.find((each) => each.name() === word || each.aliases().includes(word));
    if (word.startsWith('-') && word !== '-') {
      const [flag = ''] = word.split('=');
      const known = [...at.options, ...program.options].some(({ short, long }) => short === flag || long === flag);
      if (!known && flag !== '--help' && flag !== '-h') unknown.push(word);
    } else if (next !== undefined) at = next;
    // Words in capitals stand for others.
    else if (at.commands.length > 0 && !/^(?:[A-Z]+|…)$/.test(word)) return [...unknown, word];
  }
  return unknown;
}

it('every command of the gateway on a page exists, with its options', () => {
  expect(unknownWords("send localhost:8080 'hi' --stream")).toEqual([]);
  expect(unknownWords('admin list-agents --none=1')).toEqual(['--none=1']);
  expect(unknownWords('sned localhost:8080')).toEqual(['sned']);
  const commands = shellTexts.flatMap(({ place, text }) =>
    commandsIn(text, 'a2a-gateway').map((command) => ({ place, command })),
  );
  expect(commands.length).toBeGreaterThan(200);
  // The page about migrating names a command of an earlier version.
  expect(commands.filter(({ command }) => unknownWords(command).length > 0)).toEqual([
    { place: expect.stringMatching(/^docs\/migrating\.md:/), command: 'store move NAME --to default' },
  ]);
});

const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { scripts: Record<string, string> };

/** Scripts of projects that `init` and the examples make. */
const ofProjects = ['dev', 'types', 'check', 'build'];

it('every npm script on a page exists', () => {
  const named = shellTexts.flatMap(({ place, text }) =>
    commandsIn(text, 'npm run').map((command) => ({ place, script: wordsOf(command)[0] ?? '' })),
  );
  expect(named.length).toBeGreaterThan(60);
  const known = [...Object.keys(scripts), ...ofProjects];
  expect(named.filter(({ script }) => !known.includes(script) && script !== 'conformance:NAME')).toEqual([]);
});

it('every page that installs the package says where it comes from', () => {
  const installing = [...pages].filter(([, text]) =>
    blocksOf(text).some(
      ({ language, text: commands }) => language === 'sh' && /npm install a2a-gateway/.test(commands),
    ),
  );
  expect(installing.length).toBeGreaterThan(4);
  const silent = installing.filter(([, text]) => !text.includes('README.md#install-the-library-and-the-command'));
  expect(silent.map(([page]) => page)).toEqual([]);
});

it('every command that a page shows and no test runs has a reason', () => {
  const unexplained = [...pages].flatMap(([page, text]) =>
    blocksOf(text)
      .filter(({ words, directives }) => words.includes('no-run') && !directives.has('no-run'))
      .map(({ line }) => `${page}:${line}`),
  );
  expect(unexplained).toEqual([]);
});

it('every block of a page names its language, and JSON on a page is JSON', () => {
  const blocks = [...pages].flatMap(([page, text]) =>
    blocksOf(text).map((block) => ({ place: `${page}:${block.line}`, language: block.language, text: block.text })),
  );
  expect(blocks.filter(({ language }) => language === '').map(({ place }) => place)).toEqual([]);
  for (const { place, text } of blocks.filter(({ language }) => language === 'json'))
    expect(() => JSON.parse(text), place).not.toThrow();
});

/** The tests that run or check the blocks of a language; each names its pages. Those of texts have nothing to run. */
const testsOf: Readonly<Record<string, readonly string[]>> = {
  python: ['test/frameworks/main.ts', 'test/rpc-clients/grpc-guide.slow.test.ts'],
  go: ['test/frameworks/main.ts', 'test/rpc-clients/grpc-guide.slow.test.ts'],
  java: ['test/frameworks/main.ts'],
  xml: ['test/frameworks/main.ts'],
  graphql: ['test/extensions/knowledge/graphql/docs.test.ts'],
  sql: ['test/stores/certificate-owners.test.ts'],
  nginx: ['test/examples/proxies.slow.test.ts', 'test/examples/nginx-location.slow.test.ts'],
  haproxy: ['test/examples/proxies.slow.test.ts'],
};

/** Languages whose blocks are checked on every page: by the test of commands, the compiler, the schema and the parser. */
const everywhere = ['sh', 'ts', 'yaml', 'json'];

it('the blocks of each language are run or checked by a test that names their page', () => {
  const unchecked = [...pages].flatMap(([page, text]) =>
    blocksOf(text)
      .filter(({ language, words }) => !['text', ...everywhere].includes(language) && !words.includes('no-run'))
      .filter(({ language }) => {
        const tests = (testsOf[language] ?? []).map((path) => readFileSync(join(root, path), 'utf8'));
        return !tests.some((source) => source.includes(page));
      })
      .map(({ language, line }) => `${page}:${line} (${language})`),
  );
  expect(unchecked).toEqual([]);
});
