import { generateKeyPairSync, sign } from 'node:crypto';
import { createServer } from 'node:http';
import { listenOn } from './peer.ts';

/** An identity provider on loopback: its public key, and tokens put together by hand, good and bad ones alike. */
export interface IdentityProvider {
  readonly issuer: string;
  readonly jwksUrl: string;
  /**
   * A token for the audience `a2a` that is good for a minute.
   *
   * @param claims what is claimed besides, or instead
   */
  token(sub: string, claims?: Readonly<Record<string, unknown>>): string;
  close(): Promise<void>;
}

const encoded = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

export async function startIdentityProvider(): Promise<IdentityProvider> {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const keys = [{ ...publicKey.export({ format: 'jwk' }), kid: 'one', alg: 'ES256' }];
  const server = createServer((_, res) => {
    res.setHeader('content-type', 'application/json');
    res.end(JSON.stringify({ keys }));
  });
  const { origin: issuer, close } = await listenOn(server);
  return {
    issuer,
    jwksUrl: `${issuer}/jwks.json`,
    token(sub, claims = {}) {
      const now = Math.floor(Date.now() / 1_000);
      const payload = { iss: issuer, aud: 'a2a', sub, iat: now, exp: now + 60, ...claims };
      const text = `${encoded({ alg: 'ES256', kid: 'one' })}.${encoded(payload)}`;
      const signature = sign('sha256', Buffer.from(text), { key: privateKey, dsaEncoding: 'ieee-p1363' });
      return `${text}.${signature.toString('base64url')}`;
    },
    close,
  };
}
