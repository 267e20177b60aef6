import { expect, test } from 'vitest';
import { looseJson } from '../../src/wire/loose-json.ts';

test.each<[what: string, text: string, value: unknown]>([
  ['comments', '/* hi */ { // one\n"a": 1 /* two */ }', { a: 1 }],
  ['a comma at the end', '{"a":[1,2,],}', { a: [1, 2] }],
  ['single quotes', `{'a':'it is "so"', 'b':'\\''}`, { a: 'it is "so"', b: "'" }],
  ['names without quotes', '{a:1,$b:2}', { a: 1, $b: 2 }],
  ['literals of Python', '{"a":None,"b":True,"c":False}', { a: null, b: true, c: false }],
  ['undefined', '{"a":undefined}', { a: null }],
  ['numbers that are not finite', '{"a":NaN,"b":-Infinity}', { a: Infinity, b: -Infinity }],
  ['numbers of another form', '{"a":01,"b":.5,"c":+1,"d":0x10,"e":5.}', { a: 1, b: 0.5, c: 1, d: 16, e: 5 }],
  ['control characters in strings', '{"a":"one\ntwo\t"}', { a: 'one\ntwo\t' }],
  ['unknown escapes', '{"a":"\\x41 \\d"}', { a: 'A \\d' }],
  ['text behind it', '{"a":1}\n<!-- served -->', { a: 1 }],
  ['text before it', '<b>Warning</b>: x in [eval]\n{"a":1}', { a: 1 }],
  ['zeros behind it', '{"a":1}\0\0', { a: 1 }],
])('text with %s is rewritten as JSON', (_, text, value) => {
  expect(JSON.parse(looseJson(text)?.text ?? '')).toEqual(value);
});

test.each([
  ['a page', '<!doctype html><style>body{color:red}</style><p>Not here'],
  ['a document that is cut off', '{"a":{"b":1}'],
  ['a string that is cut off', '{"a":"b'],
  ['the mark that ends a stream', '[DONE]'],
  ['a number', '42'],
  ['deep nesting', '['.repeat(5_000)],
])('%s is not rewritten', (_, text) => {
  expect(looseJson(text)).toBeUndefined();
});
