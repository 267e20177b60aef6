import { A2AError } from '../core/model/errors.ts';
import { once, withTimeout } from '../core/model/timing.ts';
import type { SignInSettings } from './settings.ts';

/** What a browser keeps, sealed, while its user is at the provider. */
export interface PendingSignIn {
  /** The issuer, so that the answer of another one is not taken for its answer after a reload. */
  readonly issuer: string;
  readonly redirectUri: string;
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
  /** When it is too late: milliseconds since the epoch. */
  readonly until: number;
}

/** Milliseconds in which a user must have signed in. */
const signInTime = 10 * 60_000;

export type SignIn = ReturnType<typeof createSignIn>;

/**
 * Signs people in at a provider, by OpenID Connect: authorization code with PKCE, state and nonce. The provider's metadata are
 * read when the first of them signs in.
 *
 * @param timeout seconds that the provider may take for each step of a sign-in, with all requests that it needs
 */
export function createSignIn(
  issuer: string,
  { clientId, clientSecret, scopes = [], parameters = {} }: SignInSettings,
  timeout = 10,
) {
  /** Rejects with A2AError `unavailable` while the provider does not answer; the next call tries again. */
  const provider = once(() =>
    inTime(discover()).catch((cause: unknown) => {
      throw new A2AError('unavailable', 'The identity provider cannot be used', { cause });
    }),
  );

  async function inTime<T extends object>(pending: Promise<T>): Promise<T> {
    const value = await withTimeout(pending, timeout * 1_000);
    if (value) return value;
    throw Object.assign(new Error(`it did not answer within ${timeout} s`), { code: 'OAUTH_TIMEOUT' });
  }

  async function discover() {
    // Installed where people sign in by it.
    const client = await import('openid-client');
    const url = new URL(issuer);
    const authentication = clientSecret ? client.ClientSecretBasic(clientSecret.reveal()) : client.None();
    // The signature of id tokens is checked too, although they come from the provider itself.
    const execute = [client.enableNonRepudiationChecks];
    if (url.protocol === 'http:') execute.push(client.allowInsecureRequests);
    return [client, await client.discovery(url, clientId, undefined, authentication, { execute, timeout })] as const;
  }

  return {
    issuer,
    /** Begins to sign in: the address of the provider, and what the browser keeps meanwhile. */
    async begin(redirectUri: string): Promise<{ readonly url: URL; readonly pending: PendingSignIn }> {
      const [client, config] = await provider();
      const [state, nonce, verifier] = [client.randomState(), client.randomNonce(), client.randomPKCECodeVerifier()];
      const url = client.buildAuthorizationUrl(config, {
        ...parameters,
        redirect_uri: redirectUri,
        scope: [...new Set(['openid', ...scopes])].join(' '),
        state,
        nonce,
        code_challenge_method: 'S256',
        code_challenge: await client.calculatePKCECodeChallenge(verifier),
      });
      return { url, pending: { issuer, redirectUri, state, nonce, verifier, until: Date.now() + signInTime } };
    },
    /**
     * The access token, and the subject of the id token that came with it.
     *
     * Rejects with A2AError `unavailable` while the provider does not answer, and with `unauthenticated` for every answer that
     * is not the one to this sign-in; the cause is for the log.
     *
     * @param query of the address that the provider sent the browser to
     */
    async finish(pending: PendingSignIn, query: string): Promise<{ readonly token: string; readonly subject: string }> {
      const [client, config] = await provider();
      const { redirectUri, state: expectedState, nonce: expectedNonce, verifier: pkceCodeVerifier } = pending;
      const checks = { pkceCodeVerifier, expectedState, expectedNonce };
      try {
        if (pending.issuer !== issuer) throw new Error('the sign-in began at another issuer');
        const answer = new URL(`${redirectUri}?${query}`);
        const tokens = await inTime(client.authorizationCodeGrant(config, answer, checks, parameters));
        const subject = tokens.claims()?.sub;
        if (subject === undefined) throw new Error('the provider sent no id token');
        return { token: tokens.access_token, subject };
      } catch (cause) {
        const { code, message, error } = cause as { readonly [K in 'code' | 'message' | 'error']?: unknown };
        if (code === 'OAUTH_TIMEOUT' || message === 'fetch failed') {
          throw new A2AError('unavailable', 'The identity provider does not answer', { cause });
        }
        // An error code of OAuth, which has no other characters (RFC 6749 section 4.1.2.1).
        const said = typeof error === 'string' && /^\w{1,64}$/.test(error) ? ` (${error})` : '';
        throw new A2AError('unauthenticated', `The identity provider did not sign you in${said}`, { cause });
      }
    },
  };
}
