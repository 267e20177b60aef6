import { expect, it } from 'vitest';
import { parseConfig } from '../../src/config/parse.ts';

const read = (text: string) => parseConfig(text, { file: '/gateway.yaml', env: {} }).log;

it('the log has level info and no requests, unless the file sets them', () => {
  expect(read('')).toEqual({ level: 'info', requests: false });
  expect(read('log: { level: debug }')).toEqual({ level: 'debug', requests: false });
  expect(read('log: { requests: true }')).toEqual({ level: 'info', requests: true });
  expect(() => read('log: { level: loud }')).toThrow(/log\.level/);
});
