import type { JWTPayload, JWTVerifyGetKey, jwtVerify } from 'jose';
import { A2AError } from '../core/model/errors.ts';
import type { Credential, Principal } from '../core/model/principal.ts';
import { narrowed, principalIds, principalOf, type VerifiedCredential } from './principals.ts';
import type { JwtSettings } from './settings.ts';

/** Milliseconds that a token is believed without its signature being verified again, so that a withdrawn key is noticed. */
const trust = 10 * 60_000;
/** Characters of a subject, which tasks are kept under. */
const maxSubject = 256;

export interface JwtVerifierOptions {
  readonly settings: JwtSettings;
  /** That of jose. */
  readonly verify: typeof jwtVerify;
  readonly keys: JWTVerifyGetKey;
}

/**
 * Verifies tokens of an identity provider: signature by a key of its set and an allowed algorithm, issuer, audience,
 * expiry (which must be there), not-before, subject. Rejects with A2AError `unauthenticated`, whose cause says why, and
 * with `unavailable` while there are no keys.
 */
export function createJwtVerifier({
  settings,
  verify,
  keys,
}: JwtVerifierOptions): (token: string) => Promise<VerifiedCredential> {
  const { issuer, audience, algorithms, clockTolerance, scopeClaims, typ } = settings;
  const holderOf = jwtHolders(settings);
  const rules = rulesOf(settings);
  const options = {
    issuer,
    audience: [...audience],
    algorithms: [...algorithms],
    clockTolerance: clockTolerance / 1_000,
    requiredClaims: ['exp', 'sub'],
    ...(typ !== undefined && { typ }),
  };
  return async (token) => {
    if (!isCanonical(token)) throw refused('the signature is not base64url as it is written');
    const { payload } = await verify(token, keys, options).catch((thrown: unknown) => {
      throw thrown instanceof A2AError ? thrown : refused(thrown);
    });
    const { sub, exp = 0 } = payload;
    if (typeof sub !== 'string' || !isSubject(sub)) throw refused('no usable subject');
    const boundTo = boundCertificate(payload);
    const credential: JwtCredential = { kind: 'jwt', rules, scopes: scopesOf(payload, scopeClaims) };
    const principal = holderOf(principalIds.token(issuer, sub), credential);
    const until = exp * 1_000 + clockTolerance;
    return {
      principal: { ...(principal as Principal), until },
      until: Math.min(until, Date.now() + trust),
      ...(boundTo !== undefined && { boundTo }),
    };
  };
}

/** Whether a token's signature is spelled in the one way that RFC 7515 has: otherwise one token could be many. */
function isCanonical(token: string): boolean {
  const signature = token.slice(token.lastIndexOf('.') + 1);
  return Buffer.from(signature, 'base64url').toString('base64url') === signature;
}

/** What is known of a token of an identity provider that was verified. */
export type JwtCredential = Extract<Credential, { kind: 'jwt' }>;

/** Everything that a token is held against, in one text. */
const rulesOf = ({ agents: _, scopes: __, ...rules }: JwtSettings): string => JSON.stringify(rules);

/** Says who a caller is by now whose token was verified before; undefined where it would have to be verified otherwise. */
export function jwtHolders(settings: JwtSettings): (id: string, credential: JwtCredential) => Principal | undefined {
  const rules = rulesOf(settings);
  const { agents } = settings;
  return (id, credential) => {
    if (credential.rules !== rules) return undefined;
    return { ...principalOf(id, { agents, scopes: narrowed(settings.scopes, credential.scopes) }), credential };
  };
}

/** What tasks can be kept under: half a character could be taken for another half, and nobody sees what controls. */
const isSubject = (sub: string): boolean =>
  sub !== '' && sub.length <= maxSubject && sub.isWellFormed() && !/\p{Cc}/u.test(sub);

/** Scopes of the first claim that is there: words separated by spaces, or a list. Undefined where there is none. */
function scopesOf(payload: JWTPayload, claims: readonly string[]): readonly string[] | undefined {
  const name = claims.find((claim) => Object.hasOwn(payload, claim));
  if (name === undefined) return undefined;
  const value = payload[name];
  const words = typeof value === 'string' ? value.split(' ') : Array.isArray(value) ? value : [];
  return words.filter((word): word is string => typeof word === 'string' && word !== '');
}

/** A token that is bound to a key is no good in other hands; only one way to show the key is known here. */
function boundCertificate({ cnf }: JWTPayload): string | undefined {
  if (cnf === undefined) return undefined;
  const thumbprint = (cnf as Record<string, unknown> | null)?.['x5t#S256'];
  if (typeof thumbprint !== 'string') throw refused('bound to a key that cannot be shown here (cnf)');
  return thumbprint;
}

/** Codes of jose by which a caller is told more than that the token is no good. */
const told: Readonly<Record<string, string>> = { ERR_JWT_EXPIRED: 'The access token has expired' };

function refused(thrown: unknown): A2AError {
  const { code = '', message } = thrown instanceof Error ? (thrown as Error & { code?: string }) : {};
  const cause = message ?? String(thrown);
  return new A2AError('unauthenticated', told[code] ?? 'The access token is not valid', { cause });
}
