import { beforeAll, expect, test, vi } from 'vitest';
import { decode, encode } from '../../src/wire/protobuf.ts';
import { parseAs } from '../../src/wire/validate.ts';
import { type ChangedApi, changedApi } from '../support/changed-proto.ts';
import { paced } from '../support/pace.ts';

// Compilers run here, on machines that may be busy.
vi.setConfig({ testTimeout: paced(120_000), hookTimeout: paced(120_000) });

let changed: ChangedApi;

beforeAll(async () => {
  changed = await changedApi();
});

const request = 'lf.a2a.v1.PauseTaskRequest';

test('an rpc added to the proto is a row of the operation table', () => {
  expect(changed.api.operations).toHaveLength(12);
  expect(changed.api.operations[0]).toEqual({
    name: 'PauseTask',
    service: 'lf.a2a.v1.A2AService',
    rpc: 'PauseTask',
    grpcPath: '/lf.a2a.v1.A2AService/PauseTask',
    request,
    response: 'lf.a2a.v1.Task',
    streaming: false,
    http: [
      { verb: 'POST', path: '/tasks/{id=*}:pause', body: '*' },
      { verb: 'POST', path: '/{tenant}/tasks/{id=*}:pause', body: '*' },
    ],
  });
});

test('an operation that a changed proto adds: its request is normalised, validated and coded', () => {
  const { api } = changed;
  const parsed = parseAs(api, request, { id: 't', rest_seconds: '30', unknown: 1 });
  expect(parsed).toEqual({ id: 't', restSeconds: 30 });
  expect(decode(api, request, encode(api, request, parsed as object))).toEqual(parsed);
  expect(() => parseAs(api, request, { restSeconds: 1 })).toThrow('id is required');
});

test('an operation that a changed proto adds: its types are in the generated source', () => {
  const source = changed.files.get('a2a-1.1/operations.ts');
  expect(source).toContain('PauseTask: { request: PauseTaskRequest; response: Task; streaming: false };');
  expect(changed.files.get('a2a-1.1/types.ts')).toContain('export interface PauseTaskRequest {');
});
