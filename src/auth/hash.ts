import { hash as digest, randomBytes } from 'node:crypto';

/** Hashes of keys and secrets. These have 256 random bits, so one round of SHA-256 is as safe as many. */

/** Returns the SHA-256 of a key or token, in base64url. */
export const hashOf = (secret: string): string => digest('sha256', secret, 'base64url');

/** Returns a hash as it is written in a configuration. */
export const shownHash = (hash: string): string => `sha256:${hash}`;

/**
 * Reads `sha256:` and 32 bytes in base64url, base64 or hexadecimal.
 *
 * @returns the hash as `hashOf` returns it; undefined for anything else
 */
export function readHash(text: string): string | undefined {
  const [, written = ''] = /^sha256:([\da-fA-F]{64}|[\w+/-]{43}=?)$/.exec(text.trim()) ?? [];
  const bytes = Buffer.from(written, written.length === 64 ? 'hex' : 'base64');
  return bytes.length === 32 ? bytes.toString('base64url') : undefined;
}

/**
 * Generates a key with 256 random bits, and its hash as it is written in a configuration. Secret scanners look for the
 * prefix.
 */
export function newKey(): { readonly key: string; readonly hash: string } {
  const key = `a2a_${randomBytes(32).toString('base64url')}`;
  return { key, hash: shownHash(hashOf(key)) };
}
