import { createPrivateKey, type KeyObject } from 'node:crypto';
import { A2AError } from '../../core/model/errors.ts';
import { fileBytes } from '../read-file.ts';

/** Signature algorithms by the name of the curve. */
const ofCurves: Readonly<Record<string, string>> = { prime256v1: 'ES256', secp384r1: 'ES384', secp521r1: 'ES512' };

/**
 * Returns the algorithm with which a key signs JWTs (RFC 7518 section 3.1, RFC 8037). Undefined for keys of other
 * types.
 */
export function algorithmOf({ asymmetricKeyType: type, asymmetricKeyDetails }: KeyObject): string | undefined {
  if (type === 'ec') return ofCurves[asymmetricKeyDetails?.namedCurve ?? ''];
  return type === 'rsa' ? 'RS256' : type === 'ed25519' ? 'EdDSA' : undefined;
}

/**
 * Reads a private key for signing JWTs from a PEM file. Rejects with A2AError `unavailable`, whose message names the
 * file.
 */
export async function readSigningKey(path: string): Promise<{ readonly key: KeyObject; readonly algorithm: string }> {
  const unusable = (cause: NodeJS.ErrnoException): never => {
    throw new A2AError('unavailable', `cannot read a private key from ${path} (${cause.code ?? 'unknown'})`, { cause });
  };
  const key = await fileBytes(path).then(createPrivateKey).catch(unusable);
  const algorithm = algorithmOf(key);
  if (algorithm) return { key, algorithm };
  throw new A2AError('unavailable', `the private key in ${path} is not an RSA, EC or Ed25519 key`);
}
