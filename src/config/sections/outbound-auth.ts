import * as z from 'zod';
import type { OutboundAuthSettings } from '../../net/outbound-settings.ts';
import { Secret } from '../../net/secret.ts';
import { isWebUrl, type UrlWithUser } from '../addresses.ts';
import type { ResolveContext } from '../context.ts';
import { credentialHeader, scopes, section, text, textThat, variants } from '../schema-parts.ts';

/** A text that is encoded in a header. Error messages never contain it. */
const secret = (what: string) =>
  textThat(`${what}: a text without line breaks and other control characters`, (value) =>
    /^[^\p{Cc}]+$/u.test(value),
  ).transform((value) => new Secret(value));

/** A text that is sent unencoded in a header. */
const headerSecret = (what: string) =>
  textThat(`${what}: printable ASCII characters without line breaks`, (value) =>
    /^[\x20-\x7e]+$/.test(value),
  ).transform((value) => new Secret(value.trim()));

const pem = (what: string) => text(`the path of a PEM file: ${what}`);

/** `auth` of an upstream agent, a tool server or a graph database: the gateway's credentials there. */
export const outboundAuth = variants('type', 'credentials', {
  apiKey: section('an API key', {
    type: z.literal('apiKey'),
    key: headerSecret('an API key'),
    header: credentialHeader().optional(),
  }),
  bearer: section('a bearer token', { type: z.literal('bearer'), token: headerSecret('a token') }),
  basic: section('a name and a password', {
    type: z.literal('basic'),
    username: textThat('a user name without colon and control characters', (value) => /^[^:\p{Cc}]+$/u.test(value)),
    password: secret('a password'),
  }),
  oauth2: section('client credentials', {
    type: z.literal('oauth2'),
    tokenUrl: textThat('the http or https URL of a token endpoint, without user and fragment', isWebUrl),
    clientId: text('the id of a client'),
    clientSecret: secret("the client's secret"),
    scopes: scopes('a list of scopes, each without spaces').default([]),
  }),
  mtls: section('a client certificate', {
    type: z.literal('mtls'),
    cert: pem('the certificate'),
    key: pem('its private key'),
    ca: pem("the authorities that the agent's certificate is of").optional(),
  }),
  forward: section("the caller's own credentials", { type: z.literal('forward') }),
});

type AuthInput = z.output<typeof outboundAuth>;

/** A server's URL and the gateway's credentials there, from `auth` or from the URL itself. */
export function resolveTarget(
  { url: { url, user }, auth }: { readonly url: UrlWithUser; readonly auth?: AuthInput | undefined },
  { locate, report }: ResolveContext,
): { readonly url: string; readonly auth: OutboundAuthSettings | undefined } {
  if (user !== undefined && auth !== undefined) {
    report(['auth'], 'the URL already holds a name and a password; remove them from the URL, or remove auth');
  }
  if (auth?.type === 'mtls' && !url.startsWith('https:')) {
    report(['auth', 'type'], 'a client certificate needs an https URL');
  }
  if (user !== undefined) {
    return { url, auth: { type: 'basic', username: user.username, password: new Secret(user.password) } };
  }
  if (auth?.type !== 'mtls') return { url, auth: auth as OutboundAuthSettings | undefined };
  const { ca, ...files } = auth;
  const located = { ...files, cert: locate(files.cert), key: locate(files.key) };
  return { url, auth: ca === undefined ? located : { ...located, ca: locate(ca) } };
}
