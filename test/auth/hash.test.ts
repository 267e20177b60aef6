import { expect, it } from 'vitest';
import { hashOf, newKey, readHash, shownHash } from '../../src/auth/hash.ts';

it('the configuration of keys reads a hash in every form of 32 bytes', () => {
  const hash = hashOf('key');
  const bytes = Buffer.from(hash, 'base64url');
  for (const written of [hash, bytes.toString('base64'), bytes.toString('hex'), bytes.toString('hex').toUpperCase()]) {
    expect(readHash(`sha256:${written}`)).toBe(hash);
  }
});

it.each(['', 'sha256:', 'key', hashOf('key'), 'sha256:abc', `sha256:${'a'.repeat(44)}`, `md5:${hashOf('key')}`])(
  'the configuration of keys refuses %j',
  (text) => expect(readHash(text)).toBeUndefined(),
);

it('the configuration of keys makes keys of 256 bits, with their hashes', () => {
  const { key, hash } = newKey();
  expect(key).toMatch(/^a2a_[\w-]{43}$/);
  expect(hash).toBe(shownHash(hashOf(key)));
  expect(newKey().key).not.toBe(key);
});
