import { Readable } from 'node:stream';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { progressText } from '../../../../src/extensions/mcp/client/follow.ts';
import { toolFilter } from '../../../../src/extensions/mcp/client/route.ts';
import { eventMeter, totalMeter } from '../../../../src/extensions/mcp/client/session/fetch.ts';
import { boundedLines, type LineLimits } from '../../../../src/extensions/mcp/client/session/program.ts';
import { readTools } from '../../../../src/extensions/mcp/client/session/responses.ts';
import { readToolList } from '../../../../src/extensions/mcp/client/session/tool-list.ts';

/** Cuts bytes at the places given, in any order. */
function pieces(bytes: Buffer, cuts: readonly number[]): Buffer[] {
  const places = [...new Set([0, ...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length])].sort((a, b) => a - b);
  return places.slice(1).map((end, index) => bytes.subarray(places[index], end));
}

const cutting = fc.array(fc.nat(), { maxLength: 10 });

async function linesOf(chunks: readonly Buffer[], limits: LineLimits): Promise<string[]> {
  const lines: string[] = [];
  for await (const line of boundedLines(Readable.from(chunks), limits)) lines.push(line.toString('utf8').slice(0, -1));
  return lines;
}

describe('lines', () => {
  it('lines come out as they went in, wherever the bytes are cut', async () => {
    const lines = fc.array(fc.string({ unit: 'grapheme' }).map((text) => text.replaceAll('\n', ' ')));
    await fc.assert(
      fc.asyncProperty(lines, cutting, async (given, cuts) => {
        const bytes = Buffer.from(given.map((line) => `${line}\n`).join(''));
        expect(await linesOf(pieces(bytes, cuts), { limit: 10_000 })).toEqual(given);
      }),
    );
  });

  const long = 'x'.repeat(5_000);
  it.each([
    ['before', `{"jsonrpc":"2.0","id":7,"result":"${long}"}`, [[7, false]]],
    [
      'after',
      `{"result":"${long}","jsonrpc":"2.0","id":7}`,
      [
        [undefined, false],
        [7, true],
      ],
    ],
    [
      'nowhere',
      `{"result":"${long}"}`,
      [
        [undefined, false],
        [undefined, true],
      ],
    ],
    [
      'within',
      `{"result":{"text":"${long}","id":7}}`,
      [
        [undefined, false],
        [undefined, true],
      ],
    ],
  ] as const)('lines that are too long are not held: the id is %s', async (_, text, expected) => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.integer({ min: 600, max: text.length - 600 }), { maxLength: 10 }), async (cuts) => {
        const notified: unknown[] = [];
        const onOversize = (id: number | undefined, ended: boolean): unknown => notified.push([id, ended]);
        const chunks = pieces(Buffer.from(`short\n${text}\nshort\n`), cuts);
        expect(await linesOf(chunks, { limit: 1_000, onOversize })).toEqual(['short', 'short']);
        expect(notified).toEqual(expected);
      }),
    );
  });
});

it('meters count a body as a whole', () => {
  const within = totalMeter(10);
  expect([within(Buffer.alloc(6)), within(Buffer.alloc(4)), within(Buffer.alloc(1))]).toEqual([true, true, false]);
});

it('meters count each event of a stream, wherever the bytes are cut and however lines end', () => {
  const ends = fc.constantFrom('\n\n', '\r\n\r\n', '\r\r');
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 400 }), { maxLength: 20 }), ends, cutting, (sizes, end, cuts) => {
      const bytes = Buffer.from(sizes.map((size) => `data: ${'x'.repeat(size)}${end}`).join(''));
      const small = eventMeter(1_000);
      expect(pieces(bytes, cuts).every((piece) => small(piece))).toBe(true);
      const tiny = eventMeter(1_000);
      const large = Buffer.from(`${bytes}data: ${'x'.repeat(1_500)}`);
      expect(pieces(large, cuts).every((piece) => tiny(piece))).toBe(false);
    }),
  );
});

it.each([
  [undefined, [], ['anything'], true],
  [['read_*'], [], ['read_file'], true],
  [['read_*'], [], ['write_file'], false],
  [undefined, ['*secret*'], ['my_secret_tool'], false],
  [['a'], ['a'], ['a'], false],
  [['fs.read'], [], ['fs.read', 'read'], true],
  [undefined, ['read'], ['fs.read', 'read'], false],
  [['a*b*c'], [], ['abc'], true],
  [['a*b*c'], [], ['acb'], false],
  [['ab*ba'], [], ['aba'], false],
  [['*'], [], [''], true],
  [[], [], ['a'], false],
])('tools by their names: allow %j and deny %j of %j: %s', (allow, deny, names, expected) => {
  expect(toolFilter(allow, deny)(...names)).toBe(expected);
});

it.each([
  [{ progress: 1, total: 4 }, 'Progress: 1 of 4'],
  [{ progress: 1 }, 'Progress: 1'],
  [{ progress: 1, total: 4, message: 'reading' }, 'reading (1 of 4)'],
  [{ message: 'reading' }, 'reading'],
  [{}, 'Working'],
])('progress %j becomes %s', (progress, text) => {
  expect(progressText(progress)).toBe(text);
});

const toolsOf = (tools: unknown) => readTools(readToolList({ tools }).value);

it('what is no tool is passed over, and costs the others nothing', () => {
  const tools = [
    null,
    'a',
    {},
    { name: '' },
    { name: 1 },
    { name: 'x'.repeat(300) },
    { name: 'ok', inputSchema: 'none' },
  ];
  expect(toolsOf(tools)).toEqual([{ name: 'ok', inputSchema: { type: 'object' } }]);
  expect(readToolList({ tools }).problems).toEqual([
    'tool 1: it is not an object; the tool is left out',
    'tool 2: it is not an object; the tool is left out',
    'tool 3: it has no name; the tool is left out',
    'tool 4: it has no name; the tool is left out',
    'tool 5: it has no name; the tool is left out',
    'tool 6: its name has more than 256 characters; the tool is left out',
    'tool 7 (ok): inputSchema is left out; expected a JSON Schema',
  ]);
  expect(toolsOf('none')).toEqual([]);
  let deep: unknown = {};
  for (let i = 0; i < 200; i += 1) deep = { not: deep };
  expect(toolsOf([{ name: 'deep', inputSchema: deep }])).toEqual([{ name: 'deep', inputSchema: { type: 'object' } }]);
  const tool = { name: 'b', annotations: { title: 'B' }, execution: { taskSupport: 'required' } };
  expect(toolsOf([tool])).toEqual([
    { name: 'b', title: 'B', inputSchema: { type: 'object' }, annotations: { title: 'B' }, taskOnly: true },
  ]);
});

it('members of a tool that are null are absent, and those of a wrong type are left out by name', () => {
  const all = ['title', 'description', 'inputSchema', 'outputSchema', 'annotations', 'execution', 'icons', '_meta'];
  const nulls = Object.fromEntries(all.map((name) => [name, null]));
  expect(readToolList({ tools: [{ name: 'a', ...nulls }], nextCursor: null, _meta: null })).toEqual({
    value: {
      resultType: 'complete',
      ttlMs: 300_000,
      cacheScope: 'private',
      tools: [{ name: 'a', inputSchema: { type: 'object' } }],
    },
    problems: [],
  });
  const wrong = Object.fromEntries(all.map((name) => [name, 7]));
  const { value, problems } = readToolList({ tools: [{ name: 'a', ...wrong }] });
  expect(value.tools).toEqual([{ name: 'a', inputSchema: { type: 'object' } }]);
  expect(problems.map((line) => /\(a\): (\S+) is left out/.exec(line)?.[1]).toSorted()).toEqual([
    '_meta',
    'annotations',
    'description',
    'execution',
    'inputSchema',
    'outputSchema',
    'title',
  ]);
  const annotations = { readOnlyHint: 'true', destructiveHint: null, title: 'A', other: 1 };
  expect(toolsOf([{ name: 'a', annotations }])).toMatchObject([{ annotations: { title: 'A', other: 1 } }]);
});

it('keywords of a schema that are null are absent, and values may be null', () => {
  const schema = {
    type: null,
    title: null,
    required: null,
    additionalProperties: null,
    $defs: null,
    anyOf: null,
    properties: {
      a: { type: 'string', default: null, const: null, enum: [null, 'x'], items: null },
      b: null,
      required: true,
    },
  };
  const read = {
    properties: { a: { type: 'string', default: null, const: null, enum: [null, 'x'] }, b: {}, required: true },
    type: 'object',
  };
  expect(toolsOf([{ name: 'a', inputSchema: schema }])).toEqual([{ name: 'a', inputSchema: read }]);
  const nested = { type: 'object', properties: { c: { allOf: [null, { required: ['x', 1, 'x'] }], enum: 'none' } } };
  expect(toolsOf([{ name: 'a', input_schema: nested }])).toMatchObject([
    { inputSchema: { properties: { c: { allOf: [{}, { required: ['x'] }] } } } },
  ]);
});
