import { describe, expect, it } from 'vitest';
import { parseConfig } from '../../src/config/parse.ts';
import { ConfigError } from '../../src/config/report.ts';

/** How cards are signed, and whose signatures are believed, in a configuration file. */

const read = (text: string) => parseConfig(text, { file: '/etc/gw/gw.yaml' });

const problems = (text: string): string => {
  try {
    read(text);
  } catch (thrown) {
    if (thrown instanceof ConfigError) return thrown.message;
    throw thrown;
  }
  return '';
};

const upstream = (trust: string): string =>
  `agents: { up: { kind: upstream, url: https://a.example, trust: ${trust} } }\n`;

const trustOf = (trust: string): unknown => {
  const agent = read(upstream(trust)).agents.get('up');
  return agent?.kind === 'upstream' ? agent.trust : undefined;
};

describe('a key that signs', () => {
  it('is a file beside the configuration', () => {
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

  it.each([
    ['cards: { signing: true }\n', 'cards.signing: expected how cards are signed: a mapping with key, kid, previous'],
    ['cards: { signing: {} }\n', 'cards.signing.key: expected the path of a PEM or JWK file with a private key'],
    ['cards: { sign: {} }\n', 'cards.sign: unknown key; expected one of signing'],
    ['cards: { signing: { key: k, kid: "" } }\n', "cards.signing.kid: expected a key's id"],
  ])('is told of: %s', (text, said) => {
    expect(problems(text)).toContain(said);
  });
});

describe('keys that are trusted', () => {
  it.each<[trust: string, jwks: object]>([
    ['{ jwks: https://a.example/jwks.json }', { url: 'https://a.example/jwks.json' }],
    ['{ jwks: "http://localhost:8080/jwks.json" }', { url: 'http://localhost:8080/jwks.json' }],
    ['{ jwks: "http://[::1]/jwks.json" }', { url: 'http://[::1]/jwks.json' }],
    ['{ jwks: keys.json }', { file: '/etc/gw/keys.json' }],
  ])('are %s', (trust, jwks) => {
    expect(trustOf(trust)).toEqual({ jwks, required: true });
  });

  it('may be wanted of signed cards only', () => {
    expect(trustOf('{ jwks: keys.json, required: false }')).toMatchObject({ required: false });
  });

  it.each([
    ['{}'],
    ['{ jwks: http://a.example/jwks.json }'],
    ['{ jwks: "https://user:pw@a.example/jwks.json" }'],
    ['{ jwks: "https://a.example/jwks.json#x" }'],
    ['{ jwks: ftp://a.example/jwks.json }'],
    ['{ jwks: "https://" }'],
  ])('are not %s', (trust) => {
    expect(problems(upstream(trust))).toContain(
      'agents.up.trust.jwks: expected the https URL of a JWK set, or the path',
    );
    expect(problems(upstream(trust))).not.toContain('pw@');
  });
});
