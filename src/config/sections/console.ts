import * as z from 'zod';
import type { SignInSettings } from '../../auth/settings.ts';
import type { JwtConfig } from '../../gen/settings.ts';
import { isLoopbackHost, isWebUrl } from '../addresses.ts';
import type { ReportProblem } from '../context.ts';
import { schemaFacts } from '../schema-facts.ts';
import { anything, flag, oneOf, scopes, section, text, textThat } from '../schema-parts.ts';
import { secret } from './outbound-auth.ts';

const expectedTraces = 'an http or https URL with {traceId}, such as https://traces.example.com/trace/{traceId}';

const settings = section('console', () => ({
  traces: textThat(
    expectedTraces,
    (value) => value.includes('{traceId}') && isWebUrl(value.replaceAll('{traceId}', '0')),
  )
    .optional()
    .describe('URL of a page that shows a trace, with `{traceId}` for its id. Default: traces are not linked.'),
  content: flag
    .prefault(true)
    .describe(
      'Whether lists of tasks show the request, and the reason why a task ended or waits. With false, neither is stored for lists.',
    ),
  signIn: section('signing in', () => ({
    clientId: text('the id of a client').describe("The console's client id at the provider."),
    clientSecret: secret("the client's secret")
      .optional()
      .describe("The client's secret. Default: none, for a public client."),
    scopes: scopes('a list of scopes, each without spaces')
      .optional()
      .describe('The scopes to request in addition to `openid`. Default: `auth.jwt.clientScopes`.'),
    parameters: z
      .record(
        textThat('a parameter that signing in does not set itself', (name) => !ownParameters.has(name)),
        text('the text of a parameter'),
        anything('parameters by their names, none of those that signing in sets itself'),
      )
      .optional()
      .describe(
        'Further parameters of the requests for a code and for a token, such as `resource` or `audience`, if the provider needs them to issue tokens for this gateway.',
      ),
  }))
    .optional()
    .describe(
      'Sign-in to the console with OpenID Connect, at the provider of `auth.jwt`. Its access tokens must be accepted by `auth.jwt`.',
    ),
}));

/** Parameters that OpenID Connect itself sets for each sign-in. */
const ownParameters: ReadonlySet<string> = new Set([
  ...['client_id', 'client_secret', 'code', 'code_challenge', 'code_challenge_method', 'code_verifier', 'grant_type'],
  ...['nonce', 'redirect_uri', 'response_mode', 'response_type', 'scope', 'state'],
]);

const pageNames = [
  ...(['/healthz', '/readyz', '/agents', '/metrics', '/openapi.json'] as const),
  ...(['/.well-known/ai-catalog.json', '/.well-known/api-catalog'] as const),
] as const;

/** `pages`: whether the gateway serves its own pages, or which of them. */
export const ownPages = z
  .union([flag, z.array(oneOf(...pageNames))], anything(`true, false or a list of ${pageNames.join(', ')}`))
  .register(schemaFacts, { output: 'PagesConfig' })
  .prefault(true)
  .describe(
    'Whether the gateway serves its own pages: `/healthz`, `/readyz`, `/agents`, `/metrics`, `/openapi.json` and the catalogs, `/.well-known/ai-catalog.json` and `/.well-known/api-catalog`. A list names the pages to serve. With false, they are left to the app that embeds the gateway. A gateway attached to the server of an app serves only `/agents` and the pages that are named.',
  );

/** `console`: whether and how the gateway serves the console. */
export const consolePages = z
  .union([flag, settings], anything('true, false or a mapping with traces, content and signIn'))
  .optional()
  .describe(
    'Whether the gateway serves the console at `/console/`, or settings of the console. Default: true unless `pages` is false.',
  );

/** Whether and how the console is served. */
export type ConsoleConfig =
  | boolean
  | { readonly traces?: string | undefined; readonly content: boolean; readonly signIn?: SignInSettings | undefined };

/** Reports settings with which users cannot sign in at the provider of `auth.jwt`. */
export function checkSignIn(
  input: boolean | { readonly signIn?: object | undefined } | undefined,
  jwt: JwtConfig | undefined,
  report: ReportProblem,
): void {
  if (typeof input !== 'object' || !input.signIn) return;
  if (!jwt) {
    report(
      ['console', 'signIn'],
      'requires auth.jwt: the provider at which users sign in, and the rights of its tokens',
    );
    return;
  }
  const { protocol, hostname } = URL.parse(jwt.issuer) ?? {};
  if (protocol === 'https:' || (protocol === 'http:' && isLoopbackHost(hostname ?? ''))) return;
  report(['console', 'signIn'], 'requires an issuer in auth.jwt that is an https URL, or an http URL on loopback');
}
