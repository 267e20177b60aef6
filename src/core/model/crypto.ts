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

/** FIPS 180-4, for texts of less than 512 MiB. Browsers have only an asynchronous one, and codecs are synchronous. */
export function portableSha256(text: string): string {
  const bytes = new TextEncoder().encode(text);
  const padded = new Uint8Array(((bytes.length + 8) >> 6) * 64 + 64);
  padded.set(bytes);
  padded[bytes.length] = 0x80;
  const view = new DataView(padded.buffer);
  view.setUint32(padded.length - 4, bytes.length << 3);
  const hash = new Uint32Array(constants('sqrt', 8));
  for (let at = 0; at < padded.length; at += 64) addBlock(hash, view, at);
  const digest = String.fromCharCode(
    ...[...hash].flatMap((word) => [24, 16, 8, 0].map((bits) => (word >>> bits) & 255)),
  );
  return btoa(digest).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

/** The first 32 bits of the fractions of roots of the first primes. */
function constants(root: 'sqrt' | 'cbrt', count: number): number[] {
  const primes: number[] = [];
  for (let next = 2; primes.length < count; next++) if (primes.every((prime) => next % prime !== 0)) primes.push(next);
  return primes.map((prime) => Math.floor((Math[root](prime) % 1) * 2 ** 32));
}

const roundConstants = new Uint32Array(constants('cbrt', 64));
const rotated = (word: number, bits: number): number => (word >>> bits) | (word << (32 - bits));

function addBlock(hash: Uint32Array, view: DataView, start: number): void {
  const words = new Uint32Array(64);
  for (let at = 0; at < 16; at++) words[at] = view.getUint32(start + at * 4);
  const word = (at: number): number => words[at] as number;
  for (let at = 16; at < 64; at++) {
    const [early, late] = [word(at - 15), word(at - 2)];
    const mixedEarly = rotated(early, 7) ^ rotated(early, 18) ^ (early >>> 3);
    const mixedLate = rotated(late, 17) ^ rotated(late, 19) ^ (late >>> 10);
    words[at] = word(at - 16) + mixedEarly + word(at - 7) + mixedLate;
  }
  let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = hash;
  for (let at = 0; at < 64; at++) {
    const chosen = (e & f) ^ (~e & g);
    const first =
      h + (rotated(e, 6) ^ rotated(e, 11) ^ rotated(e, 25)) + chosen + (roundConstants[at] as number) + word(at);
    const second = (rotated(a, 2) ^ rotated(a, 13) ^ rotated(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
    [h, g, f, e, d, c, b, a] = [g, f, e, (d + first) | 0, c, b, a, (first + second) | 0];
  }
  for (const [at, sum] of [a, b, c, d, e, f, g, h].entries()) hash[at] = (hash[at] as number) + sum;
}
