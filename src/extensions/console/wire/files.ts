import type { Part } from '../../../core/model/a2a.ts';
import { trimEnd } from '../../../core/model/text.ts';

/** Files as parts of messages. */

/** Base64 of bytes, in pieces that the stack can hold. */
export function base64Of(bytes: Uint8Array): string {
  const pieces: string[] = [];
  // A multiple of three, so that only the last piece is padded.
  const step = 0x6000;
  for (let at = 0; at < bytes.length; at += step) {
    pieces.push(btoa(String.fromCharCode(...bytes.subarray(at, at + step))));
  }
  return pieces.join('');
}

/** Bytes of a base64 text. */
export const sizeOf = (base64: string): number => Math.floor((trimEnd(base64, '=').length * 3) / 4);

interface FileLike {
  readonly name: string;
  readonly type: string;
  arrayBuffer(): Promise<ArrayBuffer>;
}

/** A file as a part with its bytes. */
export async function partOf(file: FileLike): Promise<Part> {
  const raw = base64Of(new Uint8Array(await file.arrayBuffer()));
  return { raw, filename: file.name, mediaType: file.type || 'application/octet-stream' };
}

/** Parts with files behind them; an empty text, which a new message begins with, makes room for them. */
export function withFiles(parts: readonly Part[], files: readonly Part[]): Part[] {
  return [...parts.filter((part) => part.text !== ''), ...files];
}
