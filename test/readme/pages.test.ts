import { globSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { api } from '../../src/core/model/a2a.ts';
import { titleOf } from '../../tools/site/markdown.ts';
import { paced } from '../support/pace.ts';
import { blocksOf } from './blocks.ts';
import { docstrings } from './docstrings.ts';
import { isChecked, typeErrors } from './type-check.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const names = ['README.md', 'CONTRIBUTING.md', ...globSync('docs/**/*.md', { cwd: root })].sort();
const pages = new Map(names.map((name) => [name, readFileSync(join(root, name), 'utf8')]));

/** A program that names every message of A2A 1.x, as the package exports it. */
const everyMessage = `# Messages

\`\`\`ts
import type * as a2a from 'a2a-gateway';
export type All = [${Object.keys(api.fields.messages)
  .filter((name) => name.startsWith(`${api.package}.`))
  .map((name) => `a2a.${name.slice(api.package.length + 1)}`)
  .join(', ')}, a2a.TaskState, a2a.Role];
\`\`\`
`;

const claim = 'TypeScript of every page and docstring type-checks; what does not is named by its page and block';
it(claim, { timeout: paced(180_000) }, () => {
  const mistaken = '# Page\n\n```ts\nexport const n: number = "text";\n```\n';
  expect(
    typeErrors(new Map([...pages, ...docstrings(root), ['messages.md', everyMessage], ['mistaken.md', mistaken]]))
      .split('\n')
      .filter(Boolean),
  ).toEqual([expect.stringMatching(/^mistaken\.md\/line-3\.ts\(1,14\): error TS2322/)]);
});

it('the page of the examples names each of them, and no other', () => {
  const text = readFileSync(join(root, 'examples/README.md'), 'utf8');
  const named = [...text.matchAll(/`([\w-]+(?:\.\w+|\/))`/g)].map(([, name = '']) => name.replace(/\/$/, ''));
  const files = readdirSync(join(root, 'examples')).filter((name) => name !== 'README.md' && name !== 'data');
  expect([...new Set(named)].sort()).toEqual(files.sort());
});

it.each([
  ['src/index.ts', 'the package'],
  ['src/gateway/compose/gateway.ts', 'createGateway'],
  ['src/agents/define.ts', 'defineAgent'],
  ['src/client/connect.ts', 'connect'],
  ['src/client/admin.ts', 'openAdmin'],
  ['src/rpc-clients/grpc.ts', 'a2a-gateway/grpc'],
  ['src/rpc-clients/grpc-0.3.ts', 'a2a-gateway/grpc/v0.3'],
  ['src/rpc-clients/grpc-calls.ts', 'unary and stream'],
  ['src/mounts/grpc-js.ts', 'a2a-gateway/grpc-js'],
  ['src/mounts/connect.ts', 'a2a-gateway/connect'],
  ['src/testing/index.ts', 'testAgent'],
  ['src/agents/events.ts', 'ask'],
  ['src/core/model/errors.ts', 'A2AError'],
  ['src/core/model/fold.ts', 'fold'],
  ['src/core/ports/run-hook.ts', 'RunHook'],
  ['src/dialects/kernel/record.ts', 'record'],
])('the docstrings of %s have an example of %s', (path) => {
  expect(docstrings(root).get(path)).toContain("from 'a2a-gateway");
});

it('TypeScript that is not checked has a reason', () => {
  const unexplained = [...pages].flatMap(([page, text]) =>
    blocksOf(text)
      .filter((block) => block.language === 'ts' && !isChecked(block) && !block.directives.has('no-check'))
      .map(({ line }) => `${page}:${line}`),
  );
  expect(unexplained).toEqual([]);
});

it('every page with commands is run by a test', () => {
  const tests = globSync('test/**/*.ts', { cwd: root }).map((name) => readFileSync(join(root, name), 'utf8'));
  const runnable = [...pages].filter(([, text]) =>
    blocksOf(text).some(({ language, words }) => language === 'sh' && !words.includes('no-run')),
  );
  expect(runnable.length).toBeGreaterThan(15);
  expect(runnable.filter(([page]) => !tests.some((text) => text.includes(page))).map(([page]) => page)).toEqual([]);
});

it('the home page shows an agent, its start and calls before its first heading', () => {
  const [beginning = ''] = (pages.get('docs/index.md') ?? '').split(/^## /m);
  const shown = blocksOf(beginning).map(({ language, text }) => `${language}: ${text}`);
  expect(shown[0]).toMatch(/^ts: [\s\S]*defineAgent/);
  expect(shown[1]).toMatch(/^sh: .*a2a-gateway serve/);
  expect(shown[2]).toMatch(/^sh: .*a2a-gateway send [\s\S]*curl/);
});

it('each guide has one name: links that begin with a capital letter have the title of the page', () => {
  const links = [...pages].flatMap(([page, text]) =>
    [...text.matchAll(/\[\**([A-Z][a-z][^\]]*?)\.?\**\]\((?:[^)#\s]*\/)?(guides\/[\w-]+\.md)\)/g)].map(
      ([, name = '', path = '']) => ({
        page,
        name: name.replace(/\s+/g, ' '),
        title: titleOf(pages.get(`docs/${path}`) ?? ''),
      }),
    ),
  );
  expect(links.length).toBeGreaterThan(25);
  expect(links.filter(({ name, title }) => name !== title)).toEqual([]);
});
