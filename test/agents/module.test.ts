import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { cli } from '../support/cli.ts';
import { checkConfigs } from '../support/config-checks.ts';
import { newFolder } from '../support/folders.ts';

const folder = newFolder();

const library = new URL('../../src/index.ts', import.meta.url).href;

function write(name: string, text: string): string {
  const path = join(folder, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  return path;
}

const defined = (execute: string, more = ''): string =>
  `import { defineAgent, status } from '${library}';
export default defineAgent({ name: 'A', description: 'An agent', ${execute}, ${more} });
`;

write('commonjs/package.json', '{ "type": "commonjs" }');
write('imported.mjs', 'export const fine = 1;\nexport const not = {;\n');

/** Faulty agent modules, each with a pattern of the error message that its author gets. */
const faults: readonly (readonly [what: string, file: string, text: string, problem: RegExp])[] = [
  ['no execute', 'no-execute.mjs', defined('version: "1"'), /An agent needs a function execute/],
  [
    'a syntax error',
    'syntax.mjs',
    'export default {\n  a: 1,\n  b: (\n};\n',
    /Unexpected token '}' \(.*\/syntax\.mjs:4\)/,
  ],
  [
    'a syntax error in a file that is imported',
    'importing.mjs',
    "import './imported.mjs';\n",
    /Unexpected token ';' \(.*\/imported\.mjs:2\)/,
  ],
  ['a syntax error in TypeScript', 'syntax.ts', 'const a: string = ;\n', /\/syntax\.ts:1\)/],
  [
    'TypeScript that is not erasable',
    'enum.ts',
    '\nexport enum A { b }\n',
    /enum is not supported.* \(.*\/enum\.ts:2\)/,
  ],
  ['code that throws', 'throws.mjs', '\n\nconst a = {};\na.b.c();\n', /reading 'c'\) \(.*\/throws\.mjs:4\)/],
  [
    'an ES module in a CommonJS project',
    'commonjs/agent.js',
    defined('async *execute() {}'),
    /outside a module \(.*agent\.js:1\); .*name it agent\.mjs, or set "type": "module"/,
  ],
  [
    'another default export',
    'other.mjs',
    'export default 1;\n',
    /An agent is what defineAgent\(.*\) returns, not a number/,
  ],
  [
    'a card that is not valid',
    'card.mjs',
    defined('async *execute() {}', 'skills: [{ name: "x" }], card: { defaultInputModes: 1 }'),
    /has a card that is not valid: .*defaultInputModes must be an array.*skills\[0\]\.id is required/,
  ],
  [
    'an extended card that is not valid',
    'extended.mjs',
    defined('async *execute() {}', 'extendedCard: { version: 1 }'),
    /has an extended card that is not valid: version must be a string/,
  ],
];

describe('a module that cannot be served', () => {
  let outcomes: Awaited<ReturnType<typeof checkConfigs>>;
  beforeAll(async () => {
    const configs = faults.map(([, file, text]) => {
      const path = write(file, text);
      return [file, write(`${file}.yaml`, `store: "memory:"\nagents:\n  mine:\n    kind: module\n    path: ${path}\n`)];
    });
    outcomes = await checkConfigs(Object.fromEntries(configs));
  });

  it.each(faults)('a module that cannot be served is refused: %s', (_, file, _text, problem) => {
    const { code, stdout, stderr } = outcomes[file] ?? expect.fail('not checked');
    expect([code, stdout]).toEqual([2, '']);
    const lines = stderr.split('\n').filter((line) => line.startsWith('error: '));
    expect(lines).toEqual([expect.stringMatching(problem)]);
    expect(lines[0]).toContain(`${file}.yaml:5: agents.mine.path: The agent ${join(folder, file)} `);
  });

  it('config check ends although a module leaves something running', async () => {
    write('timer.mjs', `setInterval(() => {}, 1_000);\n${defined('async *execute() {}')}`);
    write('timer.yaml', 'store: "memory:"\nagents:\n  mine: { kind: module, path: ./timer.mjs }\n');
    const { code, stderr } = await cli(['config', 'check', 'timer.yaml'], { cwd: folder });
    expect([code, stderr]).toEqual([0, '']);
  });

  it('config check gives up a module that is never loaded', async () => {
    write('never.mjs', 'await new Promise(() => setInterval(() => {}, 1_000));\n');
    write('never.yaml', 'store: "memory:"\nagents:\n  mine: { kind: module, path: ./never.mjs }\n');
    const { code, stderr } = await cli(['config', 'check', 'never.yaml'], { cwd: folder });
    expect([code, stderr]).toEqual([
      2,
      expect.stringMatching(/^error: .*never\.yaml:3: .*never\.mjs is still being loaded/),
    ]);
  });
});
