import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import type { Task, TaskState } from '../../src/core/model/a2a.ts';
import { A2AError, type ErrorKind } from '../../src/core/model/errors.ts';
import { createDialects } from '../../src/dialects/registry.ts';
import type { OperationName } from '../../src/gen/services.ts';

const text = readFileSync(new URL('../../docs/migrating.md', import.meta.url), 'utf8');
const { byName } = createDialects();

/** The first table of a chapter: rows of cells, the head first. */
function table(chapter: string): string[][] {
  const [, body = ''] = text.split(`\n## ${chapter}\n`);
  const [lines = ''] = /(?:^\|.*\n)+/m.exec(body) ?? [];
  const rows = lines.trimEnd().split('\n');
  return rows.toSpliced(1, 1).map((row) =>
    row
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}

/** Texts in backquotes in a cell. */
const quoted = (cell = ''): string[] => [...cell.matchAll(/`([^`]+)`/g)].map(([, each = '']) => each);

/** The dialects of a column: "A2A 0.3, 0.2 over JSON-RPC" is 0.3 and 0.2. */
const dialectsOf = (heading: string): string[] =>
  [...heading.matchAll(/\d\.\d/g)].map(
    ([version]) => `${heading.startsWith('Agent') ? 'agentvault' : 'a2a'}-${version}`,
  );

/** Every cell of a table with the dialects of its column, and the first cell of its row. */
const cells = (chapter: string) => {
  const [head = [], ...rows] = table(chapter);
  return rows.flatMap(([first = '', ...rest]) =>
    rest.flatMap((cell, at) =>
      dialectsOf(head[at + 1] ?? '').map((name) => ({ first, cell, dialect: byName.get(name), name })),
    ),
  );
};

const state = (task: unknown): unknown => {
  const { state, status } = task as { state?: string; status?: { state?: string } };
  return status?.state ?? state;
};

const meanings: Readonly<Record<string, ErrorKind>> = {
  'the task is not found': 'taskNotFound',
  'the task cannot be canceled': 'taskNotCancelable',
  'push notifications are not supported': 'pushNotificationNotSupported',
  'the operation is not supported': 'unsupportedOperation',
  'the content type is not supported': 'contentTypeNotSupported',
  "the agent's answer is invalid": 'invalidAgentResponse',
};

it.each(cells('Operations'))('docs/migrating.md is right that $first is $cell in $name', ({ first, cell, dialect }) => {
  const plan = dialect?.jsonrpc?.calls.get(quoted(first)[0] as OperationName);
  const names = [plan?.method.name, plan?.next?.name];
  expect(quoted(cell).length > 0).toBe(plan !== undefined);
  expect(quoted(cell).filter((name) => !names.includes(name))).toEqual([]);
});

it.each(cells('States and roles'))(
  'docs/migrating.md is right that the method $first is $cell in $name',
  ({ first, cell, dialect }) => {
    const task: Task = { id: 't', contextId: 'c', status: { state: quoted(first)[0] as TaskState } };
    expect(state(dialect?.types.task?.encode(task, { losses: new Set() }))).toBe(quoted(cell)[0]);
  },
);

it.each(cells('Errors'))(
  'docs/migrating.md is right that the state $first is $cell in $name',
  ({ first, cell, dialect }) => {
    const error = new A2AError(meanings[first] ?? 'internal', 'message');
    expect(String(dialect?.jsonrpc?.error.encode(error, { losses: new Set() }).code)).toBe(cell);
  },
);
