import { describe, expect, test } from 'vitest';
import { api } from '../../../src/core/model/a2a.ts';
import { A2AError } from '../../../src/core/model/errors.ts';
import { v1Dialect } from '../../../src/dialects/a2a-1.x/index.ts';
import { dialectsOf } from '../../../src/dialects/kernel/detect.ts';
import type { Api } from '../../../src/gen/api.ts';
import { context } from '../../support/legacy-dialect.ts';

const version = { name: 'a2a-1.0', version: '1.0', api, canonical: api, needsVersion: false } as const;
const dialect = v1Dialect(version);

test('every binding has every operation of the api', () => {
  const names = api.operations.map(({ name }) => name);
  expect([...(dialect.jsonrpc?.methods.keys() ?? [])]).toEqual(names);
  expect([...(dialect.grpc?.methods.keys() ?? [])]).toEqual(names);
  expect(dialect.rest?.routes).toHaveLength(api.operations.flatMap(({ http }) => http).length);
});

test('an rpc that is added to the api is served without an edit', () => {
  const added = {
    ...api.operations[2],
    name: 'PeekTask',
    rpc: 'PeekTask',
    http: [{ verb: 'GET', path: '/peek/{id=*}' }],
  };
  const changed = v1Dialect({ ...version, api: { ...api, operations: [...api.operations, added] } as Api });
  expect(changed.jsonrpc?.methods.get('PeekTask')?.request.decode({ id: 't' }, context())).toEqual({
    request: { id: 't' },
  });
  expect(changed.rest?.routes.at(-1)).toMatchObject({ rule: { path: '/peek/{id=*}' }, method: { name: 'PeekTask' } });
});

test('another version is another row', () => {
  const later = v1Dialect({ ...version, name: 'a2a-1.2' as never, version: '1.2', needsVersion: true });
  const { list, byVersion, byMethod } = dialectsOf([dialect, later]);
  expect(list.map(({ name }) => name)).toEqual(['a2a-1.0', 'a2a-1.2']);
  expect(['1.0', '1.2'].map((name) => byVersion.get(name)?.name)).toEqual(['a2a-1.0', 'a2a-1.2']);
  expect(byMethod.get('SendMessage')?.map((named) => named.dialect.name)).toEqual(['a2a-1.0']);
  expect(later.card).toMatchObject({ protocolVersion: '1.2', paths: ['/.well-known/agent-card.json'] });
  expect(later.push?.headers).toEqual({ 'a2a-version': '1.2' });
});

test('canonical requests pass as they are', () => {
  const request = { message: { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'hi' }], metadata: { a: 1 } } };
  const method = dialect.jsonrpc?.methods.get('SendMessage');
  expect(method?.request.decode(request, context()).request).toBe(request);
});

test('methods without parameters are called without any', () => {
  const method = dialect.jsonrpc?.methods.get('GetExtendedAgentCard');
  for (const params of [undefined, null, {}]) {
    expect(method?.request.decode(params, context())).toEqual({ request: {} });
  }
});

describe('metadata keys of the gateway are taken out', () => {
  const own = { 'a2a-gateway/agentvault-0.2': { role: 'system' } };

  test('metadata keys of the gateway are taken out of requests, wherever they are, without a change to what came', () => {
    const request = {
      message: {
        messageId: 'm',
        role: 'ROLE_USER',
        parts: [{ text: 'a' }, { text: 'b', metadata: { ...own, kept: 1 } }],
        metadata: own,
      },
      metadata: { ...own, kept: 2 },
    };
    const before = structuredClone(request);
    const method = dialect.jsonrpc?.methods.get('SendMessage');
    expect(method?.request.decode(request, context()).request).toEqual({
      message: { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'a' }, { text: 'b', metadata: { kept: 1 } }] },
      metadata: { kept: 2 },
    });
    expect(request).toEqual(before);
  });

  test('metadata keys of the gateway are taken out of what agents answer', () => {
    const status = {
      state: 'TASK_STATE_COMPLETED',
      message: { messageId: 'm', role: 'ROLE_AGENT', parts: [{ text: 'a' }], metadata: own },
    };
    const artifacts = [{ artifactId: 'a', parts: [{ text: 'x', metadata: own }], metadata: own }];
    const back = dialect.types.task?.decode({ id: 't', status, artifacts, metadata: own }, context());
    expect(JSON.stringify(back)).not.toContain('a2a-gateway/');
  });
});

test('HTTP+JSON carries the JSON form of google.rpc.Status', () => {
  expect(dialect.rest?.error.encode(A2AError.taskNotFound('t1'), context())).toEqual({
    status: 404,
    body: {
      error: {
        code: 404,
        status: 'NOT_FOUND',
        message: 'Task not found: t1',
        details: [
          {
            '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
            reason: 'TASK_NOT_FOUND',
            domain: 'a2a-protocol.org',
            metadata: { taskId: 't1' },
          },
        ],
      },
    },
  });
});

test('the reason of an error decides before its status, the status before nothing', () => {
  const decode = (status: number, body: unknown) => dialect.rest?.error.decode({ status, body }, context()).kind;
  const details = [{ reason: 'TASK_NOT_CANCELABLE', domain: 'a2a-protocol.org' }];
  expect(decode(400, { error: { details } })).toBe('taskNotCancelable');
  expect(decode(400, { error: { details: [{ reason: 'TASK_NOT_CANCELABLE', domain: 'else.where' }] } })).toBe(
    'invalidParams',
  );
  expect(decode(429, '<html>')).toBe('tooManyRequests');
  expect(decode(418, null)).toBe('invalidRequest');
  expect(decode(555, undefined)).toBe('internal');
});

test.each([
  [-32601, 'methodNotFound'],
  [-32006, 'invalidAgentResponse'],
  [-32000, 'agentError'],
  [1, 'agentError'],
])('the code %d decides if there is nothing else', (code, kind) => {
  expect(dialect.jsonrpc?.error.decode({ code, message: '' }, context()).kind).toBe(kind);
});

test('an error in a stream is enveloped with the id of the request', () => {
  const [frame] = dialect.jsonrpc?.stream.error(new A2AError('internal'), 'x') ?? [];
  expect(JSON.parse(frame?.data ?? '')).toMatchObject({ jsonrpc: '2.0', id: 'x', error: { code: -32603 } });
});
