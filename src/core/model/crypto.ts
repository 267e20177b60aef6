import { sha256 as digestOf } from '@noble/hashes/sha2.js';

/**
 * Node's cryptography, undefined in browsers. Codecs use it if it is there: it is several times faster than anything
 * written in JavaScript.
 */
const node = globalThis.process?.getBuiltinModule?.('node:crypto');

/** SHA-256 of a text, in base64url. */
export const sha256: (text: string) => string = node
  ? (text) => node.hash('sha256', text, 'base64url')
  : portableSha256;

/** `sha256` for browsers, whose own function is asynchronous; codecs are synchronous. */
export function portableSha256(text: string): string {
  const digest = String.fromCharCode(...digestOf(new TextEncoder().encode(text)));
  return btoa(digest).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}
