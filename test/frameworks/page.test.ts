import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { configCheck } from '../../src/cli/commands/config-check.ts';
import type { Block } from '../readme/blocks.ts';
import { testBlocks } from '../readme/run-blocks.ts';
import { newFolder } from '../support/folders.ts';
import { npmPackages, page, type Section, sectionsOf } from './page.ts';

const name = 'docs/guides/frameworks.md';
const sections = sectionsOf(page);
const { devDependencies } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));

const shell = ({ blocks }: Section): string =>
  blocks.map(({ language, text }) => (language === 'sh' ? text : '')).join('');

/** Whether a section needs nothing but Node and packages that this project has, so that it runs here. */
const needsOnlyNode = (section: Section): boolean => !/^(pip|go|mvn) /m.test(shell(section));

/** Whether a command of the section uses a file: by its name, by its folder (Go), or by the project that it is in (Maven). */
const isUsed = (file: string, commands: string): boolean =>
  commands.includes(file) ||
  (file.endsWith('.go') && commands.includes(`go run ./${dirname(file)}`)) ||
  (/^(pom\.xml|src\/)/.test(file) && commands.includes('mvn '));

for (const section of sections.filter(needsOnlyNode)) testBlocks(`${name}: ${section.title}`, section.markdown);

describe(`${name}: what \`npm run frameworks\` runs`, () => {
  it.each(sections)('every block of $title is a command, or a file that a command uses', (section) => {
    const isRun = ({ language, words, file, text }: Block): boolean =>
      file === undefined
        ? (language === 'sh' && !words.includes('no-run')) || text.includes('"mcpServers"')
        : isUsed(file, shell(section));
    expect(section.blocks.filter((block) => !isRun(block)).map(({ line }) => `line ${line}`)).toEqual([]);
    expect(section.blocks.some(({ directives }) => directives.has('shows'))).toBe(true);
  });

  it.each(sections)('the settings of $title are valid', async ({ blocks }) => {
    const folder = newFolder();
    for (const { file, text } of blocks.filter(({ language }) => language === 'yaml')) {
      expect(file).toBe('gateway.yaml');
      writeFileSync(join(folder, 'gateway.yaml'), text);
      const printed: string[] = [];
      const output = { print: (words: string) => printed.push(words), note: (words: string) => printed.push(words) };
      await configCheck(join(folder, 'gateway.yaml'), {}, output as never);
      expect(printed.join('')).toContain('is valid');
    }
  });

  it.each(sections)('the page on $title installs the versions that were tried', (section) => {
    for (const [words] of shell(section).matchAll(/^(pip install|npm install|go get) .+$/gm))
      expect(words).toMatch(/==\d|@v?\d/);
    if (needsOnlyNode(section)) expect(devDependencies).toMatchObject(Object.fromEntries(npmPackages(section)));
  });

  it('the table at the top leads to each framework', () => {
    const anchors = sections.map(({ title }) =>
      title
        .toLowerCase()
        .replaceAll(/[^\w -]/g, '')
        .replaceAll(' ', '-'),
    );
    expect(anchors.filter((anchor) => !page.includes(`](#${anchor})`))).toEqual([]);
  });
});

it('a section is what lies below a heading of the second level, with the lines of the page', () => {
  const text = '# Title\n\n## One\n\n```sh\nls\n```\n\n## Two\n\n## Three\n\n```sh\npwd\n```\n';
  expect(sectionsOf(text).map(({ title, blocks }) => [title, blocks.map(({ line }) => line)])).toEqual([
    ['One', [5]],
    ['Three', [13]],
  ]);
});
