import * as z from 'zod';
import { api } from '../../core/model/a2a.ts';
import type { DialectName } from '../../dialects/kernel/dialect.ts';
import { createDialects } from '../../dialects/kernel/registry.ts';
import { isSettableHeader } from '../../net/header-names.ts';
import { Secret } from '../../net/secret.ts';
import { anything, flag, oneOf, section, text, textAs, timeout, variants } from '../schema-parts.ts';
import { upstreamTransports } from '../types.ts';
import { trust } from './signing-schema.ts';
import { expectedUpstreamUrl, readUpstreamUrl } from './upstream-url.ts';

/** What `kind: upstream` may hold, before defaults and before paths are resolved. */

/** A text that can stand in a header. Messages never hold the text. */
const secret = (what: string) => {
  const expected = `${what}: a text without line breaks and other control characters`;
  return text(expected)
    .regex(/^[^\p{Cc}]+$/u, anything(expected))
    .transform((value) => new Secret(value));
};

/** The same for what is sent as it is, not encoded: header values are bytes. */
const headerSecret = (what: string) => {
  const expected = `${what}: printable ASCII characters without line breaks`;
  return text(expected)
    .regex(/^[\x20-\x7e]+$/, anything(expected))
    .transform((value) => new Secret(value.trim()));
};

const expectedHeader = 'the name of a header such as X-Api-Key, not one that HTTP or A2A needs for itself';

const expectedTokenUrl = 'the http or https URL of a token endpoint, without user and fragment';

const tokenUrl = text(expectedTokenUrl).refine((value) => {
  const url = URL.parse(value);
  return url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.password === '' && !url.hash;
}, anything(expectedTokenUrl));

const expectedScopes = 'a list of scopes, each without spaces';

const expectedUser = 'a user name without colon and control characters';

const pem = (what: string) => text(`the path of a PEM file: ${what}`);

/** What somebody else knows the gateway by. */
export const outboundAuth = variants('type', 'credentials', {
  apiKey: section('an API key', {
    type: z.literal('apiKey'),
    key: headerSecret('an API key'),
    header: text(expectedHeader).refine(isSettableHeader, anything(expectedHeader)).optional(),
  }),
  bearer: section('a bearer token', { type: z.literal('bearer'), token: headerSecret('a token') }),
  basic: section('a name and a password', {
    type: z.literal('basic'),
    username: text(expectedUser).regex(/^[^:\p{Cc}]+$/u, anything(expectedUser)),
    password: secret('a password'),
  }),
  oauth2: section('client credentials', {
    type: z.literal('oauth2'),
    tokenUrl,
    clientId: text('the id of a client'),
    clientSecret: secret("the client's secret"),
    scopes: z
      .array(
        text(expectedScopes).regex(/^[\x21\x23-\x5b\x5d-\x7e]+$/, anything(expectedScopes)),
        anything(expectedScopes),
      )
      .optional(),
  }),
  mtls: section('a client certificate', {
    type: z.literal('mtls'),
    cert: pem('the certificate'),
    key: pem('its private key'),
    ca: pem("the authorities that the agent's certificate is of").optional(),
  }),
  forward: section("the caller's own credentials", { type: z.literal('forward') }),
});

const dialects = createDialects(api).list.map(({ name }) => name);

/** The keys of an upstream agent besides `kind` and `hosts`. */
export const upstream = {
  url: textAs(expectedUpstreamUrl, readUpstreamUrl),
  dialect: oneOf('auto', ...(dialects as DialectName[])).optional(),
  transport: oneOf('auto', ...upstreamTransports).optional(),
  silence: timeout.optional(),
  strict: flag.optional(),
  quirks: section('what the software of the agent does otherwise than its generation has it', {
    base64Bytes: flag.optional().describe('whether it puts base64 text where the bytes of a file belong'),
    laterFields: flag.optional().describe('whether it reads fields that came after the schema of 0.3.0'),
  }).optional(),
  auth: outboundAuth.optional(),
  trust: trust.optional(),
};
