import { type Cors, withCors } from '../http/cors.ts';
import { etagOf, isPath, type PageHandler, sendDocument } from '../http/headers.ts';

/** Path of the public keys that verify the signatures of cards. */
export const keySetPath = '/.well-known/jwks.json';

/** Seconds that clients may cache the keys. A new key should be published this long before it is used to sign. */
const maxAge = 300;

/** Serves public keys as a JWK set (RFC 7517 section 5) to all clients. */
export function createKeySet(keySet: object, cors: () => Cors): PageHandler {
  const body = Buffer.from(JSON.stringify(keySet));
  const etag = etagOf(body);
  const modified = Math.floor(Date.now() / 1000) * 1000;
  return (req, res) =>
    isPath(req, keySetPath) &&
    withCors(cors(), req, res, () => {
      const headers = ['Cache-Control', `max-age=${maxAge}`];
      sendDocument(req, res, { body, mediaType: 'application/jwk-set+json', etag, modified }, headers);
    });
}
