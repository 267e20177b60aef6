import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type AgentCard, generateAgentCardSignature } from '@a2a-js/sdk';
import { FlattenedSign, type JWSHeaderParameters } from 'jose';
import { newFolder } from './folders.ts';

/** Keys that sign cards, and cards that others have signed. */

export interface TestKey {
  readonly kid: string;
  readonly alg: string;
  readonly privateKey: KeyObject;
  /** The form in a key set. */
  readonly jwk: Record<string, unknown>;
  /** PKCS #8 in PEM. */
  readonly pem: string;
}

const pairs: Readonly<Record<string, () => { privateKey: KeyObject; publicKey: KeyObject }>> = {
  ES256: () => generateKeyPairSync('ec', { namedCurve: 'P-256' }),
  ES384: () => generateKeyPairSync('ec', { namedCurve: 'P-384' }),
  EdDSA: () => generateKeyPairSync('ed25519'),
  RS256: () => generateKeyPairSync('rsa', { modulusLength: 2048 }),
  PS256: () => generateKeyPairSync('rsa', { modulusLength: 2048 }),
};

export function testKey(alg = 'ES256', kid = 'key-1'): TestKey {
  const pair = pairs[alg]?.();
  if (!pair) throw new TypeError(alg);
  const { privateKey, publicKey } = pair;
  return {
    kid,
    alg,
    privateKey,
    jwk: { ...publicKey.export({ format: 'jwk' }), kid },
    pem: String(privateKey.export({ format: 'pem', type: 'pkcs8' })),
  };
}

/** The card with one more signature, as the official SDK makes it. */
export async function signedBySdk<T extends object>(card: T, { alg, kid, privateKey }: TestKey): Promise<T> {
  const signer = generateAgentCardSignature(privateKey, { alg, kid, typ: 'JOSE' });
  const signed = await signer(card as unknown as AgentCard);
  return JSON.parse(JSON.stringify(signed));
}

/** A signature over a text, with any header. */
export async function signatureOver(
  payload: string,
  { privateKey, alg, kid }: TestKey,
  header: JWSHeaderParameters = {},
): Promise<{ protected: string; signature: string }> {
  const crit = header.crit ? Object.fromEntries(header.crit.map((name) => [name, true])) : {};
  const jws = await new FlattenedSign(Buffer.from(payload))
    .setProtectedHeader({ alg, kid, typ: 'JOSE', ...header })
    .sign(privateKey, { crit });
  return { protected: jws.protected ?? '', signature: jws.signature };
}

/** A folder for a test's files, gone after it. */
export function testFolder(): { write(name: string, content: string): string } {
  const folder = newFolder();
  return {
    write(name, content) {
      const path = join(folder, name);
      writeFileSync(path, content);
      return path;
    },
  };
}
