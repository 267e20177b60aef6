import { readFile } from 'node:fs/promises';
import { extname } from 'node:path';
import { UsageError } from './exit-code.ts';

/**
 * Reads a file that is named on the command line.
 *
 * @param flag beginning of the error message, such as `--file: `
 * @throws UsageError if the file cannot be read
 */
export async function readInput(path: string, flag = ''): Promise<Buffer> {
  try {
    return await readFile(path);
  } catch (thrown) {
    const { code } = thrown as NodeJS.ErrnoException;
    throw new UsageError(`${flag}cannot read ${path} (${code === 'ENOENT' ? 'no such file' : code})`);
  }
}

/**
 * Reads JSON that is given on the command line.
 *
 * @param flag beginning of the error message, such as `--data: `
 * @param example an example of JSON, for the error message
 * @throws UsageError if it is not valid JSON
 */
export function jsonInput(
  text: string,
  flag: string,
  example: string,
  parse: (text: string) => unknown = JSON.parse,
): unknown {
  try {
    return parse(text);
  } catch (thrown) {
    throw new UsageError(`${flag}expected JSON, such as '${example}' (${(thrown as Error).message})`);
  }
}

/** Media types by extension. */
const byExtension: Readonly<Record<string, string>> = {
  '.csv': 'text/csv',
  '.gif': 'image/gif',
  '.html': 'text/html',
  '.jpeg': 'image/jpeg',
  '.jpg': 'image/jpeg',
  '.json': 'application/json',
  '.md': 'text/markdown',
  '.mp3': 'audio/mpeg',
  '.mp4': 'video/mp4',
  '.pdf': 'application/pdf',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain',
  '.wav': 'audio/wav',
  '.webp': 'image/webp',
  '.xml': 'application/xml',
  '.yaml': 'application/yaml',
  '.yml': 'application/yaml',
  '.zip': 'application/zip',
};

/** Returns the file extension for a media type, '' for an unknown type. */
export const extensionOf = (mediaType = ''): string =>
  Object.entries(byExtension).findLast(([, type]) => type === mediaType.split(';', 1)[0])?.[0] ?? '';

export const mediaTypeOf = (path: string): string =>
  byExtension[extname(path).toLowerCase()] ?? 'application/octet-stream';
