import { createAuthenticator } from '../auth/authenticator.ts';
import { type Authorizer, createAuthorizer, type ScopedOperations } from '../auth/authorize.ts';
import { type CardSecurity, cardSecurity } from '../auth/card-security.ts';
import { Failures } from '../auth/failures.ts';
import { createJwtVerifier } from '../auth/jwt.ts';
import { KeySet } from '../auth/key-set.ts';
import type { JwtSettings } from '../auth/settings.ts';
import { createTokenEndpoint, type TokenEndpoint } from '../auth/token-endpoint.ts';
import { createTokenAuthority } from '../auth/tokens.ts';
import type { Verified } from '../auth/verified.ts';
import type { Config } from '../config/config.ts';
import type { Authenticate } from '../core/admission.ts';
import type { Audit } from '../core/audit.ts';
import type { Store } from '../core/ports.ts';
import { createHttpClient, type HttpClient } from '../net/http-client.ts';
import { tokenPath } from '../transports/http/oauth.ts';

export interface AccessOptions {
  readonly config: Pick<Config, 'auth' | 'listen'>;
  readonly services: readonly ScopedOperations[];
  readonly store: Pick<Store, 'secret'>;
  readonly audit: Audit;
}

/** Who gets in, and what they may do then. */
export interface Access extends Authorizer {
  readonly authenticate: Authenticate;
  /** Absent where none is configured. */
  readonly tokens: TokenEndpoint | undefined;
  /** What cards say of it, at this origin. */
  readonly security: (origin: string) => CardSecurity;
  close(): void;
}

/** Makes everything that the configuration says of it. */
export async function createAccess({ config, services, store, audit }: AccessOptions): Promise<Access> {
  const { auth: settings, listen } = config;
  const { tokenEndpoint } = settings;
  const failures = new Failures(settings.failuresPerMinute);
  const authority = tokenEndpoint && createTokenAuthority({ ...tokenEndpoint, secret: await store.secret('tokens') });
  const http = settings.jwt && createHttpClient({ connectTimeout: 5_000 });
  const jwt = settings.jwt && http && (await verifierOf(settings.jwt, http));
  return {
    ...createAuthorizer({ services, audit }),
    authenticate: createAuthenticator({ settings, origins: listen.cors, own: authority, jwt, failures, audit }),
    tokens: tokenEndpoint && authority && createTokenEndpoint({ settings: tokenEndpoint, authority, failures, audit }),
    security: (origin) => cardSecurity(settings, `${origin}${tokenPath}`),
    close: () => http?.close(),
  };
}

/** Loads what verifies tokens, for which nobody else pays. */
async function verifierOf(settings: JwtSettings, http: HttpClient): Promise<(token: string) => Promise<Verified>> {
  const { createLocalJWKSet, jwtVerify } = await import('jose');
  const keys = new KeySet({ url: settings.jwksUrl, http, local: createLocalJWKSet });
  return createJwtVerifier({ settings, verify: jwtVerify, keys: keys.find });
}
