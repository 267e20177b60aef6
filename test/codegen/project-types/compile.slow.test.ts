import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { builtInVersions } from '../../../codegen/project-types/built-in.ts';
import { paced } from '../../support/pace.ts';
import { compile } from './compile.ts';
import { writtenFiles } from './written.ts';

// The compiler runs here, on machines that may be busy.
vi.setConfig({ testTimeout: paced(120_000) });

test.each(builtInVersions)('files of A2A %s compile with the strictest options, and are erasable', async (version) => {
  expect(compile(await writtenFiles(version))).toBe('');
});

test('operations name their types', async () => {
  const folder = await writtenFiles('1.0');
  writeFileSync(
    join(folder, 'use.ts'),
    `import { errors, type Operation, operations, type RequestOf, type ResponseOf } from './operations.ts';
import type { SendMessageRequest, Task } from './types.ts';
export const request: RequestOf<'SendMessage'> = {} as SendMessageRequest;
export const task: Task = {} as ResponseOf<'GetTask'>;
export const rows: readonly Operation[] = Object.values(operations);
export const code: -32001 = errors.TaskNotFoundError.jsonRpc;
`,
  );
  expect(compile(folder)).toBe('');
});

test('a validator that lacks a field of its type, or has one more, or another one, does not compile', async () => {
  const folder = await writtenFiles('1.0', ['zod']);
  const schemas = readFileSync(join(folder, 'schemas.ts'), 'utf8');
  const changed = schemas
    .replace('    filename: z.string().exactOptional(),\n', '')
    .replace('    artifactId: z.string().min(1),\n', (line) => `${line}    more: z.string(),\n`)
    .replace('    messageId: z.string().min(1),\n', '    messageId: z.number(),\n');
  expect(changed.length).not.toBe(schemas.length);
  writeFileSync(join(folder, 'schemas.ts'), changed);
  const errors = compile(folder).match(/^schemas\.ts.*$/gm) ?? [];
  expect(errors.map((line) => /: error (TS\d+)/.exec(line)?.[1])).toHaveLength(3);
});
