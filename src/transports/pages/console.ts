import type { IncomingMessage, ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { A2AError } from '../../core/model/errors.ts';
import { accepts, isPath, type PageHandler, send, sendDocument, sendEmpty, sendError } from '../http/headers.ts';

export interface ConsoleFile {
  readonly body: Buffer;
  readonly mediaType: string;
  readonly etag: string;
  /** Compressed with brotli. Absent: it would not be smaller. */
  readonly brotli?: Buffer;
  /** Whether the content never changes under this name. */
  readonly immutable: boolean;
}

export interface ConsolePageOptions {
  /** The files by their paths below `/console/`; undefined if the console was not built. */
  readonly files: () => ReadonlyMap<string, ConsoleFile> | undefined;
  /** Settings that the console needs before it has credentials. Not secret. */
  readonly settings: (files: ReadonlyMap<string, ConsoleFile>) => object;
}

/** The path below the gateway's mount point. */
const root = '/console';

/**
 * Scripts and styles come only from files of the console, and it connects only to the gateway. No text becomes a script or
 * markup: that requires a policy of Trusted Types, and the only policy passes URLs of the console's own workers. Images from
 * agents are drawn from bytes in the page (`blob:`), which only the console's own scripts can address.
 */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "worker-src 'self'",
  "style-src 'self'",
  "img-src 'self' blob:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  'trusted-types default',
].join('; ');

/** The headers of every answer about the console. */
export const consoleSecurity: readonly string[] = [
  ...['Content-Security-Policy', policy],
  ...['X-Content-Type-Options', 'nosniff'],
  ...['Referrer-Policy', 'no-referrer'],
  ...['Cross-Origin-Opener-Policy', 'same-origin', 'Cross-Origin-Resource-Policy', 'same-origin'],
];

const notBuilt = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>a2a-gateway console</title>
<h1>The console is not built</h1>
<p>In a checkout of the sources, run <code>npm run console</code>, and then start the gateway again.</p>
</html>
`;

/** Serves the console at `/console/`. Its files are public, because they contain no data of this gateway. */
export function createConsolePage({ files, settings }: ConsolePageOptions): PageHandler {
  function serve(req: IncomingMessage, res: ServerResponse, path: string): void {
    const headers = [...consoleSecurity];
    const all = files();
    if (!all) {
      send(res, 503, [...headers, 'Cache-Control', 'no-store'], 'text/html; charset=utf-8', notBuilt);
      return;
    }
    if (path === 'settings.json') {
      headers.push('Cache-Control', 'no-store');
      send(res, 200, headers, 'application/json', JSON.stringify(settings(all)));
      return;
    }
    const file = all.get(path === '' ? 'index.html' : path);
    if (!file) {
      send(res, 404, [...headers, 'Cache-Control', 'no-store'], 'text/plain; charset=utf-8', 'Not found\n');
      return;
    }
    const { mediaType, etag, immutable, brotli } = file;
    headers.push('Cache-Control', immutable ? 'public, max-age=31536000, immutable' : 'no-cache');
    headers.push('Vary', 'Accept-Encoding');
    // If brotli does not make a file smaller, gzip does not either.
    const coding = brotli === undefined ? undefined : (['br', 'gzip'] as const).find((one) => accepts(req, one));
    if (coding) headers.push('Content-Encoding', coding);
    const body = coding === 'br' ? brotli : coding === 'gzip' ? gzipOf(file) : undefined;
    const tag = coding ? etag.replace(/"$/, `-${coding}"`) : etag;
    sendDocument(req, res, { body: body ?? file.body, mediaType, etag: tag }, headers);
  }

  return (req, res) => {
    const { url = '', method } = req;
    const isRoot = isPath(req, root);
    if (!isRoot && !url.startsWith(`${root}/`)) return false;
    if (method !== 'GET' && method !== 'HEAD') {
      res.setHeader('Allow', 'GET, HEAD');
      sendError(res, new A2AError('verbNotAllowed'), consoleSecurity);
    } else if (isRoot) {
      // A relative URL, which is correct below any mount point.
      sendEmpty(res, 308, [...consoleSecurity, 'Location', './console/', 'Cache-Control', 'no-cache']);
    } else {
      serve(req, res, url.slice(root.length + 1).split('?', 1)[0] ?? '');
    }
    return true;
  };
}

const gzipped = new WeakMap<ConsoleFile, Buffer>();

/** A file as gzip. Without TLS, browsers accept gzip but not brotli. It is compressed once, with the first request for it. */
function gzipOf(file: ConsoleFile): Buffer {
  const body = gzipped.get(file) ?? gzipSync(file.body);
  gzipped.set(file, body);
  return body;
}
