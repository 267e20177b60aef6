import { describe, expect, it, vi } from 'vitest';
import { MessageReader } from '../../../../../src/extensions/mcp/client/session/messages.ts';

/** Messages of JSON-RPC as servers write them. */

const call = { id: 3, method: 'tools/call' };
const ping = { id: 4, method: 'ping' };
const fine = { content: [{ type: 'text', text: 'fine' }] };

function readerWith(...requests: { id: unknown; method: string }[]): MessageReader {
  const reader = new MessageReader();
  for (const request of requests) reader.sent(request);
  return reader;
}

const result = { jsonrpc: '2.0', id: 3, result: fine };

it.each<[string, unknown]>([
  ['as it should be', result],
  ['with an error that is null', { ...result, error: null }],
  ['with an error of Go that has not happened', { ...result, error: { code: 0, message: '' } }],
  ['with an empty error', { ...result, error: {} }],
  ['with members of requests', { ...result, method: '', params: null }],
  ['with other members', { ...result, took: 3, server: 'x' }],
  ['without its version', { id: 3, result: fine }],
  ['with another version', { ...result, jsonrpc: '1.0' }],
  ['without an id', { jsonrpc: '2.0', result: fine }],
  ['with an id that is null', { ...result, id: null }],
  ['without an envelope', fine],
  ['in a list of one', [result]],
])('an answer is read: %s', (_, written) => {
  const [message, ...others] = readerWith(call).read(JSON.stringify(written), call);
  expect([message, others]).toEqual([result, []]);
});

it.each<[string, string]>([
  ['behind a byte order mark', `\uFEFF${JSON.stringify(result)}`],
  ['between blank lines', `\r\n\n${JSON.stringify(result, undefined, 2)}\n\n`],
  ['with a line break in a text', `{"jsonrpc":"2.0","id":3,"result":{"content":[{"type":"text","text":"a\nb"}]}}`],
  ['with NaN', `{"jsonrpc":"2.0","id":3,"result":{"structuredContent":{"a":NaN,"b":[-Infinity,"NaN"]}}}`],
])('the text of an answer is read: %s', (_, text) => {
  expect(readerWith(call).read(text, call)).toMatchObject([{ id: 3, result: expect.anything() }]);
});

it.each<[string, unknown, unknown]>([
  ['a result that is a text', 'words', { content: [{ type: 'text', text: 'words' }] }],
  ['a result that is null', null, { content: [] }],
  ['a result that is a number', 7, { content: [], structuredContent: 7 }],
  ['a result with _meta that is null', { ...fine, _meta: null }, fine],
])('an answer is read with %s', (_, given, expected) => {
  const text = JSON.stringify({ jsonrpc: '2.0', id: 3, result: given });
  expect(readerWith(call).read(text)).toEqual([{ jsonrpc: '2.0', id: 3, result: expected }]);
});

it('an answer is read with neither a result nor an error, as Go leaves out what is empty', () => {
  expect(readerWith(ping).read('{"jsonrpc":"2.0","id":4}')).toEqual([{ jsonrpc: '2.0', id: 4, result: {} }]);
});

it.each<[unknown, object]>([
  [
    { code: -32603, message: 'no', data: null },
    { code: -32603, message: 'no' },
  ],
  [
    { code: '-32602', message: 'no' },
    { code: -32602, message: 'no' },
  ],
  [{ code: 'E_NO' }, { code: -32603, message: 'E_NO' }],
  [
    { code: 1.5, message: { why: 1 } },
    { code: -32603, message: '{"why":1}' },
  ],
  ['words', { code: -32603, message: 'words' }],
  [{}, { code: -32603, message: 'The server refused the request' }],
])('an answer is read with the error %j', (error, expected) => {
  const text = JSON.stringify({ jsonrpc: '2.0', id: 3, result: null, error });
  expect(readerWith(call).read(text)).toEqual([{ jsonrpc: '2.0', id: 3, error: expected }]);
});

it('an answer is read with a result beside an error: the tool has run, and says that it has failed', () => {
  const text = JSON.stringify({ ...result, error: { code: -1, message: 'half' } });
  const failed = { isError: true, content: [...fine.content, { type: 'text', text: 'half' }] };
  expect(readerWith(call).read(text)).toEqual([{ jsonrpc: '2.0', id: 3, result: failed }]);
});

it.each([
  '{"type":"ping"}',
  '{"level":"info","msg":"started","error":null}',
  '{"type":"progress","result":"half"}',
  'keep-alive',
  '"ping"',
  '7',
  '[]',
  '',
  '{"jsonrpc":"2.0"}',
  '{not json',
])('%s is no message, also where an answer is expected', (text) => {
  expect(readerWith(call).read(text, call)).toEqual([]);
});

it('requests and notifications of the server are read, with params that are an object or absent', () => {
  const lines = [
    { jsonrpc: '2.0', method: 'notifications/progress', params: { progress: 1, _meta: null } },
    { jsonrpc: '2.0', method: 'notifications/tools/list_changed', params: null, id: null },
    { jsonrpc: '2.0', id: 'x', method: 'ping', params: [] },
  ];
  expect(new MessageReader().read(lines.map((line) => JSON.stringify(line)).join('\n'))).toEqual([
    { jsonrpc: '2.0', method: 'notifications/progress', params: { progress: 1 } },
    { jsonrpc: '2.0', method: 'notifications/tools/list_changed' },
    { jsonrpc: '2.0', id: 'x', method: 'ping' },
  ]);
});

it('a result goes to what takes it, and the SDK gets an empty one', () => {
  const reader = new MessageReader();
  const [take, fail] = [vi.fn(), vi.fn()];
  reader.sent(call, { take, fail });
  const odd = { content: 'odd', isError: 'no', more: null };
  expect(reader.read(JSON.stringify({ ...result, result: odd }))).toEqual([{ ...result, result: { content: [] } }]);
  expect(take).toHaveBeenCalledExactlyOnceWith(odd);
  expect(reader.read('{"jsonrpc":"2.0","id":3,"neither":"nor"}')).toEqual([]);
  expect(fail).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ condition: 'invalidResponse' }));
});

describe('a handshake', () => {
  const handshake = { id: 0, method: 'initialize' };
  const plain = { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo: { name: 's', version: '1' } };
  it.each<[string, object, object, number]>([
    [
      'with nulls',
      { ...plain, instructions: null, _meta: null, serverInfo: { name: 's', version: '1', title: null } },
      {},
      0,
    ],
    ['with capabilities that are null', { ...plain, capabilities: { tools: null, prompts: null } }, {}, 0],
    ['without capabilities', { ...plain, capabilities: null }, {}, 0],
    ['with capabilities in a list', { ...plain, capabilities: ['tools'] }, {}, 1],
    [
      'with a capability that is true',
      { ...plain, capabilities: { tools: true, logging: true } },
      { capabilities: { tools: {}, logging: {} } },
      0,
    ],
    ['without a name', { ...plain, serverInfo: null }, { serverInfo: { name: '', version: '' } }, 0],
    ['with a version that is a number', { ...plain, serverInfo: { name: 's', version: 1 } }, {}, 1],
    ['without a version of MCP', { ...plain, protocolVersion: null }, { protocolVersion: '2025-03-26' }, 1],
    ['with another version of MCP', { ...plain, protocolVersion: '1.0' }, { protocolVersion: '2025-03-26' }, 1],
    ['with names of Python', { protocol_version: '2025-06-18', server_info: { name: 's', version: '1' } }, {}, 0],
  ])('a handshake is read: %s', (_, written, expected, named) => {
    const problems: string[] = [];
    const reader = new MessageReader((_method, found) => void problems.push(...found));
    reader.sent(handshake);
    const [message] = reader.read(JSON.stringify({ jsonrpc: '2.0', id: 0, result: written }));
    expect(message?.result).toEqual({ ...plain, ...expected });
    expect(problems).toHaveLength(named);
  });
});
