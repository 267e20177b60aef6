import { expect, test, vi } from 'vitest';
import { builtInVersions } from '../../../codegen/project-types/built-in.ts';
import { methods as rows } from '../../../codegen/project-types/methods-0.3.ts';
import { errorTable } from '../../../src/core/model/errors.ts';
import { createDialects } from '../../../src/dialects/registry.ts';
import { operations as v11 } from '../../../src/gen/a2a-1.1/operations.ts';
import { operations as v03 } from '../../../src/gen/a2a-v0_3/operations.ts';
import { paced } from '../../support/pace.ts';
import { load, writtenFiles } from './written.ts';

vi.setConfig({ testTimeout: paced(120_000) });

interface Facts {
  readonly rpcPath: string;
  readonly jsonRpcMethod: string;
  readonly section?: string;
  readonly http: readonly object[];
}

const written = async (version: string) => {
  const { operations, errors } = await load(await writtenFiles(version, ['operations']), 'operations.ts');
  return {
    operations: operations as Readonly<Record<string, Facts>>,
    errors: errors as Readonly<Record<string, Readonly<Record<string, unknown>>>>,
  };
};

test('the operations of A2A 1.1 are those that the gateway serves, each with its section', async () => {
  const { operations, errors } = await written('1.1');
  expect(Object.keys(operations)).toEqual(v11.map(({ name }) => name));
  for (const { name, grpcPath, http } of v11) {
    expect(operations[name]).toMatchObject({
      rpcPath: grpcPath,
      jsonRpcMethod: name,
      section: /^3\.1\.\d+$/.exec(operations[name]?.section ?? '')?.[0],
    });
    expect(operations[name]?.section).toBeDefined();
    expect(operations[name]?.http).toHaveLength(http.length);
  }
  expect(errors.TaskNotFoundError).toEqual({
    jsonRpc: -32001,
    http: 404,
    grpc: 'NOT_FOUND',
    reason: 'TASK_NOT_FOUND',
    message: errorTable.taskNotFound.message,
  });
  expect(errors.TaskGenerationMismatchError).toMatchObject({ http: 409, grpc: 'ABORTED' });
  expect((await written('1.0')).errors).not.toHaveProperty('TaskGenerationMismatchError');
});

test('the methods of A2A 0.3 are those of its dialect in the gateway', async () => {
  const dialect = createDialects().list.find(({ name }) => name === 'a2a-0.3');
  const served = [...(dialect?.jsonrpc?.methods.keys() ?? [])];
  expect(rows.map(({ method }) => method).sort()).toEqual(served.sort());
  const { operations, errors } = await written('0.3');
  expect(Object.keys(operations)).toEqual(v03.map(({ name }) => name));
  expect(Object.values(operations).every(({ jsonRpcMethod }) => jsonRpcMethod.includes('/'))).toBe(true);
  expect(errors.TaskNotCancelableError).toMatchObject({ jsonRpc: -32002, http: 409 });
  expect(errors.TaskNotCancelableError).not.toHaveProperty('reason');
  expect(builtInVersions).toEqual(['1.0', '1.1', '0.3']);
});
