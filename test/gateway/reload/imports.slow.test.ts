import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Observed, Scenario } from './imports-child.ts';

/** Reloads of agent modules that import other files. */

let child: ChildProcess;
beforeAll(() => {
  child = fork(fileURLToPath(new URL('imports-child.ts', import.meta.url)), { execArgv: [] });
});
afterAll(() => {
  child.kill();
});

const library = JSON.stringify(new URL('../../../src/index.ts', import.meta.url).href);
const agent = (imports: string, answer: string): string =>
  `import { defineAgent } from ${library};\n${imports}\n` +
  `export default defineAgent({ name: 'A', description: 'B', execute: async () => String(${answer}) });\n`;

async function observe(
  files: Scenario['files'],
  steps: Scenario['steps'],
  agents: Scenario['agents'] = { mine: './agent.mjs' },
): Promise<Observed[]> {
  child.send({ files, steps, agents });
  const [observed] = (await once(child, 'message')) as [Observed[]];
  return observed;
}

// Each test starts a gateway in one process beside that of the tests.
it('a reload loads a module again whose import has changed, however deep', async () => {
  const files = {
    'agent.mjs': agent(
      "import { word } from './a.mjs';\nimport data from './data.json' with { type: 'json' };",
      'word + data.n',
    ),
    'a.mjs': "export { word } from './b.ts';\n",
    'b.ts': "export const word: string = 'one';\n",
    'data.json': '{ "n": 1 }',
  };
  const steps = [{}, { 'b.ts': "export const word: string = 'other';\n" }, { 'data.json': '{ "n": 22 }' }, {}];
  expect(await observe(files, steps)).toEqual([
    { said: ['one1'] },
    { said: ['one1'], changed: [] },
    { said: ['other1'], changed: ['mine'] },
    { said: ['other22'], changed: ['mine'] },
    { said: ['other22'], changed: [] },
  ]);
});

it('a reload loads CommonJS files again, and what they require', async () => {
  const files = {
    'agent.mjs': agent("import a from './a.cjs';\nimport { n } from './d.cjs';", 'a.word + n'),
    'a.cjs': "module.exports = { word: require('./b.cjs') };\n",
    'd.cjs': "module.exports = require('./e.cjs');\n",
    'e.cjs': "exports.n = require('./c.json').n;\n",
    'b.cjs': "module.exports = 'one';\n",
    'c.json': '{ "n": 1 }',
  };
  const steps = [
    { 'b.cjs': "module.exports = 'two';\n" },
    { 'b.cjs': "module.exports = 'three';\n" },
    { 'c.json': '{ "n": 22 }' },
  ];
  const said = (await observe(files, steps)).map(({ said }) => said);
  expect(said).toEqual([['one1'], ['two1'], ['three1'], ['three22']]);
});

it('a reload loads a CommonJS module again', async () => {
  const text = (word: string): string =>
    `const b = require('./b.cjs');\nmodule.exports = { name: 'A', description: 'B', execute: async () => '${word}' + b };\n`;
  const files = { 'agent.cjs': text('one'), 'b.cjs': 'module.exports = 1;\n' };
  const steps = [{ 'b.cjs': 'module.exports = 22;\n' }, { 'agent.cjs': text('other') }];
  const said = (await observe(files, steps, { mine: './agent.cjs' })).map(({ said }) => said);
  expect(said).toEqual([['one1'], ['one22'], ['other22']]);
});

it('a reload shares an import between the modules that it loads again, and leaves packages alone', async () => {
  const files = {
    'agent.mjs': agent(
      "import { count } from './count.mjs';\nimport { count as packed } from 'pack';",
      'count() + packed()',
    ),
    'other.mjs': agent("import { count } from './count.mjs';", 'count()'),
    'count.mjs': 'let n = 0;\nexport const count = () => ++n;\n',
    'node_modules/pack/package.json': '{ "type": "module", "exports": "./index.js" }',
    'node_modules/pack/index.js': "export { count } from './deep.js';\n",
    'node_modules/pack/deep.js': 'let n = 100;\nexport const count = () => (n += 100);\n',
  };
  const steps = [{ 'count.mjs': 'let n = 10;\nexport const count = () => ++n;\n' }];
  expect(await observe(files, steps, { mine: './agent.mjs', other: './other.mjs' })).toEqual([
    { said: ['201', '2'] },
    { said: ['311', '12'], changed: ['mine', 'other'] },
  ]);
});

it('a reload that is refused for an import leaves everything as it was; the next one loads it', async () => {
  const files = {
    'agent.mjs': agent("import { word } from './a.mjs';", 'word'),
    'a.mjs': "export const word = 'one';\n",
  };
  const steps = [{ 'a.mjs': 'export const word = ;\n' }, {}, { 'a.mjs': "export const word = 'right';\n" }];
  const error = expect.stringMatching(/The agent .* cannot be loaded: .*a\.mjs:1\)/);
  expect(await observe(files, steps)).toEqual([
    { said: ['one'] },
    { said: ['one'], error },
    { said: ['one'], error },
    { said: ['right'], changed: ['mine'] },
  ]);
});

it('a reload reaches the imports of a module behind a link, and another target of it', async () => {
  const text = agent("import { word } from './a.mjs';", 'word');
  const files = {
    'v1/agent.mjs': text,
    'v1/a.mjs': "export const word = 'one';\n",
    'agent.mjs': 'link:v1/agent.mjs',
    'v2/agent.mjs': text,
    'v2/a.mjs': "export const word = 'two';\n",
  };
  const steps = [{ 'v1/a.mjs': "export const word = 'other';\n" }, { 'agent.mjs': 'link:v2/agent.mjs' }, {}];
  expect(await observe(files, steps)).toEqual([
    { said: ['one'] },
    { said: ['other'], changed: ['mine'] },
    { said: ['two'], changed: ['mine'] },
    { said: ['two'], changed: [] },
  ]);
});

it('a reload reaches what a module imports later', async () => {
  const files = {
    'agent.mjs': agent('', "(await import('./late.mjs')).word"),
    'late.mjs': "export const word = 'one';\n",
  };
  const said = (await observe(files, [{ 'late.mjs': "export const word = 'other';\n" }])).map(({ said }) => said);
  expect(said).toEqual([['one'], ['other']]);
});

it('a gateway that starts again in the same process loads what has changed', async () => {
  const files = {
    'agent.mjs': agent("import { word } from './a.mjs';", 'word'),
    'a.mjs': "export const word = 'one';\n",
  };
  const steps = [
    { 'a.mjs': 'export const word = ;\n' },
    { 'a.mjs': "export const word = 'other';\n" },
    'restart' as const,
  ];
  const said = (await observe(files, steps)).map(({ said }) => said);
  expect(said).toEqual([['one'], ['one'], ['other'], ['other']]);
});
