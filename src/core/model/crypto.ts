import { sha256 as digestOf } from '@noble/hashes/sha2.js';

/**
 * What codecs need of cryptography, in Node and in browsers. Node's own functions are used where they are: they are several
 * times faster than anything written in JavaScript.
 */
const node = globalThis.process?.getBuiltinModule?.('node:crypto');

/** A random UUID (version 4). */
export const randomUUID: () => string = node?.randomUUID ?? portableUUID;

/** SHA-256 of a text, in base64url. */
export const sha256: (text: string) => string = node
  ? (text) => node.hash('sha256', text, 'base64url')
  : portableSha256;

/** `crypto.randomUUID` for pages that were not loaded over HTTPS too, where browsers lack it. */
export function portableUUID(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = ((bytes[6] as number) & 0x0f) | 0x40;
  bytes[8] = ((bytes[8] as number) & 0x3f) | 0x80;
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

/** The same in browsers, whose own function is asynchronous, which codecs are not. */
export function portableSha256(text: string): string {
  const digest = String.fromCharCode(...digestOf(new TextEncoder().encode(text)));
  return btoa(digest).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}
