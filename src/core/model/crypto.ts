import { sha256 as digestOf } from '@noble/hashes/sha2.js';

/**
 * What codecs need of cryptography, in Node and in browsers. Node's own functions are used where they are: they are several
 * times faster than anything written in JavaScript.
 */
const node = globalThis.process?.getBuiltinModule?.('node:crypto');

const random = new Uint8Array(2_048);
const hexOf = node ? ({ buffer }: Uint8Array<ArrayBuffer>): string => Buffer.from(buffer).toString('hex') : portableHex;
/** `random` in hexadecimal, and how much of it has been used. */
let digits = '';
let used = 0;

/** The 62 random bits of a UUID as it is written, from the variant on: `-8xxx-xxxxxxxxxxxx`. Made for many at a time. */
export function randomTail(): string {
  if (used === digits.length) {
    // Browsers have it on pages that were not loaded over HTTPS, too.
    crypto.getRandomValues(random);
    digits = hexOf(random);
    used = 0;
  }
  const at = used;
  used += 16;
  const variant = '89ab'[(random[at / 2] as number) & 3];
  // Slices so short are copies, which do not keep the others.
  return `-${variant}${digits.slice(at, at + 1)}${digits.slice(at + 2, at + 4)}-${digits.slice(at + 4, at + 16)}`;
}

/** SHA-256 of a text, in base64url. */
export const sha256: (text: string) => string = node
  ? (text) => node.hash('sha256', text, 'base64url')
  : portableSha256;

export function portableHex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** `sha256` in browsers, whose own function is asynchronous, which codecs are not. */
export function portableSha256(text: string): string {
  const digest = String.fromCharCode(...digestOf(new TextEncoder().encode(text)));
  return btoa(digest).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}
