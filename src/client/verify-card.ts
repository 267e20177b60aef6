import type { FlattenedJWSInput, JSONWebKeySet, JWK, LocalJWKSet } from 'jose';
import { A2AError } from '../core/model/errors.ts';
import { isObject } from '../core/model/json.ts';
import { distinct, sizeOf } from '../dialects/kernel/card-signing.ts';
import type { Dialect } from '../dialects/kernel/dialect.ts';
import { type KeyPlace, type PublicKeys, readPublicKeys } from '../net/public-keys.ts';

/** A card that is not signed by whom it must be signed by. The message says which, and why not. */
export class UntrustedCard extends A2AError {
  constructor(why: string) {
    super('invalidAgentResponse', why);
  }
}

/** What a good signature says. */
export interface VerifiedCard {
  /** The card without what the signature says nothing about, and without signatures. */
  readonly document: object;
  readonly kid: string;
  readonly alg: string;
}

/** A signature of a card, as it says of itself. */
export interface SignatureInfo {
  readonly kid: string | undefined;
  readonly alg: string | undefined;
}

/** Signatures that are looked at; a card has one for each key and each form. */
const mostSignatures = 20;

/** Asymmetric ones: whoever can verify must not be able to sign. */
const algorithms = [
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
  'PS256',
  'PS384',
  'PS512',
  'RS256',
  'RS384',
  'RS512',
];

const signaturesOf = (document: unknown): readonly unknown[] => {
  const { signatures } = isObject(document) ? document : {};
  return Array.isArray(signatures) ? signatures : [];
};

/** The signatures that a card bears, good or not. */
export const signaturesOfCard = (document: unknown): SignatureInfo[] =>
  signaturesOf(document).map((signature) => {
    const { kid, alg } = headerOf(signature) ?? {};
    return { kid: textOf(kid), alg: textOf(alg) };
  });

/**
 * Verifies a card (A2A 1.0 section 8.4.3): one of its signatures must have been made by one of these keys, over a form of
 * the card that one of the dialects knows. Keys are chosen by `kid` from these alone: what a signature says of where keys
 * are (`jku`, `x5u`), or brings along (`jwk`, `x5c`), counts for nothing.
 *
 * Rejects with UntrustedCard.
 *
 * @param where the card is from, for the error: `the agent card at https://…`
 */
export async function verifyCard(
  document: unknown,
  { keys }: PublicKeys,
  dialects: readonly Dialect[],
  where: string,
): Promise<VerifiedCard> {
  const signatures = signaturesOf(document);
  if (!isObject(document) || signatures.length === 0) throw new UntrustedCard(`${where} is not signed`);
  const forms = distinct(dialects.flatMap(({ card }) => card.signing?.forms(document) ?? [])).sort(
    (one, other) => sizeOf(other.vouched) - sizeOf(one.vouched),
  );
  const { createLocalJWKSet } = await import('jose');
  const current = keys.filter(isCurrent) as readonly JWK[];
  const local = createLocalJWKSet({ keys: [...current] } satisfies JSONWebKeySet);
  const reasons = new Set<string>();
  const candidates: Candidate[] = [];
  for (const signature of signatures.slice(0, mostSignatures)) {
    const candidate = candidateOf(signature);
    if (typeof candidate === 'string') reasons.add(candidate);
    else candidates.push(candidate);
  }
  // What is vouched for most of comes first: a card may bear signatures that see less of it.
  for (const { payload, vouched } of forms) {
    for (const candidate of candidates) {
      const why = await tried(candidate, payload, local);
      if (why === undefined) return { document: vouched, kid: candidate.kid, alg: candidate.alg };
      reasons.add(why);
    }
  }
  throw new UntrustedCard(`${where} has no good signature: ${[...reasons].slice(0, 3).join('; ')}`);
}

/** A signature that is worth verifying. */
interface Candidate {
  readonly jws: Omit<FlattenedJWSInput, 'payload'>;
  readonly kid: string;
  readonly alg: string;
}

/** Or why it is not. */
function candidateOf(signature: unknown): Candidate | string {
  const header = headerOf(signature);
  if (!header) return 'its header cannot be read';
  const refusal = refusalOf(header);
  if (refusal !== undefined) return refusal;
  const { protected: encoded, signature: value, header: open } = signature as Record<string, unknown>;
  return {
    jws: {
      protected: String(encoded),
      signature: typeof value === 'string' ? value : '',
      ...(isObject(open) && { header: open }),
    },
    kid: String(header.kid),
    alg: String(header.alg),
  };
}

/** Undefined when the signature is good; otherwise why not. */
async function tried({ jws, kid }: Candidate, payload: string, keys: LocalJWKSet): Promise<string | undefined> {
  const { flattenedVerify, errors } = await import('jose');
  const called = JSON.stringify(kid.slice(0, 64));
  const mismatch = `the signature is not of this card (key ${called})`;
  const whole = { ...jws, payload: Buffer.from(payload).toString('base64url') };
  const options = { algorithms };
  try {
    await flattenedVerify(whole, keys, options);
    return undefined;
  } catch (thrown) {
    if (thrown instanceof errors.JWSSignatureVerificationFailed) return mismatch;
    if (thrown instanceof errors.JWKSNoMatchingKey) return `none of the trusted keys is ${called}`;
    if (!(thrown instanceof errors.JWKSMultipleMatchingKeys)) {
      return thrown instanceof errors.JOSEError ? `a signature is not valid (${thrown.code})` : 'a key cannot be used';
    }
    for await (const key of thrown) {
      if (await flattenedVerify(whole, key, options).then(Boolean, () => false)) return undefined;
    }
    return mismatch;
  }
}

/** The protected header; undefined for what is none. */
function headerOf(signature: unknown): Readonly<Record<string, unknown>> | undefined {
  const { protected: encoded } = isObject(signature) ? signature : {};
  if (typeof encoded !== 'string' || !/^[\w-]+$/.test(encoded)) return undefined;
  try {
    const header: unknown = JSON.parse(Buffer.from(encoded, 'base64url').toString('utf8'));
    return isObject(header) ? header : undefined;
  } catch {
    return undefined;
  }
}

/** Why a signature with this header is not worth verifying. */
function refusalOf({ alg, kid, crit, exp, nbf }: Readonly<Record<string, unknown>>): string | undefined {
  if (typeof alg !== 'string' || !algorithms.includes(alg)) return 'its algorithm is not one that is trusted';
  if (typeof kid !== 'string' || kid === '') return 'it does not name its key';
  // Extensions that must be understood, of which there is none (RFC 7515 section 4.1.11).
  if (crit !== undefined) return 'it asks for extensions that are not known here';
  return isNow(exp, nbf) ? undefined : 'it has expired, or is not valid yet';
}

/** Keys out of date are not used (section 8.4.3). A key set has no such members by itself; OpenID Federation has these. */
const isCurrent = ({ exp, nbf, revoked }: Readonly<Record<string, unknown>>): boolean =>
  revoked === undefined && isNow(exp, nbf);

function isNow(exp: unknown, nbf: unknown): boolean {
  const now = Date.now() / 1000;
  return (exp === undefined || (typeof exp === 'number' && exp > now)) && (typeof nbf !== 'number' || nbf <= now);
}

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

/** Judges the cards of an agent by their signatures. */
export interface CardTrust {
  /** Whether a card without signatures is refused. */
  readonly required: boolean;
  /**
   * What of a card is vouched for: nothing else of it may be used. Rejects with UntrustedCard, or with A2AError
   * `unavailable` where the keys cannot be had.
   *
   * @param where the card is from, for the error: `the agent card at https://…`
   */
  judge(document: unknown, where: string, signal: AbortSignal): Promise<unknown>;
}

export interface CardTrustOptions {
  readonly keys: KeyPlace;
  /** Whether a card without signatures is refused. One that has signatures must have a good one in any case. */
  readonly required: boolean;
  /** The generations whose cards are read. */
  readonly dialects: readonly Dialect[];
  /** Called when a card is refused, unless it was refused for the same reason before. */
  readonly onRefused?: (reason: string) => void;
}

/** Milliseconds for which keys are not read again: a card may be looked for in several places. */
const rest = 10_000;

/** Judges by keys that are read anew whenever a card is, so that keys can come and go. */
export function createCardTrust({ keys: place, required, dialects, onRefused }: CardTrustOptions): CardTrust {
  let reading: Promise<PublicKeys> | undefined;
  let readAt = Number.NEGATIVE_INFINITY;
  let refused: string | undefined;

  const keys = (signal: AbortSignal): Promise<PublicKeys> => {
    if (reading && Date.now() - readAt < rest) return reading;
    readAt = Date.now();
    reading = readPublicKeys(place, signal);
    return reading;
  };

  return {
    required,
    async judge(document, where, signal) {
      const isSigned = signaturesOfCard(document).length > 0;
      if (!isSigned && !required) return document;
      try {
        const trusted = isSigned ? await keys(signal) : { keys: [] };
        const { document: vouched } = await verifyCard(document, trusted, dialects, where);
        refused = undefined;
        return vouched;
      } catch (thrown) {
        if (thrown instanceof UntrustedCard && thrown.message !== refused) {
          refused = thrown.message;
          onRefused?.(refused);
        }
        throw thrown;
      }
    },
  };
}
