import { describe, expect, it } from 'vitest';
import { canonical, iriOf } from '../../../../src/extensions/knowledge/sparql/terms.ts';

it.each([
  ['integer', '042', '42'],
  ['integer', '+007', '7'],
  ['integer', '-0', '0'],
  ['integer', '-010', '-10'],
  ['integer', '4.2', '4.2'],
  ['integer', '', ''],
  ['integer', `${'0'.repeat(100_000)}1`, '1'],
  ['decimal', '01.500', '1.5'],
  ['decimal', '-0.0', '0'],
  ['decimal', '.5', '0.5'],
  ['decimal', '5.', '5'],
  ['decimal', '.', '.'],
  ['decimal', '1.2.3', '1.2.3'],
  ['decimal', `${'0'.repeat(100_000)}x`, `${'0'.repeat(100_000)}x`],
  ['decimal', `1.${'0'.repeat(100_000)}`, '1'],
  ['dateTime', '2026-01-02T03:04:05.500Z', '2026-01-02T03:04:05.5Z'],
  ['dateTime', '2026-01-02T03:04:05.000+00:00', '2026-01-02T03:04:05Z'],
  ['dateTime', '2026-01-02T03:04:05.-05:00', '2026-01-02T03:04:05-05:00'],
  ['dateTime', '-0044-03-15T00:00:00.10', '-0044-03-15T00:00:00.1'],
  ['dateTime', '2026-01-02T03:04:05.1000x', '2026-01-02T03:04:05.1000x'],
  ['time', '03:04:05.0', '03:04:05'],
  ['date', '2026-01-02-00:00', '2026-01-02Z'],
])('the literal xsd:%s %s has its words', (type, written, text) => {
  const datatype = `xsd:${type}`;
  expect(canonical({ text: written, datatype })).toEqual({ text, datatype });
});

describe('an id as an IRI', () => {
  const absolute = ['https://example.org/a?b?c#d?e', 'urn:x:1', 'https://user@example.org:80/a@b:c', 'a:', 'ex:a'];
  it.each([...absolute, 'https://example.org/é%20'])('the id %s is an IRI', (id) => {
    expect(iriOf(id)).toBe(id);
  });

  it.each([
    ...['no-scheme', '1:x', '_:b1', 'https://example.org/a#b#c', 'https://example.org/a b', 'https://example.org/%zz'],
    ...['https://a@b@c/', 'https://example.org:80:81/', 'https://example.org:x/', 'http://[::1]/', 'http://a:b/'],
    ...['urn:a2a-gateway:id:x', 'urn:a2a-gateway:log:', ''],
  ])('the id %s stands for itself in an IRI of the gateway', (id) => {
    expect(iriOf(id)).toBe(`urn:a2a-gateway:id:${encodeURIComponent(id)}`);
  });
});
