import { expect, it } from 'vitest';
import { forbiddenIn } from '../../scripts/tracked-files.ts';

// Put together here, so that this file passes the check itself.
const path = (...parts: string[]) => ['', ...parts].join('/');

it.each([
  path('home', 'alice', 'project'),
  `see "${path('Users', 'alice', 'x')}"`,
  `cd ${path('work', 'main')}`,
  `at ${path('root', 'x')}:3`,
  ['C:', 'Users', 'alice'].join('\\'),
  `https://registry.${'npmjs'}.org/zod`,
  ['"resolved": "https', '//packages.example.com/zod.tgz"'].join(':'),
])('%s may not be committed', (line) => {
  expect(forbiddenIn(line)).toBeDefined();
});

it.each([
  'https://example.com/home/page',
  ['fetch(`$', '{base}/work/items`)'].join(''),
  "import x from '../work/x.ts';",
  '/tasks/{id=*}:cancel',
  '"resolved": "tools/node",',
  'the root/child relation',
  "cwd: '/home/me'",
])('%s may be committed', (line) => {
  expect(forbiddenIn(line)).toBeUndefined();
});
