import * as z from 'zod';
import type { JsonObject } from '../../core/model/json.ts';
import { shownUrl } from '../../core/model/shown-url.ts';
import { calledBindings } from '../../dialects/kernel/binding-names.ts';
import { readOverride } from '../../dialects/kernel/card-override.ts';
import { dialectNames } from '../../dialects/registry.ts';
import type { UpstreamOptions } from '../../gen/settings.ts';
import type { OutboundAuthSettings } from '../../net/credentials/outbound-settings.ts';
import { expectedUpstreamUrl, type UrlWithUser } from '../addresses.ts';
import { below, type ResolveContext } from '../context.ts';
import { schemaFacts } from '../schema-facts.ts';
import { anything, flag, oneOf, section, serverUrl, timeout } from '../schema-parts.ts';
import { suggestionFor } from '../suggest.ts';
import { formerShare } from '../taken-out.ts';
import { resolveTrust, type TrustConfig, trust } from './cards.ts';
import { resolveOnBehalf, upstreamAuth } from './on-behalf.ts';
import { type AuthInput, resolveTarget } from './outbound-auth.ts';

/** The settings of an upstream agent that are used without conversion. */
const options = () => ({
  dialect: oneOf('auto', ...dialectNames)
    .prefault('auto')
    .describe('The dialect that the agent speaks. `auto` detects it.'),
  transport: oneOf('auto', ...calledBindings)
    .prefault('auto')
    .describe('The binding over which the agent is called. `auto` detects it.'),
  silence: timeout.prefault('10m').describe('Time without an event or a response after which a task fails.'),
  keep: oneOf('tasks', 'none')
    .prefault('tasks')
    .describe("Whether the gateway keeps the agent's tasks (`tasks`), or only translates calls (`none`)."),
  http2: flag
    .prefault(false)
    .describe('Whether the gateway uses HTTP/2 if the agent has TLS and prefers HTTP/2. gRPC always uses HTTP/2.'),
  path: flag
    .prefault(false)
    .describe(
      'Whether calls carry `A2A-Gateway-Path` if `limits.root.keys` are set, because the agent is behind another gateway with such a key.',
    ),
  strict: flag.prefault(false).describe('Whether a request is refused if a conversion would drop one of its fields.'),
  quirks: section('deviations of the agent from its dialect', () => ({
    base64Bytes: flag.optional().describe('Whether the agent uses base64 text instead of the bytes of a file.'),
    laterFields: flag
      .optional()
      .describe('Whether the agent accepts fields that were added after the schema of 0.3.0.'),
  }))
    .optional()
    .describe("Deviations of the agent's software from its dialect. Default: detected."),
});

/** The schema from which the gateway's own types are generated. */
export const upstreamOptions = section('an upstream agent', options).register(schemaFacts, {
  output: 'UpstreamOptions',
});

/** The keys of an upstream agent, in addition to those of every agent. */
export const upstream = () => ({
  kind: z.literal('upstream').describe('An A2A agent at a URL.'),
  url: z
    .union(
      [
        serverUrl(expectedUpstreamUrl),
        z.array(serverUrl(`${expectedUpstreamUrl}; ${formerShare}`)).min(1, anything('at least one URL')),
      ],
      anything(`${expectedUpstreamUrl}, or a list of the URLs of its copies`),
    )
    .describe("The agent's base URL or the URL of its card; for an agent with several copies, a list of their URLs."),
  ...options(),
  card: z
    .record(z.string(), z.unknown(), anything('members of a card, such as name, capabilities and skills'))
    .optional()
    .describe(
      "Members that replace those of the agent's card, in the form of A2A 1.0, or in the form of the agent's own version for members that only it defines, such as `url`. Objects are merged by member, lists are replaced, and null removes a member.",
    ),
  extensions: section('handling of extensions', () => ({
    enforce: flag
      .prefault(true)
      .describe("Whether a message that does not name the extensions required by the agent's card is refused."),
  }))
    .optional()
    .describe("Handling of the extensions in the agent's card."),
  auth: upstreamAuth.optional().describe("The gateway's credentials at the agent. Default: none."),
  trust: trust
    .optional()
    .describe("The keys that must have signed the agent's card. Default: no signature is required."),
});

type UpstreamInput = z.output<z.ZodObject<ReturnType<typeof upstream>>>;

/** An A2A agent at a URL, in any dialect and over any binding. Without `trust`, its card needs no signature. */
export interface UpstreamConfig extends UpstreamOptions {
  readonly kind: 'upstream';
  /** The agent's base URL or the URL of its card, or a list of the URLs of its copies. */
  readonly url: string | readonly string[];
  /** The gateway's credentials at the agent. */
  readonly auth: OutboundAuthSettings | undefined;
  readonly trust: TrustConfig | undefined;
  /** Members that replace those of the agent's card. They have been validated. */
  readonly card?: JsonObject | undefined;
  readonly extensions?: { readonly enforce: boolean } | undefined;
  /** The card of an agent that a module adds, and whose cards the module reviews. */
  readonly reviewed?: ReviewedCard;
}

/**
 * The card that is served for an agent, regardless of the card that the agent has. The members other than `id` are
 * functions, and not settings.
 */
export interface ReviewedCard {
  /** Id of the card. A different card has a different id. */
  readonly id: string;
  readonly card: () => JsonObject;
  /** Receives each card of the agent, and returns the card to serve. */
  readonly review: (document: unknown) => JsonObject;
}

export function resolveUpstream(
  { url: written, auth: credentials, trust, ...rest }: UpstreamInput,
  cx: ResolveContext,
): UpstreamConfig {
  const auth = credentials && resolveOnBehalf(credentials, below(cx, 'auth'));
  if (rest.card) requireOverride(rest.card, below(cx, 'card'));
  if (Array.isArray(written) && rest.keep === 'none') {
    cx.report(
      ['url'],
      'a list of copies needs keep: tasks: a gateway that keeps no tasks does not know which copy works on a task',
    );
  }
  const target = Array.isArray(written) ? copiesAt(written, auth, cx) : resolveTarget({ url: written, auth }, cx);
  return { ...rest, ...target, trust: trust && resolveTrust(trust, cx) };
}

/** Resolves the copies of an agent, which share the credentials. */
function copiesAt(urls: readonly UrlWithUser[], auth: AuthInput | undefined, cx: ResolveContext) {
  const shown = urls.map(({ url }) => shownUrl(new URL(url)));
  for (const [at, { user }] of urls.entries()) {
    const report = (text: string): void => cx.report(['url', String(at)], text);
    if (user) report('a URL in a list must not contain a user name and a password; set auth for all copies');
    // A copy is identified in the store by the displayed form of its URL, which contains no secrets.
    const former = shown.indexOf(shown[at] as string);
    if (former < at) report(`this is the same copy as ${former}: their URLs differ at most in the query`);
  }
  const targets = urls.map(({ url }) => resolveTarget({ url: { url, user: undefined }, auth }, cx));
  return { url: targets.map(({ url }) => url), auth: targets[0]?.auth };
}

/** Reports members that cards do not have, and invalid values. */
function requireOverride(card: JsonObject, { report }: ResolveContext): void {
  for (const { path, message, known } of readOverride(card).faults) {
    report(path, known ? `${message}; ${suggestionFor(path.at(-1) ?? '', known)}` : message);
  }
}
