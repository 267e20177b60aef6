import { createPrivateKey, createPublicKey, hash, type JsonWebKey, type KeyObject, sign } from 'node:crypto';
import type { JWK } from 'jose';
import type { AgentCardSignature } from '../../core/model/a2a.ts';
import { A2AError } from '../../core/model/errors.ts';
import { distinct } from '../../dialects/kernel/card-signing.ts';
import type { CardShape } from '../../dialects/kernel/dialect.ts';
import type { SigningConfig, SigningKeyConfig } from '../../gen/settings.ts';
import { algorithmOf } from '../../net/credentials/signing-key.ts';
import { readFileText } from '../../net/read-file.ts';
import { keySetPath } from '../../transports/pages/key-set.ts';

export type CardSigner = Awaited<ReturnType<typeof createCardSigner>>;

/** Largest number of documents whose signatures are cached. */
const maxCached = 1_000;

/**
 * Reads the keys of the configuration. Each document is signed once: most signatures differ each time, and an unchanged card must
 * stay the same for caches.
 *
 * Rejects with A2AError `internal` if a key cannot be used.
 *
 * @param publicUrl URL in cards, if it is known. Signatures refer to the keys at this URL (`jku`)
 */
export async function createCardSigner(signing: SigningConfig, publicUrl: () => string | undefined) {
  const own = await loadCardKey(signing);
  const previous = await Promise.all(signing.previous.map(loadCardKey));
  const cache = new Map<string, AgentCardSignature[]>();
  return {
    /** The public keys of all current and former signing keys. */
    keySet: { keys: [own, ...previous].map(({ publicJwk }) => publicJwk) },
    /** The signatures of a document: one for each form that readers of these shapes may verify. */
    signatures(document: object, readers: readonly CardShape[]): AgentCardSignature[] {
      const base = publicUrl();
      const header = headerOf(own, base === undefined ? undefined : base + keySetPath);
      const kinds = readers.map(({ protocolVersion }) => protocolVersion).join();
      const version = hash('sha256', `${header} ${kinds} ${JSON.stringify(document)}`, 'base64url');
      const known = cache.get(version);
      if (known) return known;
      const forms = distinct(readers.flatMap(({ signing: how }) => how?.forms(document) ?? []));
      const made = forms.map(({ payload }) => signatureOf(payload, header, own));
      if (cache.size >= maxCached) cache.clear();
      cache.set(version, made);
      return made;
    },
  };
}

/** The protected header (A2A 1.0 section 8.4.2), encoded. */
function headerOf({ alg, kid }: CardKey, jku: string | undefined): string {
  return base64url(JSON.stringify({ alg, typ: 'JOSE', kid, ...(jku !== undefined && { jku }) }));
}

/** Signature of RFC 7515 section 7.2, without the payload, which is the card. */
function signatureOf(payload: string, header: string, { hash: hashName, privateKey }: CardKey): AgentCardSignature {
  const input = Buffer.from(`${header}.${base64url(payload)}`);
  const signature = sign(hashName, input, { key: privateKey, dsaEncoding: 'ieee-p1363' });
  return { protected: header, signature: signature.toString('base64url') };
}

const base64url = (text: string): string => Buffer.from(text).toString('base64url');

interface CardKey {
  readonly kid: string;
  /** Name of the algorithm in the header of a signature (RFC 7518 section 3.1, RFC 8037 section 3.1). */
  readonly alg: string;
  readonly privateKey: KeyObject;
  /** Name of the hash; undefined if the algorithm includes one. */
  readonly hash: string | undefined;
  /** The public key as in a key set (RFC 7517). */
  readonly publicJwk: JsonWebKey & { readonly kid: string; readonly alg: string; readonly use: 'sig' };
}

/** Hashes by algorithm. EdDSA includes its own. */
const hashes: Readonly<Record<string, string>> = { ES256: 'sha256', ES384: 'sha384', ES512: 'sha512', RS256: 'sha256' };

/** Bits of the smallest RSA key (RFC 7518 section 3.3). */
const leastBits = 2048;

const supportedKeys = 'an EC key (P-256, P-384 or P-521), an Ed25519 key, or an RSA key of at least 2048 bits';

/**
 * Reads a private key from a PEM or JWK file. If neither the configuration nor the file names an id, the id is the key's
 * thumbprint (RFC 7638).
 *
 * Rejects with A2AError `internal` that names the file and the problem, without quoting the file.
 */
async function loadCardKey({ key: path, kid: named }: SigningKeyConfig): Promise<CardKey> {
  const { privateKey, kid: own } = parsed(await content(path), path);
  const alg = algorithmOf(privateKey);
  const isShort = (privateKey.asymmetricKeyDetails?.modulusLength ?? leastBits) < leastBits;
  if (!alg || isShort) throw unusable(path, `is not ${supportedKeys}`);
  const jwk = createPublicKey(privateKey).export({ format: 'jwk' });
  const kid = named ?? own ?? (await thumbprint(jwk));
  return { alg, hash: hashes[alg], kid, privateKey, publicJwk: { ...jwk, kid, alg, use: 'sig' } };
}

async function content(path: string): Promise<string> {
  try {
    return readFileText(path);
  } catch (thrown) {
    throw unusable(path, `cannot be read (${(thrown as NodeJS.ErrnoException).code ?? 'unknown'})`);
  }
}

/** Parses a key. The original errors are dropped, because they may quote the file. */
function parsed(text: string, path: string): { privateKey: KeyObject; kid: string | undefined } {
  try {
    if (!text.trimStart().startsWith('{')) return { privateKey: createPrivateKey(text), kid: undefined };
    const jwk = JSON.parse(text) as JsonWebKey;
    const { kid } = jwk;
    return {
      privateKey: createPrivateKey({ key: jwk, format: 'jwk' }),
      kid: typeof kid === 'string' ? kid : undefined,
    };
  } catch {
    throw unusable(path, 'holds no private key in PEM (PKCS #8, without a password) or as a JWK');
  }
}

const unusable = (path: string, what: string): A2AError =>
  new A2AError('internal', `The key that signs cards, ${path}, ${what}`);

/** A hash of the members that define the key (RFC 7638). */
async function thumbprint(jwk: JsonWebKey): Promise<string> {
  const { calculateJwkThumbprint } = await import('jose');
  return calculateJwkThumbprint(jwk as JWK);
}
