import { expect, it } from 'vitest';
import { parseConfig } from '../../src/config/parse.ts';

const read = (text: string) => parseConfig(text, { file: '/gateway.yaml', env: {} }).log;

it('tells what whoever guards the gateway wants to know of, or what the file says', () => {
  expect(read('')).toEqual({ level: 'info' });
  expect(read('log: { level: debug }')).toEqual({ level: 'debug' });
  expect(() => read('log: { level: loud }')).toThrow(/log\.level/);
});
