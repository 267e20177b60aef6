import { createPrivateKey, type KeyObject } from 'node:crypto';
import { A2AError } from '../../core/model/errors.ts';
import { fileBytes } from '../read-file.ts';

/** Signature algorithms by the names of curves. */
const ofCurves: Readonly<Record<string, string>> = { prime256v1: 'ES256', secp384r1: 'ES384', secp521r1: 'ES512' };

/** The algorithm that a key signs JWTs with (RFC 7518 section 3.1, RFC 8037). */
export function algorithmOf({ asymmetricKeyType: type, asymmetricKeyDetails }: KeyObject): string | undefined {
  if (type === 'ec') return ofCurves[asymmetricKeyDetails?.namedCurve ?? ''];
  return type === 'rsa' ? 'RS256' : type === 'ed25519' ? 'EdDSA' : undefined;
}

/** Reads a private key in PEM that signs JWTs. Rejects with A2AError `unavailable` that names the file. */
export async function readSigningKey(path: string): Promise<{ readonly key: KeyObject; readonly algorithm: string }> {
  const unusable = (cause: NodeJS.ErrnoException): never => {
    throw new A2AError('unavailable', `cannot read a private key from ${path} (${cause.code ?? 'unknown'})`, { cause });
  };
  const key = await fileBytes(path).then(createPrivateKey).catch(unusable);
  const algorithm = algorithmOf(key);
  if (algorithm) return { key, algorithm };
  throw new A2AError('unavailable', `the private key in ${path} is not of RSA, EC or Ed25519`);
}
