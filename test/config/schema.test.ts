import { expect, it } from 'vitest';
import type { Config } from '../../src/config/types.ts';
import { read } from './support.ts';

/** Small sections, with the configuration that they are parsed to. */
const targets = [
  ...['10.1.0.0/16', 'hooks.internal', '*.corp.example:8443', '127.0.0.1:9000', 'fd00::/8', '[fd00::1]:443'],
];
it.each<[text: string, section: keyof Config, expected: unknown]>([
  ['{}', 'log', { level: 'info', requests: false, format: 'auto' }],
  ['log: { level: debug }', 'log', { level: 'debug', requests: false, format: 'auto' }],
  ['log: { requests: true, format: json }', 'log', { level: 'info', requests: true, format: 'json' }],
  ['log: { format: text }', 'log', { level: 'info', requests: false, format: 'text' }],
  ['{}', 'push', { maxAge: 86_400_000, timeout: 15_000 }],
  ['push: { maxAge: 2h, timeout: 500ms }', 'push', { maxAge: 7_200_000, timeout: 500 }],
  ['{}', 'outbound', { allow: [] }],
  [`outbound: { allow: ${JSON.stringify(targets)} }`, 'outbound', { allow: targets }],
  ['{}', 'console', true],
  ['pages: false', 'console', false],
  ['pages: false\nconsole: true', 'console', true],
  ['console: false', 'console', false],
  ['console: { content: false }', 'console', { content: false }],
  [
    'console: { traces: "https://t.example/{traceId}?full" }',
    'console',
    { traces: 'https://t.example/{traceId}?full', content: true },
  ],
])('the configuration %j has the section %s with its defaults', (text, section, expected) =>
  expect(read(text)[section]).toEqual(expected),
);
