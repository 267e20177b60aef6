import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Cors } from '../http/cors.ts';
import { isUnchanged, sendEmpty } from '../http/headers.ts';

/** Where the public keys are found with which signatures of cards are verified. */
export const keySetPath = '/.well-known/jwks.json';

/** Seconds for which clients may keep the keys: so long before one signs, a new key should be there. */
const maxAge = 300;

/**
 * Serves public keys as a JWK set (RFC 7517 section 5), to everybody. The function that it returns answers a request for
 * them; it is false for any other, untouched.
 */
export function createKeySet(keySet: object, cors: Cors): (req: IncomingMessage, res: ServerResponse) => boolean {
  const body = Buffer.from(JSON.stringify(keySet));
  const etag = `"${createHash('sha256').update(body).digest('base64url').slice(0, 27)}"`;
  const since = Math.floor(Date.now() / 1000) * 1000;
  return (req, res) => {
    const { url = '', method = '' } = req;
    if (!url.startsWith(keySetPath) || url.split('?', 1)[0] !== keySetPath) return false;
    cors.apply(req, res);
    if (method === 'OPTIONS') {
      cors.options(req, res, ['GET', 'HEAD']);
      return true;
    }
    if (method !== 'GET' && method !== 'HEAD') return false;
    const headers = ['ETag', etag, 'Cache-Control', `max-age=${maxAge}`];
    if (isUnchanged(req, etag, since)) {
      sendEmpty(res, 304, headers);
      return true;
    }
    headers.push('Content-Type', 'application/jwk-set+json', 'Content-Length', String(body.length));
    res.writeHead(200, headers);
    res.end(method === 'HEAD' ? undefined : body);
    return true;
  };
}
