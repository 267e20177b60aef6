import { sha256 as digestOf } from '@noble/hashes/sha2.js';

/**
 * What codecs need of cryptography, in Node and in browsers. Node's own functions are used where they are: they are several
 * times faster than anything written in JavaScript.
 */
const node = globalThis.process?.getBuiltinModule?.('node:crypto');

/** SHA-256 of a text, in base64url. */
export const sha256: (text: string) => string = node
  ? (text) => node.hash('sha256', text, 'base64url')
  : portableSha256;

/** `sha256` in browsers, whose own function is asynchronous, which codecs are not. */
export function portableSha256(text: string): string {
  const digest = String.fromCharCode(...digestOf(new TextEncoder().encode(text)));
  return btoa(digest).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}
