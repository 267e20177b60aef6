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
    .describe('URL of the page of a trace, with `{traceId}` in place of its id. Default: traces are not linked.'),
  content: flag
    .prefault(true)
    .describe(
      'Whether lists of tasks show the request, and the reason why a task ended or waits. With false, neither is stored for lists.',
    ),
  signIn: section('signing in', () => ({
    clientId: text('the id of a client').describe('The id of the console as a client of the provider.'),
    clientSecret: secret("the client's secret").optional().describe("The client's secret. Default: it has none."),
    scopes: scopes('a list of scopes, each without spaces')
      .optional()
      .describe('The scopes to ask for, besides `openid`. Default: `auth.jwt.clientScopes`.'),
    parameters: z
      .record(
        textThat('a parameter that signing in does not set itself', (name) => !ownParameters.has(name)),
        text('the text of a parameter'),
        anything('parameters by their names, none of those that signing in sets itself'),
      )
      .optional()
      .describe(
        'Further parameters of the requests for a code and for a token, such as `resource` or `audience`, where the provider issues tokens for this gateway by them.',
      ),
  }))
    .optional()
    .describe(
      'Signing in to the console at the provider of `auth.jwt`, by OpenID Connect. Its access tokens must be such that `auth.jwt` accepts.',
    ),
}));

/** Parameters of OpenID Connect that belong to one sign-in. */
const ownParameters: ReadonlySet<string> = new Set([
  ...['client_id', 'client_secret', 'code', 'code_challenge', 'code_challenge_method', 'code_verifier', 'grant_type'],
  ...['nonce', 'redirect_uri', 'response_mode', 'response_type', 'scope', 'state'],
]);

const pageNames = [
  ...(['/healthz', '/readyz', '/agents', '/metrics', '/openapi.json'] as const),
  ...(['/.well-known/ai-catalog.json', '/.well-known/api-catalog'] as const),
] as const;

/** `pages`: whether the gateway serves its pages about itself, or which ones. */
export const ownPages = z
  .union([flag, z.array(oneOf(...pageNames))], anything(`true, false or a list of ${pageNames.join(', ')}`))
  .register(schemaFacts, { output: 'PagesConfig' })
  .prefault(true)
  .describe(
    'Whether the gateway serves its own pages: `/healthz`, `/readyz`, `/agents`, `/metrics`, `/openapi.json` and the catalogs, `/.well-known/ai-catalog.json` and `/.well-known/api-catalog`. A list names those that it serves. With false they are left to the app that the gateway is part of. Attached to the server of an app, the gateway serves of them only those that are named, and `/agents`.',
  );

/** `console`: whether and how the gateway serves the console. */
export const consolePages = z
  .union([flag, settings], anything('true, false or a mapping with traces, content and signIn'))
  .optional()
  .describe('Whether the gateway serves the console at `/console/`, or settings of the console. Default: as `pages`.');

/** Whether and how the console is served. */
export type ConsoleConfig =
  | boolean
  | { readonly traces?: string | undefined; readonly content: boolean; readonly signIn?: SignInSettings | undefined };

/** Reports that people cannot sign in at the provider of `auth.jwt`. */
export function checkSignIn(
  input: boolean | { readonly signIn?: object | undefined } | undefined,
  jwt: JwtConfig | undefined,
  report: ReportProblem,
): void {
  if (typeof input !== 'object' || !input.signIn) return;
  if (!jwt) {
    report(['console', 'signIn'], 'requires auth.jwt: the provider at which people sign in, and what its tokens allow');
    return;
  }
  const { protocol, hostname } = URL.parse(jwt.issuer) ?? {};
  if (protocol === 'https:' || (protocol === 'http:' && isLoopbackHost(hostname ?? ''))) return;
  report(['console', 'signIn'], 'requires an issuer in auth.jwt that is an https URL, or an http URL on loopback');
}
