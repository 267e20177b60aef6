import { trimEnd } from '../../../core/model/text.ts';
import { visiblePieces } from '../ui/visible.ts';

/** Type of a file by its bytes. Neither its name nor its media type is trusted. */
export type MadeFile =
  | { readonly kind: 'text'; readonly bytes: Bytes; readonly text: string }
  | { readonly kind: 'image'; readonly bytes: Bytes; readonly type: string }
  | { readonly kind: 'other'; readonly bytes: Bytes };

type Bytes = Uint8Array<ArrayBuffer>;

/**
 * First bytes of images that browsers draw without running anything: SVG is not among them. Each byte is a character.
 */
const images: readonly (readonly [type: string, start: string, at8?: string])[] = [
  ['image/png', '\x89PNG\r\n\x1a\n'],
  ['image/jpeg', '\xff\xd8\xff'],
  ['image/gif', 'GIF8'],
  ['image/webp', 'RIFF', 'WEBP'],
];

/** Reads the bytes of a part, which are base64 of either alphabet. Throws for other text. */
export function madeFile(raw: string): MadeFile {
  const binary = atob(raw.replaceAll('-', '+').replaceAll('_', '/'));
  const bytes = Uint8Array.from(binary, (character) => character.charCodeAt(0));
  const [type] = images.find(([, start, at8 = '']) => binary.startsWith(start) && binary.startsWith(at8, 8)) ?? [];
  if (type) return { kind: 'image', bytes, type };
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return text.includes('\0') ? { kind: 'other', bytes } : { kind: 'text', bytes, text };
  } catch {
    return { kind: 'other', bytes };
  }
}

/** Endings of files that are opened by a program which runs no part of them. */
const harmless =
  /^(avif|bmp|csv|docx|eml|flac|gif|gz|jpe?g|json|jsonl|log|md|mp[34]|od[pst]|ogg|parquet|pdf|png|pptx|tar|tiff?|toml|tsv|txt|wav|webm|webp|xlsx|xml|ya?ml|zip)$/i;

/**
 * Returns the name under which a file is saved: one that contains no folder, hides nothing, and has a single ending
 * that no system runs. `invoice.pdf.exe` becomes `invoice_pdf_exe.bin`.
 */
export function safeName(name: string, isText: boolean): string {
  const base = name.slice(0, 1_000).split(/[\\/]/).at(-1) ?? '';
  const visible = visiblePieces(base).map((piece) => ('text' in piece ? piece.text : '_'));
  const words = visible
    .join('')
    .replace(/[^\p{L}\p{N}. -]+/gu, '_')
    .split('.');
  const ending = words.length > 1 && harmless.test(words.at(-1) ?? '') ? words.pop() : isText ? 'txt' : 'bin';
  const stem = trimEnd(words.join('_').replace(/^[ _-]+/, ''), ' _').slice(0, 80) || 'file';
  // Names of devices, which Windows does not accept for files.
  return `${/^(con|prn|aux|nul|com\d|lpt\d)$/i.test(stem) ? `${stem}_` : stem}.${ending}`;
}
