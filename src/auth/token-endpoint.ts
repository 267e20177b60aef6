import { timingSafeEqual } from 'node:crypto';
import { holdsScope } from '../core/model/principal.ts';
import type { Audit } from '../core/ports/audit.ts';
import type { FailureLimiter } from './failure-limiter.ts';
import { hashOf } from './hash.ts';
import { impliedScopes } from './principals.ts';
import type { TokenClientSettings, TokenEndpointSettings } from './settings.ts';
import type { TokenAuthority } from './tokens.ts';

/** A request for a token, its body read. */
export interface TokenRequest {
  readonly authorization: string | undefined;
  /** Without parameters, in lower case. */
  readonly mediaType: string | undefined;
  readonly body: string;
  /** Network address of the client. */
  readonly address: string;
}

/** What it is answered with; the body is JSON. */
export interface TokenAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Readonly<Record<string, string | number>>;
}

/** Grants tokens to clients that show their secret (RFC 6749 sections 4.4 and 5). Never throws. */
export type TokenEndpoint = (request: TokenRequest) => TokenAnswer;

export interface TokenEndpointOptions {
  readonly settings: TokenEndpointSettings;
  readonly authority: TokenAuthority;
  readonly failures: FailureLimiter;
  readonly audit: Audit;
}

/** A refusal (RFC 6749 section 5.2). */
class TokenError extends Error {
  readonly status: number;
  readonly code: string;
  readonly headers: Readonly<Record<string, string>>;

  constructor(code: string, message: string, status = 400, headers: Readonly<Record<string, string>> = {}) {
    super(message);
    this.code = code;
    this.status = status;
    this.headers = headers;
  }
}

/** No token and no error about one is for a cache (RFC 6749 section 5.1). */
const uncached = { 'Cache-Control': 'no-store', Pragma: 'no-cache' };

/** Makes the endpoint. Secrets come in the form (`client_secret_post`) or by HTTP Basic. */
export function createTokenEndpoint({ settings, authority, failures, audit }: TokenEndpointOptions): TokenEndpoint {
  const { clients, lifetime } = settings;
  /** Hashes of the secrets that were shown: whose clients are not kept out by the failures of their neighbours. */
  const shown = new Set<string>();

  function clientOf({ id, secret }: ClientCredentials, address: string): TokenClientSettings {
    const hash = hashOf(secret);
    const wait = shown.has(`${id} ${hash}`) ? 0 : failures.wait(address);
    if (wait > 0) {
      const headers = { 'Retry-After': String(Math.ceil(wait)) };
      throw new TokenError('temporarily_unavailable', 'Too many wrong credentials', 429, headers);
    }
    const given = Buffer.from(hash);
    // All of them are looked at, so that the time tells nobody which clients there are.
    const [client] = clients.filter((one) => timingSafeEqual(given, Buffer.from(one.hash)) && one.id === id);
    if (client) {
      shown.add(`${id} ${hash}`);
      return client;
    }
    audit({ event: 'token.refused', reason: 'Unknown client, or wrong secret', address });
    if (failures.add(address))
      audit({ event: 'authentication.blocked', reason: 'Too many wrong credentials', address });
    throw unknownClient('The client is not known, or its secret is wrong');
  }

  function grant(request: TokenRequest): TokenAnswer {
    if (request.mediaType !== 'application/x-www-form-urlencoded') {
      throw new TokenError('invalid_request', 'The body must be application/x-www-form-urlencoded');
    }
    const form = fieldsOf(request.body);
    const client = clientOf(credentialsOf(request.authorization, form), request.address);
    const type = form.get('grant_type');
    if (type === undefined) throw new TokenError('invalid_request', 'grant_type is missing');
    if (type !== 'client_credentials')
      throw new TokenError('unsupported_grant_type', 'Only client_credentials is granted');
    const scopes = scopesFor(client, form.get('scope'));
    const token = authority.issue(client, scopes);
    audit({ event: 'token.issued', principal: `client:${client.id}`, address: request.address });
    const expires = Math.ceil(lifetime / 1_000);
    const body = { access_token: token, token_type: 'Bearer', expires_in: expires, scope: scopes.join(' ') };
    return { status: 200, headers: uncached, body };
  }

  return (request) => {
    try {
      return grant(request);
    } catch (thrown) {
      if (!(thrown instanceof TokenError)) throw thrown;
      const { status, headers, code, message } = thrown;
      return { status, headers: { ...uncached, ...headers }, body: { error: code, error_description: message } };
    }
  };
}

/** Those that are asked for, where the client has them; all of the client's where none are. */
function scopesFor({ scopes = impliedScopes }: TokenClientSettings, asked: string | undefined): readonly string[] {
  const wanted = asked?.split(' ').filter((scope) => scope !== '') ?? [];
  if (wanted.length === 0) return scopes;
  const held = new Set(scopes);
  const beyond = wanted.find((scope) => !holdsScope(held, scope));
  if (beyond !== undefined) throw new TokenError('invalid_scope', 'The client may not have all of these scopes');
  return [...new Set(wanted)];
}

interface ClientCredentials {
  readonly id: string;
  readonly secret: string;
}

/** By one of the two ways, and not by both (RFC 6749 section 2.3). */
function credentialsOf(authorization: string | undefined, form: ReadonlyMap<string, string>): ClientCredentials {
  const [id, secret] = [form.get('client_id'), form.get('client_secret')];
  if (authorization === undefined) {
    if (id === undefined || secret === undefined) throw unknownClient('client_id and client_secret are needed');
    return { id, secret };
  }
  const basic = basicOf(authorization);
  if (!basic) throw unknownClient('Authorization must be Basic, with the id and the secret of the client');
  if (secret !== undefined || (id !== undefined && id !== basic.id)) {
    throw new TokenError('invalid_request', 'The client shows who it is in two ways');
  }
  return basic;
}

/** Id and secret are form-encoded before they are joined (RFC 6749 section 2.3.1). */
function basicOf(authorization: string): ClientCredentials | undefined {
  const [, encoded] = /^basic +([\w+/=-]+) *$/i.exec(authorization) ?? [];
  const text = Buffer.from(encoded ?? '', 'base64').toString();
  const colon = text.indexOf(':');
  if (colon < 0) return undefined;
  try {
    const [id = '', secret = ''] = [text.slice(0, colon), text.slice(colon + 1)].map((part) =>
      decodeURIComponent(part.replaceAll('+', ' ')),
    );
    return { id, secret };
  } catch {
    return undefined;
  }
}

const unknownClient = (message: string): TokenError =>
  new TokenError('invalid_client', message, 401, { 'WWW-Authenticate': 'Basic realm="a2a-gateway"' });

/** The form's fields; those without a value count as left out, and none may come twice (RFC 6749 section 3.2). */
function fieldsOf(body: string): ReadonlyMap<string, string> {
  const fields = new Map<string, string>();
  for (const [name, value] of new URLSearchParams(body)) {
    if (fields.has(name)) throw new TokenError('invalid_request', 'A parameter is given twice');
    if (value !== '') fields.set(name, value);
  }
  return fields;
}
