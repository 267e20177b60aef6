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

/** The settings of an upstream agent that are used as they are. */
const options = () => ({
  dialect: oneOf('auto', ...dialectNames)
    .prefault('auto')
    .describe('The dialect that the agent speaks. `auto` detects it.'),
  transport: oneOf('auto', ...calledBindings)
    .prefault('auto')
    .describe('The binding to call the agent over. `auto` detects it.'),
  silence: timeout.prefault('10m').describe('Time without an event or an answer after which a task fails.'),
  keep: oneOf('tasks', 'none')
    .prefault('tasks')
    .describe("Whether the gateway keeps the agent's tasks, or only translates."),
  http2: flag
    .prefault(false)
    .describe('Whether the gateway uses HTTP/2 if the agent has TLS and prefers HTTP/2. gRPC always uses it.'),
  path: flag
    .prefault(false)
    .describe(
      'Whether calls carry `A2A-Gateway-Path` if `limits.root.keys` are set, because the agent is behind another gateway with such a key.',
    ),
  strict: flag.prefault(false).describe('Whether a request is refused if a conversion would drop a field of it.'),
  quirks: section('deviations of the agent from its dialect', () => ({
    base64Bytes: flag.optional().describe('Whether the agent uses base64 text in place of the bytes of a file.'),
    laterFields: flag.optional().describe('Whether the agent reads fields that were added after the schema of 0.3.0.'),
  }))
    .optional()
    .describe("Deviations of the agent's software from its dialect. Default: detected."),
});

/** Of these, the gateway's own types are made. */
export const upstreamOptions = section('an upstream agent', options).register(schemaFacts, {
  output: 'UpstreamOptions',
});

/** The keys of an upstream agent besides those of every agent. */
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
    .describe("The agent's base URL or the URL of its card, or a list of them: the URLs of its copies."),
  ...options(),
  card: z
    .record(z.string(), z.unknown(), anything('members of a card, such as name, capabilities and skills'))
    .optional()
    .describe(
      "Members that take the place of those of the agent's card, as A2A 1.0 has them, or in the form of the agent's own version where only that has them, such as `url`. Objects are merged by member, lists are replaced, and null removes a member.",
    ),
  extensions: section('what is done about the extensions of the agent', () => ({
    enforce: flag
      .prefault(true)
      .describe("Whether a message that does not name the extensions required by the agent's card is refused."),
  }))
    .optional()
    .describe("Handling of the extensions in the agent's card."),
  auth: upstreamAuth.optional().describe("The gateway's credentials at the agent. Default: none."),
  trust: trust.optional().describe("The keys that must have signed the agent's card. Default: no signature is needed."),
});

type UpstreamInput = z.output<z.ZodObject<ReturnType<typeof upstream>>>;

/** An A2A agent at a URL, of any dialect, over any binding. Without `trust`, its card needs no signature. */
export interface UpstreamConfig extends UpstreamOptions {
  readonly kind: 'upstream';
  /** The agent's base URL or the URL of its card, or those of its copies. */
  readonly url: string | readonly string[];
  /** The gateway's credentials at the agent. */
  readonly auth: OutboundAuthSettings | undefined;
  readonly trust: TrustConfig | undefined;
  /** Members that take the place of those of the agent's card. They are valid. */
  readonly card?: JsonObject | undefined;
  readonly extensions?: { readonly enforce: boolean } | undefined;
  /** The card of an agent that a module adds and whose card it judges. */
  readonly reviewed?: ReviewedCard;
}

/** The card that is served for an agent, whatever card the agent has. Its properties besides `id` are functions: they are no settings. */
export interface ReviewedCard {
  /** Another one for another card. */
  readonly id: string;
  readonly card: () => JsonObject;
  /** Gets each card that the agent has, and returns the one that is served. */
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
      'a list of copies needs keep: tasks: a gateway that keeps no tasks does not know which copy has one',
    );
  }
  const target = Array.isArray(written) ? copiesAt(written, auth, cx) : resolveTarget({ url: written, auth }, cx);
  return { ...rest, ...target, trust: trust && resolveTrust(trust, cx) };
}

/** The copies of an agent, with the same credentials. */
function copiesAt(urls: readonly UrlWithUser[], auth: AuthInput | undefined, cx: ResolveContext) {
  const shown = urls.map(({ url }) => shownUrl(new URL(url)));
  for (const [at, { user }] of urls.entries()) {
    const report = (text: string): void => cx.report(['url', String(at)], text);
    if (user) report('a URL of a list has no name and password; set auth, for all copies');
    // The shown form of its URL, which has no secrets, names a copy in the store.
    const former = shown.indexOf(shown[at] as string);
    if (former < at) report(`this is the same copy as ${former}: their URLs differ by the query at most`);
  }
  const targets = urls.map(({ url }) => resolveTarget({ url: { url, user: undefined }, auth }, cx));
  return { url: targets.map(({ url }) => url), auth: targets[0]?.auth };
}

/** Reports members that no card has, and values that are not theirs. */
function requireOverride(card: JsonObject, { report }: ResolveContext): void {
  for (const { path, message, known } of readOverride(card).faults) {
    report(path, known ? `${message}; ${suggestionFor(path.at(-1) ?? '', known)}` : message);
  }
}
