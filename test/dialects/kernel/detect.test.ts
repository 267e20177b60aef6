import { describe, expect, test } from 'vitest';
import { type DetectInput, detect, dialectsOf, likelyDialect, versionOf } from '../../../src/dialects/kernel/detect.ts';
import type { Dialect } from '../../../src/dialects/kernel/dialect.ts';
import { methodTables } from '../../../src/dialects/kernel/methods.ts';
import type { Method } from '../../../src/dialects/kernel/wire.ts';
import { createDialects } from '../../../src/dialects/registry.ts';

const v1 = createDialects().byName.get('a2a-1.0') as Dialect;

/** A dialect with methods of these names, for the rules between dialects of which only some exist yet. */
function fake(name: Dialect['name'], versions: string[], methods: string[], claim?: Dialect['claim']): Dialect {
  const template = [...(v1.jsonrpc?.methods.values() ?? [])][0] as Method;
  const jsonrpc = { ...v1.jsonrpc, ...methodTables(methods.map((method) => ({ ...template, name: method }))) };
  const { grpc: _grpc, rest: _rest, ...rest } = v1;
  return { ...rest, name, versions, jsonrpc, ...(claim && { claim }) } as Dialect;
}

const old = fake('a2a-0.3', ['0.3'], ['message/send', 'tasks/get', 'tasks/cancel']);
const google = fake('a2a-0.1', [], ['tasks/send', 'tasks/get', 'tasks/cancel'], (_method, params) =>
  typeof params === 'object' && params !== null && 'sessionId' in params ? 2 : 0,
);
const vault = fake('agentvault-0.2', [], ['tasks/send', 'tasks/get'], (_method, _params, id) =>
  String(id).startsWith('req-') ? 1 : 0,
);
const dialects = dialectsOf([v1, old, google, vault]);

const ask = (input: Partial<DetectInput>) => detect(dialects, { method: '', params: {}, id: 1, ...input });

describe('detecting the dialect of a JSON-RPC request', () => {
  test('a v1 method needs no header, and is found without waiting', () => {
    const found = ask({ method: 'SendMessage' });
    expect(found).not.toBeInstanceOf(Promise);
    expect(found).toMatchObject({ dialect: { name: 'a2a-1.0' }, method: { name: 'SendMessage' } });
  });

  test.each(['1.0', '1.0.3', ' 1.0 '])('A2A-Version %j is v1', (version) => {
    expect(ask({ version, method: 'GetTask' })).toMatchObject({ dialect: v1, method: { name: 'GetTask' } });
  });

  test.each(['1', '2.0', '1.0.0.0', 'x', '1.0-beta'])('A2A-Version %j is not supported', (version) => {
    const { error } = ask({ version, method: 'GetTask' }) as { error: Error };
    expect(error).toMatchObject({ kind: 'versionNotSupported', metadata: { supportedVersions: '1.0,0.3' } });
  });

  test('a version that there is not is refused on a pinned path too', () => {
    expect(ask({ pinned: v1, version: '99.0', method: 'SendMessage' })).toMatchObject({
      dialect: v1,
      error: { kind: 'versionNotSupported' },
    });
    expect(ask({ pinned: v1, version: '1.0.7', method: 'SendMessage' })).toMatchObject({
      method: { name: 'SendMessage' },
    });
  });

  test('the pinned path decides before the header does', () => {
    expect(ask({ pinned: old, version: '1.0', method: 'tasks/get' })).toMatchObject({ dialect: old });
    expect(ask({ pinned: old, method: 'SendMessage' })).toMatchObject({
      dialect: old,
      error: { kind: 'methodNotFound' },
    });
  });

  test('a version decides among shared names, and an old name is unknown to v1', () => {
    expect(ask({ version: '0.3', method: 'tasks/get' })).toMatchObject({ dialect: old });
    expect(ask({ version: '1.0', method: 'tasks/get' })).toMatchObject({
      dialect: v1,
      error: { kind: 'methodNotFound' },
    });
  });

  test('the shape decides before memory, memory before a hint, a hint before the default', async () => {
    const recall = async () => 'a2a-0.1';
    const sure = { method: 'tasks/get', params: { id: 't', sessionId: 's' } };
    expect(ask({ ...sure, id: 'req-get-1', recall: async () => 'a2a-0.3' })).toMatchObject({ dialect: google });
    const vague = { method: 'tasks/get', params: { id: 't' } };
    expect(await ask({ ...vague, id: 'req-get-1', recall })).toMatchObject({ dialect: google });
    expect(await ask({ ...vague, id: 'req-get-1', recall: async () => undefined })).toMatchObject({ dialect: vault });
    expect(ask({ ...vague, id: 'req-get-1' })).toMatchObject({ dialect: vault });
    expect(ask(vague)).toMatchObject({ dialect: old });
  });

  test('a memory that fails is an answer, not a rejection', async () => {
    const recall = () => Promise.reject(new Error('gone'));
    const found = await ask({ method: 'tasks/get', params: { id: 't' }, recall });
    expect(found).toMatchObject({ dialect: old, error: { kind: 'internal' } });
  });

  test('the error for a request that cannot be decided names the paths that decide', () => {
    const { error } = ask({ method: 'tasks/send', params: { id: 't' } }) as { error: Error };
    expect(error).toMatchObject({ kind: 'invalidRequest' });
    expect(error.message).toContain('/as/a2a-0.1 or /as/agentvault-0.2');
  });

  test('an unknown method is answered in the dialect that the caller most likely speaks', () => {
    expect(ask({ method: 'Nonsense' })).toMatchObject({ dialect: v1, error: { kind: 'methodNotFound' } });
    expect(ask({ method: 'tasks/nonsense' })).toMatchObject({ dialect: old });
    expect(ask({ method: 'tasks/nonsense', id: 'req-x' })).toMatchObject({ dialect: vault });
    expect(likelyDialect(dialects, {})).toBe(old);
    expect(likelyDialect(dialects, { version: '1.0' })).toBe(v1);
  });
});

describe('the version rule of REST and gRPC', () => {
  test('a request without a version leaves the choice to the path or the service', () => {
    expect(versionOf(dialects, undefined, 'rest')).toBeUndefined();
    expect(versionOf(dialects, '', 'grpc')).toBeUndefined();
  });

  test('a version must be one that is served at the path', () => {
    expect(versionOf(dialects, '1.0.1', 'rest')).toBe(v1);
    expect(() => versionOf(dialects, '0.3', 'grpc')).toThrow(expect.objectContaining({ kind: 'versionNotSupported' }));
    expect(() => versionOf(dialects, '1', 'rest')).toThrow(expect.objectContaining({ kind: 'versionNotSupported' }));
  });
});

test('the registry refuses two dialects of one name or version', () => {
  expect(() => dialectsOf([v1, v1])).toThrow(TypeError);
  expect(() => dialectsOf([])).toThrow(TypeError);
});
