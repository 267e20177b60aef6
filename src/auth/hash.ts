import { hash as digest, randomBytes } from 'node:crypto';

/** Keys and secrets are 256 random bits, so that one round of SHA-256 keeps them as safe as many would. */

/** SHA-256 of a key or token, in base64url. */
export const hashOf = (secret: string): string => digest('sha256', secret, 'base64url');

/** A hash as a configuration holds it. */
export const shownHash = (hash: string): string => `sha256:${hash}`;

/**
 * Reads `sha256:` and 32 bytes in base64url, base64 or hexadecimal.
 *
 * @returns the hash as `hashOf` gives it; undefined for anything else
 */
export function readHash(text: string): string | undefined {
  const [, written] = /^sha256:([\w+/=-]+)$/.exec(text.trim()) ?? [];
  if (written === undefined) return undefined;
  const bytes = Buffer.from(written, /^[\da-f]{64}$/i.test(written) ? 'hex' : 'base64');
  return bytes.length === 32 && /^(?:[\da-f]{64}|[\w+/-]{43}=?)$/i.test(written)
    ? bytes.toString('base64url')
    : undefined;
}

/** What keys begin with, so that programs which look for leaked secrets know them. */
const prefix = 'a2a_';

/** A key of 256 random bits, and its hash as a configuration holds it. */
export function newKey(): { readonly key: string; readonly hash: string } {
  const key = `${prefix}${randomBytes(32).toString('base64url')}`;
  return { key, hash: shownHash(hashOf(key)) };
}
