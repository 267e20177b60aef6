import { createHmac, randomBytes } from 'node:crypto';

const key = randomBytes(32);

/**
 * Digest of a text, made with a random key of this process. It stands for a name in memory without containing it: outside of
 * this process, it cannot be computed from the name.
 */
export const processDigest = (text: string): string => createHmac('sha256', key).update(text).digest('base64url');
