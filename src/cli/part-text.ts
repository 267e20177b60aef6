import type { Part } from '../client/index.ts';

/** Bytes as people count them. */
function amount(bytes: number): string {
  if (bytes < 1024) return `${bytes} bytes`;
  const unit = bytes < 1024 ** 2 ? 'KiB' : 'MiB';
  return `${(bytes / (unit === 'KiB' ? 1024 : 1024 ** 2)).toFixed(1)} ${unit}`;
}

/** A part as text: its words, its data as JSON, or what file it is. */
export function partText({ text, data, url, raw, filename, mediaType }: Part): string {
  if (text !== undefined) return text;
  if (data !== undefined) return JSON.stringify(data, undefined, 2);
  const name = filename ?? 'file';
  const type = mediaType === undefined ? '' : `${mediaType}, `;
  if (url !== undefined) return `[${name}: ${type}${url}]`;
  return `[${name}: ${type}${amount(Buffer.byteLength(raw ?? '', 'base64'))}; --json shows it]`;
}
