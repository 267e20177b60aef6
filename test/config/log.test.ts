import { expect, it } from 'vitest';
import { parseConfig } from '../../src/config/parse.ts';

const read = (text: string) => parseConfig(text, { file: '/gateway.yaml', env: {} }).log;

it('the log has level info and no requests, unless the file sets them', () => {
  expect(read('')).toEqual({ level: 'info', requests: false, format: 'auto' });
  expect(read('log: { level: debug }')).toEqual({ level: 'debug', requests: false, format: 'auto' });
  expect(read('log: { requests: true }')).toEqual({ level: 'info', requests: true, format: 'auto' });
  expect(() => read('log: { level: loud }')).toThrow(/log\.level/);
});

it('has a format', () => {
  expect(read('log: { format: json }').format).toBe('json');
  expect(read('log: { format: text }').format).toBe('text');
  expect(() => read('log: { format: pretty }')).toThrow('log.format');
});
