import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  dataIn,
  EventBlocks,
  fieldsOf,
  isEventText,
} from '../../../../../src/extensions/mcp/client/session/event-text.ts';

const lineEnd = fc.constantFrom('\n', '\r\n', '\r');
const line = fc.constantFrom('data: {"a":1}', 'event: message', 'id: 7', ': comment', 'data: größer 👍', 'retry: 5');

it('blocks come out as they went in, wherever the bytes are cut and however lines end', () => {
  const blocks = fc.array(fc.array(line, { minLength: 1, maxLength: 4 }), { maxLength: 6 });
  fc.assert(
    fc.property(blocks, lineEnd, fc.array(fc.nat(), { maxLength: 12 }), (given, end, cuts) => {
      const bytes = Buffer.from(given.map((lines) => `${lines.join(end)}${end}${end}`).join(''));
      const places = [...new Set([0, ...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length])].sort(
        (a, b) => a - b,
      );
      const reader = new EventBlocks();
      const read = places.slice(1).flatMap((place, at) => reader.push(bytes.subarray(places[at], place)));
      const linesIn = (block: string): string[] => block.split(/\r\n|\r|\n/).filter((text) => text !== '');
      expect(read.map(linesIn)).toEqual(given);
      expect(reader.end().trim()).toBe('');
    }),
  );
});

it('the fields of an event are read, and the data of several lines joined', () => {
  expect(fieldsOf('event: message\nid: 7\ndata: {"a":\ndata:1}\n: comment')).toEqual({
    name: 'message',
    data: '{"a":\n1}',
    others: ['id: 7'],
  });
  expect(fieldsOf(': comment')).toEqual({ name: '', data: undefined, others: [] });
  expect(dataIn('event: message\r\ndata: {"a":1}\r\n\r\ndata: {"b":2}\n\n')).toBe('{"a":1}\n{"b":2}');
});

it.each([
  ['data: 1', true],
  [': x', true],
  ['\n event:x', true],
  ['{"data": 1}', false],
  ['<p>', false],
  ['', false],
])('%j is an event stream: %s', (text, expected) => {
  expect(isEventText(text)).toBe(expected);
});
