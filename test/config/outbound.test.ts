import { describe, expect, it } from 'vitest';
import { ConfigError } from '../../src/config/index.ts';
import { parseConfig } from '../../src/config/parse.ts';

const allowed = (lines: string) => parseConfig(`outbound: { allow: [${lines}] }`, { file: '/gw.yaml' }).outbound.allow;

describe('outbound.allow', () => {
  it('is kept as it was written', () => {
    const lines = [
      '10.1.0.0/16',
      'hooks.internal',
      '*.corp.example:8443',
      '127.0.0.1:9000',
      'fd00::/8',
      '[fd00::1]:443',
    ];
    expect(allowed(lines.map((line) => `"${line}"`).join(', '))).toEqual(lines);
    expect(parseConfig('store: memory', { file: '/gw.yaml' }).outbound.allow).toEqual([]);
  });

  it.each(['http://hooks.internal', '10.1.0.0/40', '*', 'a b', 'x:0'])(
    'refuses %j, saying what is expected',
    (line) => {
      expect(() => allowed(`"ok.example", "${line}"`)).toThrow(ConfigError);
      expect(() => allowed(`"ok.example", "${line}"`)).toThrow(
        /gw\.yaml:1: outbound\.allow\.1: expected a host such as/,
      );
    },
  );
});
