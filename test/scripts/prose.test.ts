import { expect, it } from 'vitest';
import { faultsOf, rules, textsOfCode, textsOfMarkdown } from '../../scripts/prose.ts';

const namesOf = (text: string): string[] => faultsOf([{ line: 1, text }]).map(({ rule }) => rule.name);

const refused: readonly (readonly [string, string])[] = [
  ['unnamed person', 'Neither page can be read by nobody.'],
  ['unnamed person', 'Whoever asks too often gets 429.'],
  ['"Where" for "if"', 'The call waits. Where the store is slow, it waits longer.'],
  ['"has got"', 'The agent has got the message.'],
  ['"is for … to"', 'The signature is for the agent to verify.'],
  ['"in the midst"', 'Kill the gateway in the midst of it.'],
  ['"What" for a noun', 'What the agent says is stored first.'],
  ['"What" for a noun', 'The call ends. What is left goes to the log; nothing is lost.'],
  ['"The same" without a noun', 'The same for other tenants.'],
  ['pronoun for a noun', 'Those that exceed the limit are refused.'],
  ['"tells what"', 'The command tells what an agent speaks.'],
  ['", which has"', 'It prints its address, which has a key.'],
  ['"is no" for "is not a"', 'A message that is no number makes the agent ask.'],
  ['"but for"', 'All calls but for two are refused.'],
  ['"is away"', 'While the database is away, calls wait.'],
  ['"has the details"', 'The page about limits has the details.'],
  ['"what was asked"', 'The list shows what was asked.'],
  ['"tokens of a provider"', 'Callers send tokens of an identity provider.'],
  ['"all the same"', 'The call is made all the same.'],
];

it.each(refused)('the check of prose finds %s: %s', (name, text) => {
  expect(namesOf(text)).toEqual([name]);
});

it('each rule of prose has a planted sentence', () => {
  expect(rules.map(({ name }) => name).filter((name) => !refused.some(([planted]) => planted === name))).toEqual([]);
});

it.each([
  'What is a dialect?',
  'What it costs us: 720 lines.',
  'Where does a task go?',
  'The page shows where tasks are, and which agent has them.',
  'The same URL accepts A2A 0.3.',
  'Those tasks fail.',
  'The stream, which has been open for an hour, ends.',
  'It is no longer used, and there is no limit.',
  'That is no different.',
  'If no caller has sent the key, the gateway refuses the call.',
])('the check of prose accepts: %s', (text) => {
  expect(namesOf(text)).toEqual([]);
});

it('the texts of a page are its paragraphs, items and cells, without code, comments, headings and front matter', () => {
  const fence = '```';
  const page = `---
title: What is here
---
# What it does

A paragraph with \`where\` and
a [link](a.md).
<!-- shows: What comes -->
${fence}sh
What is code
${fence}
- An item
  that goes on
1. Another

| cell \`a | b\` | What is here. |
| --- | --- |
`;
  expect(textsOfMarkdown(page)).toEqual([
    { line: 6, text: 'A paragraph with X and a link.' },
    { line: 12, text: 'An item that goes on' },
    { line: 14, text: 'Another' },
    { line: 16, text: 'cell X' },
    { line: 16, text: 'What is here.' },
    { line: 17, text: '---' },
    { line: 17, text: '---' },
  ]);
});

it('the texts of a program are its comments and its texts of several words', () => {
  const program = `/** A class.\n *\n * @param name its name */
// A remark
// of two lines.
const name = 'word';
throw new Error(\`The file \${name} is gone.\`);
`;
  const texts = textsOfCode(program).filter(({ text }) => text !== '');
  expect(texts).toEqual([
    { line: 1, text: 'A class.' },
    { line: 1, text: 'its name' },
    { line: 4, text: 'A remark of two lines.' },
    { line: 7, text: 'The file X is gone.' },
  ]);
});
