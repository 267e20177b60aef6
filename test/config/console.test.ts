import { expect, it } from 'vitest';
import { parseConfig } from '../../src/config/parse.ts';

const read = (text: string) => parseConfig(text, { file: '/gateway.yaml', env: {} }).console;

it.each([
  ['nothing', '', true],
  ['no pages', 'pages: false', false],
  ['the console without the other pages', 'pages: false\nconsole: true', true],
  ['pages without the console', 'console: false', false],
  [
    'where traces are',
    'console: { traces: "https://traces.example.com/{traceId}?full" }',
    { traces: 'https://traces.example.com/{traceId}?full', content: true },
  ],
  ['without what tasks say', 'console: { content: false }', { content: false }],
])('serves the console by default as the other pages: %s', (_, text, expected) => {
  expect(read(text)).toEqual(expected);
});

it.each([
  ['a URL without a place for the id', 'console: { traces: "https://traces.example.com/" }', 'with {traceId}'],
  ['a script', 'console: { traces: "javascript:{traceId}" }', 'with {traceId}'],
  ['another key', 'console: { trace: x }', 'console.trace: unknown key; did you mean traces?'],
  ['an index of what is hidden', 'console: { content: false }\nfullText: true', 'fullText: the index would store'],
  ['a text', 'console: maybe', 'true, false or a mapping with traces'],
])('refuses %s', (_, text, said) => {
  expect(() => read(text)).toThrow(said);
});
