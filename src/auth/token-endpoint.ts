import { timingSafeEqual } from 'node:crypto';
import { holdsScope } from '../core/model/principal.ts';
import type { Audit } from '../core/ports/audit.ts';
import type { TokenClientConfig, TokenEndpointConfig } from '../gen/settings.ts';
import type { FailureLimiter } from './failure-limiter.ts';
import { hashOf } from './hash.ts';
import { impliedScopes } from './principals.ts';
import type { TokenAuthority } from './tokens.ts';

/** A request for a token, with its body. */
export interface TokenRequest {
  readonly authorization: string | undefined;
  /** Media type of the body, in lower case and without parameters. */
  readonly mediaType: string | undefined;
  readonly body: string;
  /**
   * Returns the agents of a resource indicator, or undefined for one of another server. Absent if indicators are not
   * supported.
   */
  readonly agentsOf?: ((resource: string) => readonly string[] | 'all' | undefined) | undefined;
  /** Network address of the client. */
  readonly address: string;
}

/** The response, whose body is JSON. */
export interface TokenAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Readonly<Record<string, string | number>>;
}

/**
 * Grants tokens for client credentials (RFC 6749 sections 4.4 and 5). Errors of the client are returned as responses
 * too.
 */
export type TokenEndpoint = (request: TokenRequest) => Promise<TokenAnswer>;

export interface TokenEndpointOptions {
  readonly settings: TokenEndpointConfig;
  readonly authority: TokenAuthority;
  readonly failures: FailureLimiter;
  readonly audit: Audit;
}

/** A refused request (RFC 6749 section 5.2, RFC 8707 section 2). */
class TokenError extends Error {
  readonly answer: TokenAnswer;

  constructor(error: string, message: string, status = 400, headers: TokenAnswer['headers'] = {}) {
    super(message);
    this.answer = { status, headers: { ...uncached, ...headers }, body: { error, error_description: message } };
  }
}

/** Headers that forbid caching, for tokens and errors (RFC 6749 section 5.1). */
const uncached = { 'Cache-Control': 'no-store', Pragma: 'no-cache' };

/** Creates the endpoint. It accepts secrets in the form (`client_secret_post`) and with HTTP Basic. */
export function createTokenEndpoint(options: TokenEndpointOptions): TokenEndpoint {
  const { settings, authority, audit } = options;
  const secrets = new ClientSecrets(options);

  async function grant({ authorization, mediaType, body, address, agentsOf }: TokenRequest): Promise<TokenAnswer> {
    if (mediaType !== 'application/x-www-form-urlencoded') {
      throw new TokenError('invalid_request', 'The body must be application/x-www-form-urlencoded');
    }
    const form = fieldsOf(body);
    const client = secrets.clientOf(credentialsOf(authorization, form), address);
    const type = form.get('grant_type');
    if (type === undefined) throw new TokenError('invalid_request', 'grant_type is missing');
    if (type !== 'client_credentials')
      throw new TokenError('unsupported_grant_type', 'The only supported grant_type is client_credentials');
    const scopes = scopesFor(client, form.get('scope'));
    const resource = form.get('resource');
    const agents = resource === undefined ? 'all' : agentsOf?.(resource);
    if (agents === undefined) throw new TokenError('invalid_target', 'The resource is not one of this gateway');
    const token = await authority.issue(client, scopes, agents === 'all' ? undefined : agents);
    audit({ event: 'token.issued', principal: `client:${client.id}`, address });
    const expires = Math.ceil(settings.lifetime / 1_000);
    const issued = { access_token: token, token_type: 'Bearer', expires_in: expires, scope: scopes.join(' ') };
    return { status: 200, headers: uncached, body: issued };
  }

  return async (request) => {
    try {
      return await grant(request);
    } catch (thrown) {
      if (thrown instanceof TokenError) return thrown.answer;
      throw thrown;
    }
  };
}

/** Verifies the secrets of clients, and limits the number of wrong secrets. */
class ClientSecrets {
  readonly #clients: readonly TokenClientConfig[];
  readonly #failures: FailureLimiter;
  readonly #audit: Audit;
  /**
   * Clients with the hashes of their verified secrets. Failures of others in their network do not block these clients.
   */
  readonly #verified = new Set<string>();

  constructor({ settings, failures, audit }: TokenEndpointOptions) {
    this.#clients = settings.clients;
    this.#failures = failures;
    this.#audit = audit;
  }

  clientOf({ id, secret }: ClientCredentials, address: string): TokenClientConfig {
    const hash = hashOf(secret);
    const wait = this.#verified.has(`${id} ${hash}`) ? 0 : this.#failures.wait(address);
    if (wait > 0) {
      const headers = { 'Retry-After': String(Math.ceil(wait)) };
      throw new TokenError('temporarily_unavailable', 'Too many wrong credentials', 429, headers);
    }
    const given = Buffer.from(hash);
    // All clients are compared, so that the time does not reveal which of them exist.
    const [client] = this.#clients.filter((one) => timingSafeEqual(given, Buffer.from(one.hash)) && one.id === id);
    if (client) {
      this.#verified.add(`${id} ${hash}`);
      return client;
    }
    this.#audit({ event: 'token.refused', reason: 'Unknown client, or wrong secret', address });
    if (this.#failures.add(address))
      this.#audit({ event: 'authentication.blocked', reason: 'Too many wrong credentials', address });
    throw invalidClient('The client is unknown, or its secret is wrong');
  }
}

function scopesFor({ scopes = impliedScopes }: TokenClientConfig, requested = ''): readonly string[] {
  const wanted = requested.split(' ').filter((scope) => scope !== '');
  if (wanted.length === 0) return scopes;
  const held = new Set(scopes);
  if (!wanted.every((scope) => holdsScope(held, scope)))
    throw new TokenError('invalid_scope', 'The client does not have all of these scopes');
  return [...new Set(wanted)];
}

interface ClientCredentials {
  readonly id: string;
  readonly secret: string;
}

/** Reads the credentials, which must be sent in only one of the two places (RFC 6749 section 2.3). */
function credentialsOf(authorization: string | undefined, form: ReadonlyMap<string, string>): ClientCredentials {
  const id = form.get('client_id');
  const secret = form.get('client_secret');
  if (authorization === undefined) {
    if (id === undefined || secret === undefined) throw invalidClient('client_id and client_secret are required');
    return { id, secret };
  }
  const basic = basicOf(authorization);
  if (!basic) throw invalidClient('Authorization must be Basic, with the id and the secret of the client');
  if (secret !== undefined || (id !== undefined && id !== basic.id)) {
    throw new TokenError('invalid_request', 'The client authenticates in two ways');
  }
  return basic;
}

/** Decodes HTTP Basic credentials. Id and secret are form-encoded before they are joined (RFC 6749 section 2.3.1). */
function basicOf(authorization: string): ClientCredentials | undefined {
  const [, encoded = ''] = /^basic +([\w+/=-]+) *$/i.exec(authorization) ?? [];
  const [, id, secret] = /^([^:]*):(.*)$/s.exec(Buffer.from(encoded, 'base64').toString()) ?? [];
  if (id === undefined || secret === undefined) return undefined;
  const decode = (part: string): string => decodeURIComponent(part.replaceAll('+', ' '));
  try {
    return { id: decode(id), secret: decode(secret) };
  } catch {
    return undefined;
  }
}

const invalidClient = (message: string): TokenError =>
  new TokenError('invalid_client', message, 401, { 'WWW-Authenticate': 'Basic realm="a2a-gateway"' });

/** Reads the form's fields. Empty fields count as absent, and no field may be repeated (RFC 6749 section 3.2). */
function fieldsOf(body: string): ReadonlyMap<string, string> {
  const fields = new Map<string, string>();
  for (const [name, value] of new URLSearchParams(body)) {
    if (fields.has(name)) throw new TokenError('invalid_request', 'A parameter is repeated');
    if (value !== '') fields.set(name, value);
  }
  return fields;
}
