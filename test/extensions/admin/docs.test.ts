import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { operations } from '../../../src/gen/admin-v1/operations.ts';

/** The page about the admin service has each operation as the operation table has it. */

const page = readFileSync(new URL('../../../docs/operate/admin.md', import.meta.url), 'utf8');

const rows = [...page.matchAll(/^\| `(\w+)` \| (\w+) `([^`]+)` \| `([\w-]+)` \| `([\w:]+)` \| (.+) \|$/gm)].map(
  ([, name, verb, path, command, scope, text]) => ({ name, verb, path, command, scope, text }),
);

it('the page of admin operations has a row for each operation, in their order', () => {
  const expected = operations.map((operation) => {
    const [rule] = operation.http;
    return {
      name: operation.name,
      verb: rule.verb,
      path: rule.path.replace('/admin/v1', '').replaceAll('=*', ''),
      command: operation.name.replace(/(?!^)([A-Z])/g, '-$1').toLowerCase(),
      scope: 'reads' in operation ? 'admin:read' : 'admin',
      text: expect.stringMatching(/^[a-z].+[^.]$/),
    };
  });
  expect(rows).toEqual(expected);
});
