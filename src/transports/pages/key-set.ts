import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Cors } from '../http/cors.ts';
import { etagOf, isPath, sendDocument } from '../http/headers.ts';

/** Path of the public keys that verify the signatures of cards. */
export const keySetPath = '/.well-known/jwks.json';

/** Seconds that clients may cache the keys. A new key should be published this long before it is used to sign. */
const maxAge = 300;

/**
 * Serves public keys as a JWK set (RFC 7517 section 5) to everybody. The returned function is false for any other request,
 * which it leaves untouched.
 */
export function createKeySet(keySet: object, cors: Cors): (req: IncomingMessage, res: ServerResponse) => boolean {
  const body = Buffer.from(JSON.stringify(keySet));
  const etag = etagOf(body);
  const modified = Math.floor(Date.now() / 1000) * 1000;
  return (req, res) => {
    if (!isPath(req, keySetPath)) return false;
    const { method } = req;
    if (method !== 'GET' && method !== 'HEAD' && method !== 'OPTIONS') return false;
    cors.apply(req, res);
    if (method === 'OPTIONS') cors.options(req, res, ['GET', 'HEAD']);
    else {
      const headers = ['Cache-Control', `max-age=${maxAge}`];
      sendDocument(req, res, { body, mediaType: 'application/jwk-set+json', etag, modified }, headers);
    }
    return true;
  };
}
