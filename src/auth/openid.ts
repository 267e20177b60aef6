import type { Configuration } from 'openid-client';
import { A2AError } from '../core/model/errors.ts';
import { once, withTimeout } from '../core/model/timing.ts';
import type { SignInSettings } from './settings.ts';

/** State of a sign-in, which the browser keeps in sealed form while its user is at the provider. */
export interface PendingSignIn {
  /** The issuer, so that after a reload the response of another issuer is not accepted. */
  readonly issuer: string;
  readonly redirectUri: string;
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
  /** Deadline, in milliseconds since the epoch. */
  readonly until: number;
}

/** Milliseconds within which a user must sign in. */
const signInTime = 10 * 60_000;

/** The client library, and the discovered configuration of the provider. */
type Provider = readonly [client: typeof import('openid-client'), config: Configuration];

/**
 * Signs users in at an OpenID Connect provider, by the authorization code flow with PKCE, state and nonce. The
 * provider's metadata is read at the first sign-in.
 *
 * @param timeout seconds for each step of a sign-in, including all requests to the provider
 */
export class SignIn {
  readonly issuer: string;
  readonly #clientId: string;
  readonly #clientSecret: SignInSettings['clientSecret'];
  readonly #scopes: readonly string[];
  readonly #parameters: Readonly<Record<string, string>>;
  readonly #timeout: number;
  /**
   * Returns the provider. Rejects with A2AError `unavailable` while the provider does not answer; the next call tries
   * again.
   */
  readonly #provider: () => Promise<Provider>;

  constructor(issuer: string, { clientId, clientSecret, scopes = [], parameters = {} }: SignInSettings, timeout = 10) {
    this.issuer = issuer;
    this.#clientId = clientId;
    this.#clientSecret = clientSecret;
    this.#scopes = scopes;
    this.#parameters = parameters;
    this.#timeout = timeout;
    this.#provider = once(() =>
      this.#inTime(this.#discover()).catch((cause: unknown) => {
        throw new A2AError('unavailable', 'The identity provider cannot be used', { cause });
      }),
    );
  }

  async #inTime<T extends object>(pending: Promise<T>): Promise<T> {
    const value = await withTimeout(pending, this.#timeout * 1_000);
    if (value) return value;
    throw Object.assign(new Error(`it did not answer within ${this.#timeout} s`), { code: 'OAUTH_TIMEOUT' });
  }

  async #discover(): Promise<Provider> {
    // Installed only by gateways whose users sign in with OpenID Connect.
    const client = await import('openid-client');
    const url = new URL(this.issuer);
    const authentication = this.#clientSecret ? client.ClientSecretBasic(this.#clientSecret.reveal()) : client.None();
    // Verifies the signature of id tokens too, although the provider sends them directly.
    const execute = [client.enableNonRepudiationChecks];
    if (url.protocol === 'http:') execute.push(client.allowInsecureRequests);
    return [
      client,
      await client.discovery(url, this.#clientId, undefined, authentication, { execute, timeout: this.#timeout }),
    ];
  }

  /** Begins a sign-in. Returns the URL at the provider, and the state that the browser keeps meanwhile. */
  async begin(redirectUri: string): Promise<{ readonly url: URL; readonly pending: PendingSignIn }> {
    const [client, config] = await this.#provider();
    const state = client.randomState();
    const nonce = client.randomNonce();
    const verifier = client.randomPKCECodeVerifier();
    const url = client.buildAuthorizationUrl(config, {
      ...this.#parameters,
      redirect_uri: redirectUri,
      scope: [...new Set(['openid', ...this.#scopes])].join(' '),
      state,
      nonce,
      code_challenge_method: 'S256',
      code_challenge: await client.calculatePKCECodeChallenge(verifier),
    });
    return {
      url,
      pending: { issuer: this.issuer, redirectUri, state, nonce, verifier, until: Date.now() + signInTime },
    };
  }

  /**
   * Finishes a sign-in. Resolves to the access token, and the subject of the id token that came with it.
   *
   * Rejects with A2AError `unavailable` while the provider does not answer, and with `unauthenticated` for every
   * response that does not belong to this sign-in. The cause is for the log.
   *
   * @param query the query of the URL to which the provider redirected the browser
   */
  async finish(pending: PendingSignIn, query: string): Promise<{ readonly token: string; readonly subject: string }> {
    const [client, config] = await this.#provider();
    const { redirectUri, state: expectedState, nonce: expectedNonce, verifier: pkceCodeVerifier } = pending;
    const checks = { pkceCodeVerifier, expectedState, expectedNonce };
    try {
      if (pending.issuer !== this.issuer) throw new Error('the sign-in began at another issuer');
      const answer = new URL(`${redirectUri}?${query}`);
      const tokens = await this.#inTime(client.authorizationCodeGrant(config, answer, checks, this.#parameters));
      const subject = tokens.claims()?.sub;
      if (subject === undefined) throw new Error('the provider sent no id token');
      return { token: tokens.access_token, subject };
    } catch (cause) {
      const { code, message, error } = cause as { readonly [K in 'code' | 'message' | 'error']?: unknown };
      if (code === 'OAUTH_TIMEOUT' || message === 'fetch failed') {
        throw new A2AError('unavailable', 'The identity provider does not answer', { cause });
      }
      // Error codes of OAuth consist of these characters (RFC 6749 section 4.1.2.1).
      const said = typeof error === 'string' && /^\w{1,64}$/.test(error) ? ` (${error})` : '';
      throw new A2AError('unauthenticated', `The identity provider refused the sign-in${said}`, { cause });
    }
  }
}
