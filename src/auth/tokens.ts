import { createHmac, createSecretKey, hash, type KeyObject, randomUUID } from 'node:crypto';
import type { Credential, Principal } from '../core/model/principal.ts';
import type { TokenClientConfig } from '../gen/settings.ts';
import { refusedToken, verifyToken } from './jwt.ts';
import { inBoth, narrowed, principalIds, principalOf, type VerifiedCredential } from './principals.ts';

/** The prefix of this gateway's issuer, which no identity provider may use. */
export const ownIssuer = 'a2a-gateway:';

/**
 * The header of every token (RFC 9068 for the type). The algorithm is symmetric, because only replicas on one store
 * issue and verify tokens.
 */
const header = { alg: 'HS256', typ: 'at+jwt' } as const;
const encodedHeader = Buffer.from(JSON.stringify(header)).toString('base64url');

type TokenCredential = Extract<Credential, { kind: 'token' }>;

export interface TokenAuthorityOptions {
  readonly clients: readonly TokenClientConfig[];
  /** Milliseconds for which tokens are valid. */
  readonly lifetime: number;
  /** The store's secret, so that each replica accepts the tokens of the others, even after a restart. */
  readonly secret: string;
  /** Returns the current time, in milliseconds since the epoch. */
  readonly now?: () => number;
}

/** Issues and verifies the gateway's own access tokens. */
export class TokenAuthority {
  readonly #lifetime: number;
  readonly #now: () => number;
  readonly #key: KeyObject;
  readonly #issuer: string;
  readonly #byKey: Map<string, TokenClientConfig>;

  constructor({ clients, lifetime, secret, now = Date.now }: TokenAuthorityOptions) {
    this.#lifetime = lifetime;
    this.#now = now;
    const derived = createHmac('sha256', secret).update('access tokens').digest();
    this.#key = createSecretKey(derived);
    this.#issuer = `${ownIssuer}${hash('sha256', derived, 'hex').slice(0, 16)}`;
    this.#byKey = new Map(clients.map((client) => [keyOf(client), client]));
  }

  /**
   * Returns the current principal of a verified token. Undefined if its client, or the client's secret, was removed.
   */
  holderOf(credential: TokenCredential): Principal | undefined {
    const client = this.#byKey.get(credential.client);
    if (!client) return undefined;
    const { id, tenants } = client;
    const agents = inBoth(client.agents, credential.agents);
    const scopes = narrowed(client.scopes, credential.scopes);
    return { ...principalOf(principalIds.client(id), { agents, scopes, tenants }, 'authorization'), credential };
  }

  /** Issues a token. If `agents` is given, the token is valid only for these agents. */
  async issue(client: TokenClientConfig, scopes: readonly string[], agents?: readonly string[]): Promise<string> {
    const { SignJWT } = await import('jose');
    const iat = Math.floor(this.#now() / 1_000);
    return new SignJWT({
      client_id: client.id,
      scope: scopes.join(' '),
      key: keyOf(client),
      ...(agents && { agents }),
    })
      .setProtectedHeader(header)
      .setIssuer(this.#issuer)
      .setAudience(this.#issuer)
      .setSubject(client.id)
      .setIssuedAt(iat)
      .setExpirationTime(iat + Math.ceil(this.#lifetime / 1_000))
      .setJti(randomUUID())
      .sign(this.#key);
  }

  /** Whether a token has the header of the gateway's own tokens. It may still be forged. */
  looksOwn(token: string): boolean {
    return token.startsWith(`${encodedHeader}.`);
  }

  /** Verifies one of the gateway's own tokens. Rejects with A2AError `unauthenticated`. */
  async verify(token: string): Promise<VerifiedCredential> {
    const {
      sub,
      exp,
      key: client,
      scope,
      agents,
    } = await verifyToken(token, this.#key, {
      issuer: this.#issuer,
      audience: this.#issuer,
      algorithms: [header.alg],
      typ: header.typ,
      currentDate: new Date(this.#now()),
    });
    const principal = this.holderOf({
      kind: 'token',
      client: String(client),
      scopes: String(scope).split(' ').filter(Boolean),
      ...(Array.isArray(agents) && { agents }),
    });
    if (!principal) throw refusedToken(`client ${sub} no longer has this secret`);
    const until = exp * 1_000;
    return { principal: { ...principal, until }, until };
  }
}

/** Identifies a client and its secret, without revealing anything about the secret. */
const keyOf = ({ id, hash: secretHash }: TokenClientConfig): string =>
  hash('sha256', `${id}\n${secretHash}`, 'base64url').slice(0, 22);
