import fc from 'fast-check';
import { expect, it } from 'vitest';
import { encodeSse, SseDecoder, type SseEvent, sseComment } from '../../src/wire/sse.ts';
import { decodeSse } from '../support/sse.ts';

const bytes = (text: string) => Buffer.from(text, 'utf8');

function read(text: string, sizes: readonly number[] = []): SseEvent[] {
  const decoder = new SseDecoder();
  const events: SseEvent[] = [];
  let rest = bytes(text);
  for (const size of sizes) {
    events.push(...decoder.push(rest.subarray(0, size)));
    rest = rest.subarray(size);
  }
  return [...events, ...decoder.push(rest)];
}

const name = fc.string({ unit: 'grapheme-ascii', maxLength: 8 }).map((text) => text.replace(/^ +/, ''));

it('server-sent events come back from any text at any chunk boundary', () => {
  const frame = fc.record({
    event: name,
    id: fc.nat().map(String),
    data: fc.string({ unit: fc.constantFrom('a', ' ', ':', '\n', '\r', '🦊', 'é', '\u2028', '\0'), maxLength: 12 }),
  });
  fc.assert(
    fc.property(
      fc.array(frame, { maxLength: 6 }),
      fc.array(fc.integer({ min: 1, max: 9 })),
      fc.boolean(),
      (frames, sizes, bom) => {
        const text = (bom ? '\uFEFF' : '') + frames.map((each) => encodeSse(each) + sseComment).join('');
        const expected = frames.map((each) => ({ ...each, data: each.data.replace(/\r\n|\r/g, '\n') }));
        expect(read(text, sizes)).toEqual(expected);
      },
    ),
  );
});

it('server-sent events read the same whichever line ending is used, and wherever it is cut', () => {
  const lines = ['\uFEFF: hi', 'event: a', 'id: 7', 'data: one', 'data:two', 'retry: 5', '', 'data', '', 'data: x', ''];
  const expected = [
    { event: 'a', id: '7', data: 'one\ntwo' },
    { event: '', id: '7', data: '' },
    { event: '', id: '7', data: 'x' },
  ];
  const ending = fc.constantFrom('\n', '\r', '\r\n');
  fc.assert(
    fc.property(ending, fc.array(fc.integer({ min: 0, max: 4 })), (end, sizes) => {
      expect(read(`${lines.join(end)}${end}`, sizes)).toEqual(expected);
    }),
  );
});

it('server-sent events that the end of a stream cuts off are given at the end, unlike comments', () => {
  const endOf = (text: string): string[] => {
    const decoder = new SseDecoder();
    decoder.push(bytes(text));
    return decoder.end().map(({ data }) => data);
  };
  const event = encodeSse({ id: 1, data: 'x' });
  for (const text of ['', event, event + sseComment, `${event}: ping`, `${event}id: 3`])
    expect(endOf(text)).toEqual([]);
  for (const text of ['data:y', 'data: y', 'data: y\n', 'data: y\r', `data: y\n${sseComment}`, 'data: y\n: pi']) {
    expect(endOf(event + text)).toEqual(['y']);
  }
  expect(sseComment).toBe(':\n');
});

it('server-sent events without data, or cut off by the end, are no events', () => {
  expect(read('event: a\n\nid: 3\n\ndata: cut')).toEqual([]);
});

it('server-sent events are refused beyond the bound, finished or not', () => {
  const unfinished = new SseDecoder(10);
  expect(() => unfinished.push(bytes('data: 0123456789'))).toThrow(/larger than 10/);
  const joined = new SseDecoder(10);
  expect(() => joined.push(bytes('data:1234\ndata:1234\ndata:1234\n'))).toThrow(/larger than 10/);
});

it('server-sent events are read from a whole body', async () => {
  async function* body() {
    yield bytes('data: 1\n');
    yield bytes('\ndata: 2\n\n');
  }
  const data: string[] = [];
  for await (const event of decodeSse(body())) data.push(event.data);
  expect(data).toEqual(['1', '2']);
});

it.each([
  ['in capitals', 'Data: a\nDATA: b\n\n', 'a\nb'],
  ['with spaces around their names', ' data: a\ndata : b\n\n', 'a\nb'],
  ['with JSON over several lines without the name', 'data: {\n  "a": 1\n}\n\n', '{\n  "a": 1\n}'],
  ['beside unknown fields', 'data: a\nother: b\n\n', 'a'],
])('fields are read that are written %s', (_, text, data) => {
  expect(read(text).map((event) => event.data)).toEqual([data]);
});
