import { expect, it } from 'vitest';
import { partsOf, readToolResult, textIn } from '../../../src/extensions/mcp/tool-result.ts';

/** Results of tools as servers write them down. */

const read = (result: object) => {
  const found = readToolResult(result as never);
  return { parts: partsOf(found), unread: found.unread.map(({ path, reason }) => `${path}: ${reason}`) };
};

it('every kind of content becomes a part, and an item of another kind a data part that is named', () => {
  const content = [
    { type: 'text', text: '' },
    { type: 'image', data: 'AAE', mimeType: 'image/png' },
    { type: 'audio', data: '-_8=', mimeType: 'audio/wav' },
    { type: 'resource', resource: { uri: 'file:///a/b.txt', mimeType: 'text/plain', text: 'hi' } },
    { type: 'resource', resource: { uri: 'test://x', blob: 'AAE=' } },
    { type: 'resource_link', uri: 'https://example.com/c.pdf', name: 'c', description: 'a file' },
    { type: 'code_output', stdout: 'out' },
    { type: 'constructor' },
    'no object',
  ];
  expect(read({ content, structuredContent: { a: 1 } })).toEqual({
    parts: [
      { text: '' },
      { raw: 'AAE=', mediaType: 'image/png' },
      { raw: '+/8=', mediaType: 'audio/wav' },
      { text: 'hi', mediaType: 'text/plain', filename: 'b.txt', metadata: { uri: 'file:///a/b.txt' } },
      { raw: 'AAE=', metadata: { uri: 'test://x' } },
      { url: 'https://example.com/c.pdf', filename: 'c', metadata: { description: 'a file' } },
      { data: { type: 'code_output', stdout: 'out' } },
      { data: { type: 'constructor' } },
      { text: 'no object' },
      { data: { a: 1 } },
    ],
    unread: ['parts[6]: unknown kind "code_output"', 'parts[7]: unknown kind "constructor"'],
  });
});

it.each<[string, object, unknown[]]>([
  ['that is a text', { content: 'a' }, [{ text: 'a' }]],
  ['that is one item', { content: { type: 'text', text: 'a' } }, [{ text: 'a' }]],
  ['that is null', { content: null, structuredContent: null, _meta: null, isError: null }, []],
  ['with items that are null', { content: [null, { type: 'text', text: 'a' }] }, [{ text: 'a' }]],
  ['with texts in place of items', { content: ['a', 'b'] }, [{ text: 'a' }, { text: 'b' }]],
  ['without kinds', { content: [{ text: 'a' }] }, [{ text: 'a' }]],
  ['with kinds in capitals', { content: [{ type: 'TEXT', text: 'a' }] }, [{ text: 'a' }]],
  [
    'with a text that is null',
    { content: [{ type: 'text', text: null, annotations: null, _meta: null }] },
    [{ text: '' }],
  ],
  ['with a text that is a number', { content: [{ type: 'text', text: 7 }] }, [{ text: '7' }]],
  ['with an annotation of a wrong type', { content: [{ type: 'text', text: 'a', annotations: [] }] }, [{ text: 'a' }]],
  ['with bytes in lines', { content: [{ type: 'image', data: 'AA\r\nE=\n', mimeType: null }] }, [{ raw: 'AAE=' }]],
  [
    'with bytes as a URL',
    { content: [{ type: 'image', data: 'data:image/gif;base64,AAE=' }] },
    [{ raw: 'AAE=', mediaType: 'image/gif' }],
  ],
  [
    'with names of Python',
    {
      content: [{ type: 'image', data: 'AAE=', mime_type: 'image/png' }],
      is_error: false,
      structured_content: { a: 1 },
    },
    [{ raw: 'AAE=', mediaType: 'image/png' }, { data: { a: 1 } }],
  ],
  ['of MCP 2024-10-07', { toolResult: { content: [{ type: 'text', text: 'a' }] } }, [{ text: 'a' }]],
  ['of MCP 2024-10-07 that is a text', { toolResult: 'a' }, [{ text: 'a' }]],
])("the content of a tool's result is read: %s", (_, result, parts) => {
  expect(read(result)).toEqual({ parts, unread: [] });
});

it.each<[string, object, string]>([
  ['bytes that are none', { type: 'image', data: 'no bytes!' }, 'its data is not base64'],
  ['bytes of another form', { type: 'image', data: [1, 2] }, 'its data is not base64'],
  [
    'a resource without content',
    { type: 'resource', resource: { uri: 'a:b', text: null } },
    'its resource has neither',
  ],
  ['no resource', { type: 'resource', resource: null }, 'it has no resource'],
  ['a link to nothing', { type: 'resource_link', name: 'a' }, 'it has no URI'],
  ['a text elsewhere', { type: 'text', value: 'a' }, 'its text is not a text'],
  ['another kind', { type: 'json', json: { a: 1 } }, 'unknown kind "json"'],
])("the content of a tool's result with %s is a data part that is named", (_, item, reason) => {
  const content = [{ type: 'text', text: 'before' }, item, { type: 'text', text: 'behind' }];
  const { parts, unread } = read({ content });
  expect(parts).toEqual([{ text: 'before' }, { data: item }, { text: 'behind' }]);
  expect(unread).toEqual([expect.stringContaining(`parts[1]: ${reason}`)]);
});

it.each([
  [true, true, 0],
  ['true', true, 0],
  [1, true, 0],
  [false, false, 0],
  [null, false, 0],
  ['no', false, 1],
  [{}, false, 1],
])('isError %j says that the tool has failed: %j', (isError, expected, named) => {
  const { isError: said, unread } = readToolResult({ content: [], isError });
  expect([said, unread.length]).toEqual([expected, named]);
});

it('what no receiver takes is left out by name, and the rest is passed on', () => {
  const given = JSON.parse(
    '{"content":[{"type":"text","text":"a\\ud83d"}],"structuredContent":{"__proto__":{"x":1},"b":1}}',
  );
  const { raw, unread } = readToolResult(given);
  expect(raw).toEqual({ content: [{ type: 'text', text: 'a' }], structuredContent: { b: 1 } });
  expect(unread.map(({ path }) => path).toSorted()).toEqual(['raw.content.text', 'raw.structuredContent.__proto__']);
  let deep: unknown = 'bottom';
  for (let i = 0; i < 5_000; i += 1) deep = [deep];
  const nested = readToolResult({ content: [{ type: 'text', text: 'a' }], structuredContent: deep });
  expect(partsOf(nested)[0]).toEqual({ text: 'a' });
  expect(nested.unread).toEqual([
    { path: expect.stringMatching(/^raw\.structuredContent\[0\]/), reason: expect.any(String) },
  ]);
});

it('the words of an error are those of its texts, and not of its resources', () => {
  const resource = { type: 'resource', resource: { uri: 'a:b', text: 'long' } };
  expect(textIn(readToolResult({ content: [{ type: 'text', text: 'a' }, resource, 'b'] }))).toBe('a\nb');
});
