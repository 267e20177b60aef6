import type { AdminKey } from '../../auth/admin-key.ts';
import { type Authenticator, createAuthenticator } from '../../auth/authenticator.ts';
import { Authorizer, type ScopedOperations } from '../../auth/authorize.ts';
import { FailureLimiter } from '../../auth/failure-limiter.ts';
import { createAuthorizeHook } from '../../auth/hooks/authorize-hook.ts';
import { createJwtVerifier } from '../../auth/jwt.ts';
import { createKeySet, type KeySet } from '../../auth/key-set.ts';
import { agentsOfResource, principalIds } from '../../auth/principals.ts';
import { type CardSecurity, cardSecurity, challengeOf } from '../../auth/schemes.ts';
import type { Sessions } from '../../auth/sessions.ts';
import { createTokenEndpoint, type TokenEndpoint } from '../../auth/token-endpoint.ts';
import { TokenAuthority } from '../../auth/tokens.ts';
import { atConfigPath } from '../../config/error-path.ts';
import type { Config } from '../../config/types.ts';
import type { Authenticate, CallerFacts } from '../../core/limits/admission.ts';
import { limited, RequestLimiter } from '../../core/limits/request-limit.ts';
import type { Principal } from '../../core/model/principal.ts';
import type { AgentDirectory } from '../../core/ports/agent-directory.ts';
import type { Audit } from '../../core/ports/audit.ts';
import type { Logger } from '../../core/ports/logger.ts';
import type { Store } from '../../core/ports/store.ts';
import type { JwtConfig } from '../../gen/settings.ts';
import { apiKeyHeaders } from '../../net/header-names.ts';
import { createHttpClient, type HttpClient } from '../../net/http-client.ts';
import { tokenPath } from '../../transports/pages/oauth-token.ts';
import type { AdminKeys } from './admin-key.ts';
import { type OpenedHooks, openAuthHooks } from './auth-hooks.ts';

export interface AccessOptions {
  readonly config: Pick<Config, 'auth' | 'console' | 'limits' | 'listen'>;
  readonly services: readonly ScopedOperations[];
  /** The store, which is open. */
  readonly store: Pick<Store, 'secret' | 'peers'>;
  readonly audit: Audit;
  readonly logger: Logger;
  readonly agents: Pick<AgentDirectory, 'get'>;
  readonly adminKeys: Pick<AdminKeys, 'keyFor'>;
  readonly principalById?: ((id: string) => Principal | undefined) | undefined;
  /** Opens the sessions of the console. Absent: the console has no sessions. */
  readonly sessions?: (() => Promise<Sessions>) | undefined;
  /** The access that this one replaces. Its state is carried over as far as it still applies. */
  readonly former?: Access | undefined;
}

export interface Access extends Pick<Authorizer, keyof Authorizer> {
  readonly authenticate: Authenticator;
  /** Authenticates a caller, then applies the request rate: to each principal, and to each network of anonymous callers. */
  readonly admit: Authenticate;
  /** Applies the request rate to the network of a request that needs no credentials. */
  countOpen(caller: CallerFacts): unknown;
  /** Applies the request rate to a call that an agent makes for a principal. */
  countDelegated(principal: Principal): unknown;
  /** The admin key. Undefined if a configured credential has the scope `admin`. */
  readonly adminKey: AdminKey | undefined;
  /** The endpoint that issues tokens. Undefined if none is configured. */
  readonly tokens: TokenEndpoint | undefined;
  readonly security: (origin: string) => CardSecurity;
  /** Headers that hold credentials, in addition to the usual ones. Scripts of other origins may send them. */
  readonly headers: readonly string[];
  readonly carried: CarriedAccessState;
  /** Closes everything except what `successor` has carried over. */
  close(successor?: Access): void;
}

interface CarriedAccessState {
  readonly failures: FailureLimiter;
  readonly failuresPerMinute: number;
  readonly requests: RequestLimiter;
  readonly requestsPerMinute: number | undefined;
  readonly provider: KeyProvider | undefined;
  readonly hooks: OpenedHooks | undefined;
}

interface KeyProvider {
  readonly url: string;
  readonly http: HttpClient;
  readonly keys: KeySet;
}

/**
 * Creates authentication and authorization as configured.
 *
 * Rejects with A2AError `unavailable` if a reload names another identity provider and its keys cannot be fetched. A gateway that
 * starts does not wait for the provider.
 */
export async function createAccess(options: AccessOptions): Promise<Access> {
  const { config, services, store, audit, logger, agents, adminKeys, principalById, sessions, former } = options;
  const { auth: settings, listen, limits } = config;
  const { requestsPerMinute } = limits;
  const { tokenEndpoint, jwt, failuresPerMinute, hooks: hookSettings } = settings;
  const before = former?.carried;
  const failures =
    before?.failuresPerMinute === failuresPerMinute ? before.failures : new FailureLimiter(failuresPerMinute);
  const requests =
    before && before.requestsPerMinute === requestsPerMinute
      ? before.requests
      : new RequestLimiter({ perMinute: requestsPerMinute, audit, peers: store.peers });
  const hooks =
    hookSettings && (await atConfigPath(['auth', 'module'], () => openAuthHooks(hookSettings, logger, before?.hooks)));
  const adminKey = adminKeys.keyFor(settings, former?.adminKey);
  const own = tokenEndpoint && new TokenAuthority({ ...tokenEndpoint, secret: await store.secret('tokens') });
  const provider = jwt && (await providerOf(jwt, before));
  const authenticate = createAuthenticator({
    settings,
    origins: listen.cors,
    adminKey,
    own,
    jwt:
      jwt &&
      provider &&
      createJwtVerifier(jwt, provider.keys.find, (resource) =>
        listen.publicUrl === undefined ? undefined : agentsOfResource(resource, { url: listen.publicUrl }, agents),
      ),
    sessions: config.console === false ? undefined : sessions,
    failures,
    audit,
    hooks,
    principalById,
    former: former?.authenticate,
  });
  const hook = hooks && createAuthorizeHook({ ...hooks, audit, agents });
  const { authorize, checkAgent, checkOperation, permits, review } = new Authorizer({
    services,
    audit,
    revalidate: authenticate.revalidate,
    hook,
    challenge: challengeOf(settings, false),
  });
  return {
    authorize,
    checkAgent,
    checkOperation,
    permits,
    review,
    authenticate,
    adminKey,
    admit: limited(authenticate, requests),
    countOpen: (caller) => requests.count({ id: principalIds.anonymous, anonymous: true }, caller),
    countDelegated: (principal) => requests.countDelegated(principal),
    tokens: tokenEndpoint && own && createTokenEndpoint({ settings: tokenEndpoint, authority: own, failures, audit }),
    security: (origin) => cardSecurity(settings, `${origin}${tokenPath}`, hooks?.hooks),
    headers: [settings.apiKeyHeader, ...apiKeyHeaders(hooks?.hooks ?? {})],
    carried: { failures, failuresPerMinute, requests, requestsPerMinute, provider, hooks },
    close(successor) {
      if (provider !== successor?.carried.provider) provider?.http.close();
    },
  };
}

async function providerOf({ jwksUrl: url }: JwtConfig, before: CarriedAccessState | undefined): Promise<KeyProvider> {
  if (before?.provider?.url === url) return before.provider;
  const http = createHttpClient({ connectTimeout: 5_000 });
  const keys = createKeySet(url, http);
  try {
    if (before) await atConfigPath(['auth', 'jwt', 'jwksUrl'], () => keys.load());
  } catch (thrown) {
    http.close();
    throw thrown;
  }
  return { url, http, keys };
}
