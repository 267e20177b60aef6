import type { StateSpace } from '../../../src/core/model/agent.ts';
import { OnBehalf, type OnBehalfOptions } from '../../../src/net/credentials/on-behalf.ts';
import type { OnBehalfSettings, SettingsOf } from '../../../src/net/credentials/outbound-settings.ts';
import { createHttpClient } from '../../../src/net/http-client.ts';
import { Secret } from '../../../src/net/secret.ts';
import { afterTest, bodyOf, sendJson, serve } from '../../support/peer.ts';

/** Parts of tests of tokens that are each for one caller. */

export const forever = new AbortController().signal;

/** A caller with a bearer token. */
export const bearer = (token: string, principal = 'jwt:https://issuer.test#alice') => ({
  authorization: `Bearer ${token}`,
  principal,
});

/** A JWT whose signature is none: only the agent verifies it. */
export const jwt = (claims: object): string =>
  [{ alg: 'ES256' }, claims]
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.')
    .concat('.c2ln');

export const exchanging = { secret: (value: string) => new Secret(value) };

/** Settings of token exchange. */
export const settingsOf = (tokenUrl: string, more: Partial<SettingsOf<'exchange'>> = {}): SettingsOf<'exchange'> => ({
  type: 'exchange',
  tokenUrl,
  clientId: 'gw',
  clientSecret: new Secret('s3cret'),
  scopes: [],
  parameters: {},
  subject: 'caller',
  subjectTokenType: 'access_token',
  subjectClaim: 'sub',
  ...more,
});

/** The tokens for the agent `weather`, as one replica has them. */
export function openTokens(settings: OnBehalfSettings, options: Partial<OnBehalfOptions> = {}) {
  const http = createHttpClient();
  afterTest(() => http.close());
  return new OnBehalf(settings, { agent: 'weather', http, secret: async () => 'of the store', ...options });
}

/** A token endpoint that grants `granted-1`, `granted-2` and so on, unless `answer` says otherwise. */
export async function granting() {
  const forms: Record<string, string>[] = [];
  const answer: { status: number; fields: object } = { status: 200, fields: {} };
  const origin = await serve(async (req, res) => {
    forms.push(Object.fromEntries(new URLSearchParams(await bodyOf(req))));
    const granted = { access_token: `granted-${forms.length}`, token_type: 'Bearer', expires_in: 3_600 };
    sendJson(res, { ...(answer.status === 200 && granted), ...answer.fields }, answer.status);
  });
  return { tokenUrl: `${origin}/token`, forms, answer };
}

/** State that the agent of a task stores for it. */
export function keptState(): { readonly kept: Pick<StateSpace, 'get' | 'set'>; readonly values: Map<string, unknown> } {
  const values = new Map<string, unknown>();
  return {
    values,
    kept: {
      get: async <T>(key: string) => values.get(key) as T | undefined,
      set: async (key, value) => void values.set(key, value),
    },
  };
}
