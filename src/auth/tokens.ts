import { createHmac, hash, randomUUID, timingSafeEqual } from 'node:crypto';
import { A2AError } from '../core/model/errors.ts';
import type { Credential, Principal } from '../core/model/principal.ts';
import { narrowed, principalIds, principalOf, type VerifiedCredential } from './principals.ts';
import type { TokenClientSettings } from './settings.ts';

/** What the issuers of gateways' own tokens begin with, so that nobody else's are taken for them. */
export const ownIssuer = 'a2a-gateway:';

/**
 * The head of every token, letter by letter: nothing in a token says how it is to be verified. The algorithm is
 * symmetric, for the gateways on one store issue and verify, and nobody else does (RFC 9068 for the type).
 */
const head = Buffer.from('{"alg":"HS256","typ":"at+jwt"}').toString('base64url');

/** The gateway's own access tokens. Who has one was a client of the token endpoint, and still is. */
export interface TokenAuthority {
  /** @param scopes those that are granted */
  issue(client: TokenClientSettings, scopes: readonly string[]): string;
  /** Whether a token looks like one of these, true or not. */
  looksOwn(token: string): boolean;
  /** @throws A2AError `unauthenticated` */
  verify(token: string): VerifiedCredential;
  /** Whose a token is by now that was verified before; undefined when its client has no such secret any more. */
  holderOf(credential: TokenCredential): Principal | undefined;
}

/** What is known of a token that was verified. */
export type TokenCredential = Extract<Credential, { kind: 'token' }>;

export interface TokenAuthorityOptions {
  readonly clients: readonly TokenClientSettings[];
  /** Milliseconds that tokens are good for. */
  readonly lifetime: number;
  /** Of the store, so that every gateway on it takes the tokens of every other, also after a restart. */
  readonly secret: string;
  /** Milliseconds since the epoch. */
  readonly now?: () => number;
}

/** Makes the authority. Tokens of clients that are no longer configured, or have another secret now, are no good. */
export function createTokenAuthority({
  clients,
  lifetime,
  secret,
  now = Date.now,
}: TokenAuthorityOptions): TokenAuthority {
  const key = createHmac('sha256', secret).update('access tokens').digest();
  const issuer = `${ownIssuer}${hash('sha256', key, 'hex').slice(0, 16)}`;
  const byKey = new Map(clients.map((client) => [keyOf(client), client]));
  const sign = (text: string): Buffer => createHmac('sha256', key).update(text).digest();
  const holderOf = (credential: TokenCredential): Principal | undefined => {
    const client = byKey.get(credential.client);
    if (!client) return undefined;
    const { id, agents } = client;
    const scopes = narrowed(client.scopes, credential.scopes);
    return { ...principalOf(principalIds.client(id), { agents, scopes }, 'authorization'), credential };
  };
  return {
    holderOf,
    issue(client, scopes) {
      const iat = Math.floor(now() / 1_000);
      const claims = {
        iss: issuer,
        aud: issuer,
        sub: client.id,
        client_id: client.id,
        scope: scopes.join(' '),
        iat,
        exp: iat + Math.ceil(lifetime / 1_000),
        jti: randomUUID(),
        key: keyOf(client),
      };
      const text = `${head}.${Buffer.from(JSON.stringify(claims)).toString('base64url')}`;
      return `${text}.${sign(text).toString('base64url')}`;
    },
    looksOwn: (token) => token.startsWith(`${head}.`),
    verify(token) {
      const end = token.lastIndexOf('.');
      // As text: bytes could be spelled in several ways, and each would take a place among the verified tokens.
      const given = Buffer.from(token.slice(end + 1));
      const expected = Buffer.from(sign(token.slice(0, end)).toString('base64url'));
      if (given.length !== expected.length || !timingSafeEqual(given, expected)) throw refused('wrong signature');
      const claims = JSON.parse(Buffer.from(token.slice(head.length + 1, end), 'base64url').toString()) as Claims;
      if (claims.iss !== issuer || claims.aud !== issuer) throw refused('of another gateway');
      const until = claims.exp * 1_000;
      if (until <= now()) throw refused('expired', 'The access token has expired');
      const principal = holderOf({
        kind: 'token',
        client: claims.key,
        scopes: claims.scope.split(' ').filter(Boolean),
      });
      if (!principal) throw refused(`client ${claims.sub} has no such secret any more`);
      return { principal: { ...principal, until }, until };
    },
  };
}

interface Claims {
  readonly iss: string;
  readonly aud: string;
  readonly sub: string;
  readonly scope: string;
  /** Seconds since the epoch. */
  readonly exp: number;
  readonly key: string;
}

/** Tells one secret of a client from another; half a hash says nothing of the secret. */
const keyOf = ({ id, hash: secretHash }: TokenClientSettings): string =>
  hash('sha256', `${id}\n${secretHash}`, 'base64url').slice(0, 22);

const refused = (cause: string, message = 'The access token is not valid'): A2AError =>
  new A2AError('unauthenticated', message, { cause });
