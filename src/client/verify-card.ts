import type { FlattenedJWSInput, JWK, LocalJWKSet } from 'jose';
import { A2AError } from '../core/model/errors.ts';
import { isObject } from '../core/model/json.ts';
import { steadyNow } from '../core/model/timing.ts';
import { distinct, signatureHeader, sizeOf } from '../dialects/kernel/card-signing.ts';
import type { Dialect } from '../dialects/kernel/dialect.ts';
import { type KeyPlace, type PublicKeys, readPublicKeys } from '../net/public-keys.ts';

/** Error for a card without a valid signature of a trusted key. The message gives the reason. */
export class UntrustedCard extends A2AError {
  constructor(why: string) {
    super('invalidAgentResponse', why);
  }
}

/** The result of a valid signature. */
export interface VerifiedCard {
  /** The signed part of the card, without signatures. */
  readonly document: object;
  readonly kid: string;
  readonly alg: string;
}

/** The key and algorithm that a signature claims. */
export interface SignatureInfo {
  readonly kid: string | undefined;
  readonly alg: string | undefined;
}

/** Maximum number of signatures that are verified. A card has one for each key and form. */
const maxSignatures = 20;

/** Accepted algorithms: only asymmetric ones, so that a verifier cannot sign. */
const algorithms = 'ES256 ES384 ES512 EdDSA Ed25519 PS256 PS384 PS512 RS256 RS384 RS512'.split(' ');

const signaturesOf = (document: unknown): readonly unknown[] => {
  const { signatures } = isObject(document) ? document : {};
  return Array.isArray(signatures) ? signatures : [];
};

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

/** The signatures of a card, valid or not. */
export const signaturesOfCard = (document: unknown): SignatureInfo[] =>
  signaturesOf(document).map((signature) => {
    const { kid, alg } = signatureHeader(signature) ?? {};
    return { kid: textOf(kid), alg: textOf(alg) };
  });

/**
 * Verifies a card (A2A 1.0 section 8.4.3): at least one of its signatures must be valid for one of the keys, over a
 * form of the card that one of the dialects defines. Keys are selected by `kid` from `keys` only. Key locations (`jku`,
 * `x5u`) and keys (`jwk`, `x5c`) in a signature are ignored.
 *
 * Rejects with UntrustedCard.
 *
 * @param where the card's origin, for the error: `the agent card at https://…`
 */
export async function verifyCard(
  document: unknown,
  { keys }: PublicKeys,
  dialects: readonly Dialect[],
  where: string,
): Promise<VerifiedCard> {
  const signatures = signaturesOf(document);
  if (!isObject(document) || signatures.length === 0) throw new UntrustedCard(`${where} is not signed`);
  // The form with the largest signed part comes first: a card may also have signatures over a smaller part.
  const forms = distinct(dialects.flatMap(({ card }) => card.signing?.forms(document) ?? [])).sort(
    (one, other) => sizeOf(other.vouched) - sizeOf(one.vouched),
  );
  const { createLocalJWKSet } = await import('jose');
  const trusted = createLocalJWKSet({ keys: keys.filter(isCurrent) as JWK[] });
  const candidates = signatures.slice(0, maxSignatures).map(candidateOf);
  const reasons = new Set(candidates.filter((candidate) => typeof candidate === 'string'));
  for (const { payload, vouched } of forms) {
    for (const candidate of candidates) {
      if (typeof candidate === 'string') continue;
      const why = await tried(candidate, payload, trusted);
      if (why === undefined) return { document: vouched, kid: candidate.kid, alg: candidate.alg };
      reasons.add(why);
    }
  }
  throw new UntrustedCard(`${where} has no valid signature: ${[...reasons].slice(0, 3).join('; ')}`);
}

/** A signature that is worth verifying. */
interface Candidate {
  readonly jws: Omit<FlattenedJWSInput, 'payload'>;
  readonly kid: string;
  readonly alg: string;
}

/** A candidate, or the reason why the signature is not worth verifying. */
function candidateOf(given: unknown): Candidate | string {
  const header = signatureHeader(given);
  if (!header) return 'its header cannot be read';
  const { alg, kid, crit, exp, nbf } = header;
  if (typeof alg !== 'string' || !algorithms.includes(alg)) return 'its algorithm is not allowed';
  if (typeof kid !== 'string' || kid === '') return 'it does not name its key';
  // No critical extension is supported (RFC 7515 section 4.1.11).
  if (crit !== undefined) return 'it requires extensions that are not supported';
  if (!isNow(exp, nbf)) return 'it has expired, or is not valid yet';
  const { protected: encoded, signature, header: open } = given as Record<string, unknown>;
  const jws = {
    protected: String(encoded),
    signature: textOf(signature) ?? '',
    ...(isObject(open) && { header: open }),
  };
  return { jws, kid, alg };
}

/** Returns undefined if the signature is valid, otherwise the reason why it is not. */
async function tried({ jws, kid }: Candidate, payload: string, keys: LocalJWKSet): Promise<string | undefined> {
  const { flattenedVerify, errors } = await import('jose');
  const keyName = JSON.stringify(kid.slice(0, 64));
  const mismatch = `the signature does not match this card (key ${keyName})`;
  const whole = { ...jws, payload: Buffer.from(payload).toString('base64url') };
  try {
    await flattenedVerify(whole, keys, { algorithms });
    return undefined;
  } catch (thrown) {
    if (thrown instanceof errors.JWSSignatureVerificationFailed) return mismatch;
    if (thrown instanceof errors.JWKSNoMatchingKey) return `none of the trusted keys is ${keyName}`;
    if (!(thrown instanceof errors.JWKSMultipleMatchingKeys)) {
      return thrown instanceof errors.JOSEError ? `a signature is not valid (${thrown.code})` : 'a key cannot be used';
    }
    for await (const key of thrown) {
      if (await flattenedVerify(whole, key, { algorithms }).then(Boolean, () => false)) return undefined;
    }
    return mismatch;
  }
}

/**
 * Whether a key is valid now and not revoked (section 8.4.3), according to the members that OpenID Federation adds to
 * key sets.
 */
const isCurrent = ({ exp, nbf, revoked }: Readonly<Record<string, unknown>>): boolean =>
  revoked === undefined && isNow(exp, nbf);

function isNow(exp: unknown, nbf: unknown): boolean {
  const now = Date.now() / 1000;
  return (exp === undefined || (typeof exp === 'number' && exp > now)) && (typeof nbf !== 'number' || nbf <= now);
}

/** Accepts or refuses the cards of an agent by their signatures. */
export interface CardTrust {
  /** Whether a card without signatures is refused. */
  readonly required: boolean;
  /** Whether signatures are verified. */
  readonly verifies: boolean;
  /**
   * Returns the signed part of a card, and nothing else in the card may be used. A card without signatures is returned
   * whole unless they are required. Rejects with UntrustedCard, or with A2AError `unavailable` if the keys cannot be
   * read.
   *
   * @param where the card's origin, for the error: `the agent card at https://…`
   */
  judge(document: unknown, where: string, signal: AbortSignal): Promise<unknown>;
}

export interface CardTrustOptions {
  readonly keys: KeyPlace;
  /** Whether a card without signatures is refused. A card with signatures must have a valid one in any case. */
  readonly required: boolean;
  readonly dialects: readonly Dialect[];
  /** Called when a card is refused, unless the last one was refused for the same reason. */
  readonly onRefused?: (reason: string) => void;
}

/** Milliseconds for which keys are cached, because a card may be requested at several URLs. */
const maxKeyAge = 10_000;

/** Creates a CardTrust that reads the keys again for each card, so that they can change. */
export function createCardTrust({ keys: place, required, dialects, onRefused }: CardTrustOptions): CardTrust {
  let reading: Promise<PublicKeys> | undefined;
  let readAt = Number.NEGATIVE_INFINITY;
  let refused: string | undefined;

  const keys = (signal: AbortSignal): Promise<PublicKeys> => {
    if (reading && steadyNow() - readAt < maxKeyAge) return reading;
    readAt = steadyNow();
    reading = readPublicKeys(place, signal);
    return reading;
  };

  return {
    required,
    verifies: true,
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
