import { randomBytes } from 'node:crypto';
import { hashOf, shownHash } from './hash.ts';

/** What keys begin with, so that programs which look for leaked secrets know them. */
const prefix = 'a2a_';

/** A key of 256 random bits, and its hash as a configuration holds it. */
export function newKey(): { readonly key: string; readonly hash: string } {
  const key = `${prefix}${randomBytes(32).toString('base64url')}`;
  return { key, hash: shownHash(hashOf(key)) };
}
