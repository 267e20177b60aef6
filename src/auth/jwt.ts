import type { KeyObject } from 'node:crypto';
import type { JWTPayload, JWTVerifyGetKey, JWTVerifyOptions } from 'jose';
import { A2AError } from '../core/model/errors.ts';
import type { Credential, Principal } from '../core/model/principal.ts';
import type { JwtConfig } from '../gen/settings.ts';
import { inBoth, narrowed, principalIds, principalOf, type VerifiedCredential } from './principals.ts';

/** Milliseconds after which the signature of a known token is verified again, to detect withdrawn keys. */
const trust = 10 * 60_000;
/** Longest subject, in characters. Tasks are stored by subjects. */
const maxSubject = 256;

/** The claims of a verified token. */
type VerifiedPayload = JWTPayload & { readonly sub: string; readonly exp: number };

/**
 * Verifies a token with jose, which is loaded for the first token. The token must have an expiry and a subject.
 *
 * Rejects with A2AError `unauthenticated`, whose cause is for the audit log only, and with the A2AErrors of `key`.
 */
export async function verifyToken(
  token: string,
  key: KeyObject | JWTVerifyGetKey,
  options: JWTVerifyOptions,
): Promise<VerifiedPayload> {
  if (!isCanonical(token)) throw refusedToken('the signature is not canonical base64url');
  const { jwtVerify } = await import('jose');
  try {
    const required = { ...options, requiredClaims: ['exp', 'sub'] };
    const { payload } = await jwtVerify<VerifiedPayload>(token, key as JWTVerifyGetKey, required);
    return payload;
  } catch (thrown) {
    throw thrown instanceof A2AError ? thrown : refusedToken(thrown);
  }
}

/** Whether the signature is canonical base64url (RFC 7515). Otherwise one token could occupy many cache entries. */
function isCanonical(token: string): boolean {
  const signature = token.slice(token.lastIndexOf('.') + 1);
  return Buffer.from(signature, 'base64url').toString('base64url') === signature;
}

/** Creates the error for a refused token. `reason` is for the audit log only. */
export function refusedToken(reason: unknown): A2AError {
  const { code, message } = reason instanceof Error ? (reason as NodeJS.ErrnoException) : { message: String(reason) };
  const said = code === 'ERR_JWT_EXPIRED' ? 'The access token has expired' : 'The access token is not valid';
  return new A2AError('unauthenticated', said, { cause: message });
}

/** Claims with scopes: that of OAuth (RFC 8693 section 4.2), and that of two large providers. */
const scopeClaims = ['scope', 'scp'];

/**
 * Verifies tokens from an identity provider: signature by a key of its set and an allowed algorithm, issuer, audience,
 * expiry, not-before, subject. The audience must be a configured one, or a resource of this gateway (RFC 8707); in that
 * case the token is valid only for the agents of the resource. Rejects with A2AError `unauthenticated`, and with
 * `unavailable` while there are no keys.
 *
 * @param agentsOf returns the agents of a resource, or undefined for a resource of another server. Default: no resource
 *   is known
 */
export function createJwtVerifier(
  settings: JwtConfig,
  keys: JWTVerifyGetKey,
  agentsOf: (resource: string) => readonly string[] | 'all' | undefined = () => undefined,
): (token: string) => Promise<VerifiedCredential> {
  const { issuer, audience, algorithms, clockTolerance, scopeClaim, typ } = settings;
  const holderOf = jwtHolders(settings);
  const rules = rulesOf(settings);
  const options = {
    issuer,
    algorithms: [...algorithms],
    clockTolerance: clockTolerance / 1_000,
    ...(typ !== undefined && { typ }),
  };
  return async (token) => {
    const payload = await verifyToken(token, keys, options);
    const { sub, exp } = payload;
    const agents = audienceOf(payload, audience, agentsOf);
    if (!isSubject(sub)) throw refusedToken('no usable subject');
    const boundTo = boundCertificate(payload);
    const credential: JwtCredential = {
      kind: 'jwt',
      rules,
      scopes: scopesOf(payload, scopeClaim === undefined ? scopeClaims : [scopeClaim]),
      ...(agents !== 'all' && { agents }),
    };
    const principal = holderOf(principalIds.token(issuer, sub), credential);
    const until = exp * 1_000 + clockTolerance;
    return {
      principal: { ...(principal as Principal), until },
      until: Math.min(until, Date.now() + trust),
      ...(boundTo !== undefined && { boundTo }),
    };
  };
}

type JwtCredential = Extract<Credential, { kind: 'jwt' }>;

/** Returns the agents for which a token is valid. Throws if its audience is another server. */
function audienceOf(
  { aud = [] }: JWTPayload,
  configured: readonly string[],
  agentsOf: (resource: string) => readonly string[] | 'all' | undefined,
): readonly string[] | 'all' {
  const audiences = [aud].flat().filter((one) => typeof one === 'string');
  if (audiences.some((one) => configured.includes(one))) return 'all';
  const named = audiences.flatMap((one) => agentsOf(one) ?? []);
  if (named.length === 0) throw refusedToken('unexpected "aud" claim value');
  return named.includes('all') ? 'all' : named;
}

/** Identifies the rules by which tokens are verified. */
const rulesOf = ({ agents: _, scopes: __, tenants: ___, clientScopes: ____, ...rules }: JwtConfig): string =>
  JSON.stringify(rules);

/**
 * Creates a function that returns the current principal of a verified token. Undefined if the rules have changed since.
 */
export function jwtHolders(settings: JwtConfig): (id: string, credential: JwtCredential) => Principal | undefined {
  const rules = rulesOf(settings);
  const { agents, tenants } = settings;
  return (id, credential) => {
    if (credential.rules !== rules) return undefined;
    return {
      ...principalOf(id, {
        agents: inBoth(agents, credential.agents),
        tenants,
        scopes: narrowed(settings.scopes, credential.scopes),
      }),
      credential,
    };
  };
}

/**
 * Whether a subject can be part of a principal's id. Lone surrogates and control characters would make different ids
 * look the same.
 */
const isSubject = (sub: unknown): sub is string =>
  typeof sub === 'string' && sub !== '' && sub.length <= maxSubject && sub.isWellFormed() && !/\p{Cc}/u.test(sub);

/** Returns the scopes in the first of the claims that the token has: words separated by spaces, or a list. */
function scopesOf(payload: JWTPayload, claims: readonly string[]): readonly string[] | undefined {
  const name = claims.find((claim) => Object.hasOwn(payload, claim));
  if (name === undefined) return undefined;
  const value = payload[name];
  const words = typeof value === 'string' ? value.split(' ') : Array.isArray(value) ? value : [];
  return words.filter((word): word is string => typeof word === 'string' && word !== '');
}

/**
 * Returns the thumbprint of the certificate to which the token is bound (RFC 8705). Tokens with other bindings are
 * refused.
 */
function boundCertificate({ cnf }: JWTPayload): string | undefined {
  if (cnf === undefined) return undefined;
  const thumbprint = (cnf as Record<string, unknown> | null)?.['x5t#S256'];
  if (typeof thumbprint !== 'string') throw refusedToken('bound to a key by an unsupported method (cnf)');
  return thumbprint;
}
