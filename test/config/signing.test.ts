import { expect, it } from 'vitest';
import { read } from './support.ts';

/** Tests of the settings that sign cards, and that name trusted signatures. */

const upstream = (trust: string): string =>
  `agents: { up: { kind: upstream, url: https://a.example, trust: ${trust} } }\n`;

const trustOf = (trust: string): unknown => {
  const agent = read(upstream(trust)).agents.get('up');
  return agent?.kind === 'upstream' ? agent.trust : undefined;
};

it('a key that signs is a file beside the configuration', () => {
  expect(read('cards: { signing: { key: key.pem } }\n').cards.signing).toEqual({
    key: '/etc/gw/key.pem',
    kid: undefined,
    previous: [],
  });
  const text =
    'cards: { signing: { key: /k/new.json, kid: new, previous: [{ key: old.pem, kid: old }, { key: older.pem }] } }\n';
  expect(read(text).cards.signing).toEqual({
    key: '/k/new.json',
    kid: 'new',
    previous: [
      { key: '/etc/gw/old.pem', kid: 'old' },
      { key: '/etc/gw/older.pem', kid: undefined },
    ],
  });
  expect(read('cards: {}\n').cards.signing).toBeUndefined();
});

it.each<[trust: string, jwks: object]>([
  ['{ jwks: https://a.example/jwks.json }', { url: 'https://a.example/jwks.json' }],
  ['{ jwks: "http://localhost:8080/jwks.json" }', { url: 'http://localhost:8080/jwks.json' }],
  ['{ jwks: "http://[::1]/jwks.json" }', { url: 'http://[::1]/jwks.json' }],
  ['{ jwks: keys.json }', { file: '/etc/gw/keys.json' }],
])('keys that are trusted are %s', (trust, jwks) => {
  expect(trustOf(trust)).toEqual({ jwks, required: true });
});

it('keys that are trusted may be wanted of signed cards only', () => {
  expect(trustOf('{ jwks: keys.json, required: false }')).toMatchObject({ required: false });
});
