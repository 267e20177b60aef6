import { createServer } from 'node:http';
import { pathToFileURL } from 'node:url';
import { createRemoteJWKSet, decodeJwt, jwtVerify } from 'jose';
import { resolveTool } from '../../scripts/tools.ts';
import { paced } from './pace.ts';
import { listenOn } from './peer.ts';

/** The agent that tokens are exchanged for, as a resource and as an audience. */
export const weather = { resource: 'https://weather.test/', audience: 'weather' };

const grantTypes = {
  exchange: 'urn:ietf:params:oauth:grant-type:token-exchange',
  jwtBearer: 'urn:ietf:params:oauth:grant-type:jwt-bearer',
};

const exchanged = ['subject_token', 'subject_token_type', 'actor_token', 'actor_token_type', 'audience', 'resource'];

export interface IssuerOptions {
  /** Seconds that a token for the agent is valid. Default 600. */
  readonly life?: number;
  /** Whether a token for the agent comes with one that refreshes it, which changes at each use. Default false. */
  readonly refreshes?: boolean;
  /** The key of a gateway that signs about its callers: a JWK. */
  readonly gatewayKey?: object;
}

export interface IntrospectedToken {
  readonly active: boolean;
  readonly sub?: string;
  readonly aud?: string;
  readonly act?: { readonly sub: string };
}

/**
 * A real issuer, `oidc-provider`, with its grants for token exchange and JWT bearer written as its documentation says. Tokens for
 * the gateway are JWTs, those for the agent opaque ones, which it can revoke.
 */
export async function startTokenIssuer({ life = 600, refreshes = false, gatewayKey }: IssuerOptions = {}) {
  const server = createServer();
  const { origin: url } = await listenOn(server);
  const { default: Provider, errors } = await import(pathToFileURL(resolveTool('tests', 'oidc-provider')).href);
  const client = (client_id: string, grants: readonly string[] = []) => ({
    client_id,
    client_secret: `secret of ${client_id}`,
    redirect_uris: [],
    response_types: [],
    grant_types: ['client_credentials', ...grants],
    token_endpoint_auth_method: 'client_secret_post',
  });
  /** Subjects whose tokens are no longer exchanged, and every grant that was asked for. */
  const barred = new Set<string>();
  const granted: { readonly grant: string; readonly sub: string }[] = [];
  const resourceServer = (resource: string) =>
    resource === weather.resource
      ? { scope: 'forecast', accessTokenTTL: life, accessTokenFormat: 'opaque', audience: weather.audience }
      : { scope: 'tasks', accessTokenTTL: 600, accessTokenFormat: 'jwt', audience: 'gateway' };
  const provider = new Provider(url, {
    clients: [
      ...['alice', 'bob', 'weather'].map((name) => client(name)),
      client('gateway', ['refresh_token', ...Object.values(grantTypes)]),
    ],
    scopes: ['forecast', 'tasks', 'offline_access'],
    findAccount: (_: unknown, sub: string) => ({ accountId: sub, claims: () => ({ sub }) }),
    extraTokenClaims: (_: unknown, token: { actor?: string }) => (token.actor ? { act: { sub: token.actor } } : {}),
    rotateRefreshToken: true,
    issueRefreshToken: () => true,
    features: {
      devInteractions: { enabled: false },
      clientCredentials: { enabled: true },
      introspection: { enabled: true },
      revocation: { enabled: true },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => 'urn:gateway',
        useGrantedResource: () => true,
        getResourceServerInfo: (_: unknown, resource: string) => resourceServer(resource),
      },
    },
    cookies: { keys: ['of the test'] },
  });

  /** Answers with a token for the agent about a subject. */
  const issue = async (ctx: Context, grant: string, sub: string, actor: string): Promise<void> => {
    if (barred.has(sub)) throw new errors.InvalidGrant('the subject is barred');
    if (ctx.oidc.params.resource !== weather.resource) throw new errors.InvalidTarget('no such agent');
    granted.push({ grant, sub });
    const consent = new provider.Grant({ accountId: sub, clientId: ctx.oidc.client.clientId });
    consent.addResourceScope(weather.resource, 'forecast');
    const grantId = await consent.save();
    const about = { accountId: sub, client: ctx.oidc.client, grantId, gty: grant, scope: 'forecast' };
    const token = new provider.AccessToken(about);
    token.resourceServer = new provider.ResourceServer(weather.resource, resourceServer(weather.resource));
    token.actor = actor;
    const value = await token.save();
    const again = refreshes && { refresh_token: await refreshTokenOf(about) };
    ctx.body = {
      access_token: value,
      token_type: 'Bearer',
      expires_in: token.expiration,
      ...again,
      issued_token_type: 'urn:ietf:params:oauth:token-type:access_token',
    };
  };
  const refreshTokenOf = async (about: object): Promise<string> =>
    new provider.RefreshToken({ ...about, resource: weather.resource }).save();

  const keys = createRemoteJWKSet(new URL(`${url}/jwks`));
  const verified = async (token: string | undefined, options: { audience: string }, key: unknown = keys) => {
    try {
      return (await jwtVerify(token ?? '', key as typeof keys, options)).payload;
    } catch (error) {
      throw new errors.InvalidGrant(`the token of the caller is not valid: ${error}`);
    }
  };
  const exchange = async (ctx: Context): Promise<void> => {
    const { sub = '' } = await verified(ctx.oidc.params.subject_token, { audience: 'gateway' });
    const { sub: actor = '' } = await verified(ctx.oidc.params.actor_token, { audience: 'gateway' });
    await issue(ctx, 'exchange', sub, actor);
  };
  const assert = async (ctx: Context): Promise<void> => {
    const { sub = '', iss = '' } = await verified(ctx.oidc.params.assertion, { audience: `${url}/token` }, gatewayKey);
    await issue(ctx, 'jwtBearer', sub, iss);
  };
  provider.registerGrantType(grantTypes.exchange, exchange, exchanged);
  provider.registerGrantType(grantTypes.jwtBearer, assert, ['assertion', 'resource', 'scope']);
  server.on('request', provider.callback());

  const post = async (path: string, name: string, form: Record<string, string>) => {
    const credentials = { client_id: name, client_secret: `secret of ${name}` };
    const body = new URLSearchParams({ ...credentials, ...form });
    const answer = await fetch(url + path, { method: 'POST', body, signal: AbortSignal.timeout(paced(10_000)) });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${path} answered ${answer.status} ${text}`);
    return (text === '' ? {} : JSON.parse(text)) as Record<string, unknown>;
  };
  return {
    url,
    barred,
    granted,
    /** A token of a caller for the gateway. */
    async tokenOf(name: 'alice' | 'bob'): Promise<string> {
      const { access_token } = await post('/token', name, { grant_type: 'client_credentials', scope: 'tasks' });
      if (decodeJwt(String(access_token)).sub !== name) throw new TypeError('a token of another one');
      return String(access_token);
    },
    /** Returns the issuer's facts about an agent's token. */
    introspect: async (token: string) =>
      (await post('/token/introspection', 'weather', { token })) as unknown as IntrospectedToken,
    revoke: (token: string) => post('/token/revocation', 'gateway', { token }),
  };
}

export type TokenIssuer = Awaited<ReturnType<typeof startTokenIssuer>>;

/** Parts of a request for a grant. */
interface Context {
  readonly oidc: {
    readonly params: Readonly<Record<string, string | undefined>>;
    readonly client: { readonly clientId: string };
  };
  body: unknown;
}
