import fc from 'fast-check';
import { expect, it } from 'vitest';
import { readRpcRequest, readRpcResponse, rpcError, rpcResult } from '../../src/wire/jsonrpc.ts';

const good = { jsonrpc: '2.0', id: 1, method: 'm' };

it.each([['a'], [''], [1], [-1.5], [0], [null]])('a JSON-RPC request keeps the id %j in its type', (id) => {
  expect(readRpcRequest({ ...good, id, params: { a: 1 } })).toEqual({ id, method: 'm', params: { a: 1 } });
  expect(JSON.parse(rpcResult(id, '{}'))).toEqual({ jsonrpc: '2.0', id, result: {} });
  expect(JSON.parse(rpcError(id, { code: 1 }))).toEqual({ jsonrpc: '2.0', id, error: { code: 1 } });
});

it('a JSON-RPC request has no params where PHP writes none as an empty list', () => {
  expect(readRpcRequest({ ...good, id: 1, params: [] })).toEqual({ id: 1, method: 'm' });
});

it('a JSON-RPC request is a notification without an id, and has no params when they are null', () => {
  expect(readRpcRequest({ jsonrpc: '2.0', method: 'm', params: null })).toEqual({ method: 'm' });
});

it.each([
  ['no object', 'x', null, 'invalidRequest'],
  ['null', null, null, 'invalidRequest'],
  ['a batch', [good], null, 'invalidRequest'],
  ['nothing', undefined, null, 'parse'],
  ['an empty batch', [], null, 'invalidRequest'],
  ['the wrong jsonrpc', { ...good, jsonrpc: '1.0' }, 1, 'invalidRequest'],
  ['a number as jsonrpc', { ...good, jsonrpc: 2 }, 1, 'invalidRequest'],
  ['no jsonrpc', { id: 'a', method: 'm' }, 'a', 'invalidRequest'],
  ['an object as id', { ...good, id: {} }, null, 'invalidRequest'],
  ['a boolean as id', { ...good, id: true }, null, 'invalidRequest'],
  ['no method', { jsonrpc: '2.0', id: 1 }, 1, 'invalidRequest'],
  ['a number as method', { ...good, method: 5 }, 1, 'invalidRequest'],
  ['an array as params', { ...good, params: [1] }, 1, 'invalidParams'],
  ['a string as params', { ...good, params: 'x' }, 1, 'invalidParams'],
])('a JSON-RPC request with %s is refused', (_, body, id, kind) => {
  const read = readRpcRequest(body);
  expect(read.error?.kind).toBe(kind);
  expect(read.id).toBe(id);
});

it('a JSON-RPC request never throws, whatever the JSON', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(readRpcRequest(value)).toHaveProperty('id');
    }),
  );
});

it('a JSON-RPC response is a result, also a null one, or an error, which comes first', () => {
  expect(readRpcResponse({ id: 1, result: null })).toEqual({ id: 1, result: null });
  expect(readRpcResponse({ id: 1, result: 2, error: null })).toEqual({ id: 1, result: 2 });
  expect(readRpcResponse({ id: 1, result: 2, error: { code: 3 } })).toEqual({ id: 1, error: { code: 3 } });
});

it.each([[null], ['x'], [[]], [{}], [{ error: null }]])('a JSON-RPC response is not %j', (body) => {
  expect(() => readRpcResponse(body)).toThrow(expect.objectContaining({ kind: 'invalidAgentResponse' }));
});
