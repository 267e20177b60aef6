import {
  ClientCredentialsProvider,
  computeScopeUnion,
  discoverAuthorizationServerMetadata,
  discoverOAuthProtectedResourceMetadata,
  extractWWWAuthenticateParams,
  type FetchLike,
  fetchToken,
  isStrictScopeSuperset,
  type OAuthClientProvider,
  OAuthError,
  PrivateKeyJwtProvider,
  selectResourceURL,
} from '@modelcontextprotocol/client';
import { A2AError } from '../../../../core/model/errors.ts';
import { shared } from '../../../../core/model/timing.ts';
import { readSigningKey } from '../../../../net/credentials/signing-key.ts';
import { createHttpClient, type HttpClient } from '../../../../net/http-client.ts';
import type { HttpAnswer } from '../../../../net/http-exchange.ts';
import { hide, secretsIn, secretsInQuery } from '../../../../net/secret.ts';
import type { DiscoveredAuthSettings } from '../../../../net/tool-server-settings.ts';
import { webResponse } from '../../../../net/web-response.ts';
import { shortened, ToolFailure } from '../failures.ts';
import type { ToolNet } from '../net.ts';

/** Time-out in milliseconds of a request for metadata or to a token endpoint. */
const timeout = 10_000;
/** Maximum bytes of such a response. */
const maxAnswer = 256 * 1024;
/** Milliseconds before expiry at which a token is replaced, so that it is still valid on arrival. */
const margin = 60_000;
/** Maximum characters of all requested scopes, since a server may demand more and more of them. */
const maxScope = 4_000;

export interface AuthorizationSettings extends DiscoveredAuthSettings {
  /** URL of the MCP server. */
  readonly url: string;
}

/**
 * Opens connections to an MCP server with access tokens that the gateway obtains with client credentials, from the
 * authorization server that the MCP server names (MCP 2026-07-28, basic/authorization, and the extension OAuth client
 * credentials). Uses resource indicators (RFC 8707), compares issuers (RFC 8414 section 3.3), and requests further
 * scopes when a call needs them. The SDK implements the flow. The very first request carries no token: its refusal says
 * where the metadata is.
 *
 * @throws A2AError `unavailable` if the private key cannot be read or used
 */
export async function openAuthorizedNet(settings: AuthorizationSettings): Promise<ToolNet> {
  const provider = await providerOf(settings);
  const http = createHttpClient();
  const tokens = new AccessTokens(settings, provider, http);
  const query = [...secretsInQuery(new URL(settings.url))];
  return {
    http,
    getsTokens: true,
    hide: (text) => hide(text, [...tokens.secrets, ...query]),
    auth: { headers: (_, { origin }) => tokens.headersFor(origin) },
    renew: (refused, sent) => tokens.renew(refused, sent),
  };
}

interface AccessToken {
  readonly header: string;
  /** Time at which the token is replaced, in milliseconds since the epoch. */
  readonly until: number;
}

/** Access tokens for one MCP server. */
class AccessTokens {
  readonly #settings: AuthorizationSettings;
  readonly #provider: OAuthClientProvider;
  readonly #server: URL;
  readonly #fetch: FetchLike;
  /** The only scopes that may be requested. Undefined: any. */
  readonly #limited: string | undefined;
  #metadataUrl: URL | undefined;
  /** Scopes to request with the next token. */
  #wanted: string | undefined;
  /** Scopes that were requested with the latest token. */
  #asked: string | undefined;
  #token: AccessToken | undefined;

  constructor(settings: AuthorizationSettings, provider: OAuthClientProvider, http: HttpClient) {
    this.#settings = settings;
    this.#provider = provider;
    this.#server = new URL(settings.url);
    this.#fetch = createAuthFetch(http, [this.#server.origin, new URL(settings.issuer).origin]);
    this.#limited = settings.scopes?.join(' ');
    this.#wanted = this.#limited;
  }

  get secrets(): readonly string[] {
    return this.#token ? [...secretsIn({ authorization: this.#token.header })] : [];
  }

  async headersFor(origin: string): Promise<Record<string, string>> {
    if (origin !== this.#server.origin) return {};
    if (this.#token && Date.now() >= this.#token.until) await this.#obtain();
    return this.#token ? { authorization: this.#token.header } : {};
  }

  /** Obtains another token if that may avoid the refusal. Resolves with whether the request should be repeated. */
  async renew({ status, headers }: HttpAnswer, sent: Readonly<Record<string, string>>): Promise<boolean> {
    if (status !== 401 && status !== 403) return false;
    const given = headers['www-authenticate'];
    const challenge = extractWWWAuthenticateParams(
      new Response(null, { headers: given === undefined ? {} : { 'www-authenticate': String(given) } }),
    );
    // Another request has meanwhile obtained a new token.
    const isOld = this.#token !== undefined && this.#token.header !== sent.authorization;
    if (status === 403) {
      const more = computeScopeUnion(this.#asked, this.#wanted, challenge.scope);
      if (challenge.error !== 'insufficient_scope' || this.#limited !== undefined) return false;
      if (!isStrictScopeSuperset(more, this.#asked) || (more?.length ?? 0) > maxScope) return isOld;
      this.#wanted = more;
    } else {
      if (isOld) return true;
      this.#wanted = this.#limited ?? computeScopeUnion(this.#wanted, challenge.scope?.slice(0, maxScope));
    }
    this.#metadataUrl = challenge.resourceMetadataUrl ?? this.#metadataUrl;
    await this.#obtain();
    return true;
  }

  /** Obtains a token. Concurrent requests share one. */
  readonly #obtain = shared(async () => {
    try {
      this.#token = await this.#grant();
    } catch (thrown) {
      this.#token = undefined;
      throw failureOf(thrown, this.#settings.clientSecret?.reveal());
    }
  });

  async #grant(): Promise<AccessToken> {
    const { issuer } = this.#settings;
    const fetchFn = this.#fetch;
    const resource = await discoverOAuthProtectedResourceMetadata(
      this.#server,
      this.#metadataUrl ? { resourceMetadataUrl: this.#metadataUrl } : {},
      fetchFn,
    );
    if (!resource.authorization_servers?.some((one) => withoutSlash(one) === withoutSlash(issuer))) {
      throw new Error(`The server does not name the authorization server ${issuer}`);
    }
    await selectResourceURL(this.#server, this.#provider, resource);
    const metadata = await discoverAuthorizationServerMetadata(issuer, { fetchFn });
    if (!metadata) throw new Error(`The authorization server ${issuer} has no metadata`);
    const scope = this.#wanted || resource.scopes_supported?.join(' ');
    const began = Date.now();
    const granted = await fetchToken(this.#provider, issuer, {
      metadata,
      resource: resource.resource,
      ...(scope && { scope }),
      fetchFn,
    });
    this.#asked = computeScopeUnion(scope, granted.scope);
    const { access_token, expires_in } = granted;
    const lifetime = expires_in === undefined ? Number.POSITIVE_INFINITY : expires_in * 1_000;
    return { header: `Bearer ${access_token}`, until: began + lifetime - margin };
  }
}

/** Returns the SDK's client provider, which sends credentials only to the issuer. */
async function providerOf({
  clientId,
  clientSecret,
  privateKey,
  issuer: expectedIssuer,
}: AuthorizationSettings): Promise<OAuthClientProvider> {
  if (privateKey === undefined) {
    return new ClientCredentialsProvider({ clientId, clientSecret: clientSecret?.reveal() ?? '', expectedIssuer });
  }
  const { key, algorithm } = await readSigningKey(privateKey);
  return new PrivateKeyJwtProvider({ clientId, privateKey: key.export({ format: 'jwk' }), algorithm, expectedIssuer });
}

/**
 * Creates a fetch function for metadata and tokens. Metadata is read only from the MCP server and the issuer, so that a
 * server cannot make the gateway send requests elsewhere. The issuer determines the token endpoint.
 */
function createAuthFetch(http: HttpClient, origins: readonly string[]): FetchLike {
  return async (input, { method = 'GET', headers = {}, body } = {}) => {
    const url = new URL(input);
    if (method === 'GET' && !origins.includes(url.origin)) {
      throw new Error(`Metadata at ${url.origin} belongs to neither the server nor the issuer`);
    }
    const request = {
      method,
      url,
      headers: Object.fromEntries(new Headers(headers)),
      ...(body != null && { body: String(body) }),
      // Not a caller's signal, because several callers share the request.
      signal: new AbortController().signal,
      timeout,
    };
    const unreachable = (cause: unknown): never => {
      // After any other error, the SDK continues as if there were no metadata.
      throw new TypeError(A2AError.from(cause).message, { cause });
    };
    const answer = await http.request(request).catch(unreachable);
    return webResponse(answer, [await answer.read(maxAnswer).catch(unreachable)]);
  };
}

const withoutSlash = (url: string): string => url.replace(/\/$/, '');

/**
 * Returns the failure for callers, which says only that there is no token. The log shows the reason, without the
 * response of a token endpoint, which may repeat secrets.
 */
function failureOf(thrown: unknown, secret = ''): ToolFailure {
  const { message } = thrown as Error;
  const why = thrown instanceof OAuthError ? `the token endpoint answered ${thrown.code}` : hide(message, [secret]);
  const cause = new Error(`No access token: ${shortened(why, 500)}`);
  if (thrown instanceof TypeError) {
    return new ToolFailure('connection', "The server's authorization server cannot be reached", { cause });
  }
  return new ToolFailure('refused', 'The gateway cannot get an access token for the server', { cause });
}
