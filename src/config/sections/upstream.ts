import { isIP } from 'node:net';
import * as z from 'zod';
import type { JsonObject } from '../../core/model/json.ts';
import { shownUrl } from '../../core/model/shown-url.ts';
import { readOverride } from '../../dialects/kernel/card-override.ts';
import { dialectNames } from '../../dialects/registry.ts';
import type { UpstreamOptions } from '../../gen/settings.ts';
import type { OutboundAuthSettings } from '../../net/credentials/outbound-settings.ts';
import { expectedUpstreamUrl, type UrlWithUser } from '../addresses.ts';
import { below, type ResolveContext } from '../context.ts';
import { schemaFacts } from '../schema-facts.ts';
import { anything, flag, oneOf, section, serverUrl, timeout } from '../schema-parts.ts';
import { suggestionFor } from '../suggest.ts';
import { resolveTrust, type TrustConfig, trust } from './cards.ts';
import { resolveOnBehalf, upstreamAuth } from './on-behalf.ts';
import { resolveTarget } from './outbound-auth.ts';

/** The bindings that an upstream can be called over. */
export const upstreamTransports = ['jsonrpc', 'rest', 'grpc', 'connect'] as const;

/** The settings of an upstream agent that are used as they are. */
const options = () => ({
  dialect: oneOf('auto', ...dialectNames)
    .prefault('auto')
    .describe('The dialect that the agent speaks. `auto` detects it.'),
  transport: oneOf('auto', ...upstreamTransports)
    .prefault('auto')
    .describe('The binding to call the agent over. `auto` detects it.'),
  silence: timeout.prefault('10m').describe('Time without an event or an answer after which a task fails.'),
  keep: oneOf('tasks', 'none')
    .prefault('tasks')
    .describe("What the gateway keeps: the agent's tasks, or nothing, so that it only translates."),
  http2: flag
    .prefault(false)
    .describe('Whether the agent may be called over HTTP/2, where it has TLS and prefers HTTP/2. gRPC always is.'),
  path: flag
    .prefault(false)
    .describe(
      'Whether calls carry `A2A-Gateway-Path`, where `limits.root.keys` are set: the agent is behind another gateway with such a key.',
    ),
  strict: flag.prefault(false).describe('Whether a request is refused when a conversion would lose something of it.'),
  quirks: section('deviations of the agent from its dialect', () => ({
    base64Bytes: flag.optional().describe('Whether it puts base64 text where the bytes of a file belong.'),
    laterFields: flag.optional().describe('Whether it reads fields that came after the schema of 0.3.0.'),
  }))
    .optional()
    .describe("Deviations of the agent's software from its dialect. Default: detected."),
});

/** Of these, the gateway's own types are made. */
export const upstreamOptions = section('an upstream agent', options).register(schemaFacts, {
  output: 'UpstreamOptions',
});

const expectedShare = 'a percentage from 0 to 100';

const copy = z.union(
  [
    serverUrl(expectedUpstreamUrl),
    section('a copy of the agent', () => ({
      url: serverUrl(expectedUpstreamUrl).describe("The copy's base URL or the URL of its card."),
      share: z
        .number(anything(expectedShare))
        .min(0, anything(expectedShare))
        .max(100, anything(expectedShare))
        .optional()
        .describe(
          'Percent of the new tasks; 0 for none. Default: the copies without a share get what the others leave, each task the one with the fewest outstanding calls.',
        ),
    })),
  ],
  anything(`${expectedUpstreamUrl}, or a mapping with url, share`),
);

/** The keys of an upstream agent besides those of every agent. */
export const upstream = () => ({
  kind: z.literal('upstream').describe('An A2A agent at a URL.'),
  url: z
    .union(
      [serverUrl(expectedUpstreamUrl), z.array(copy).min(1, anything('at least one URL'))],
      anything(`${expectedUpstreamUrl}, or a list of the URLs of its copies`),
    )
    .describe("The agent's base URL or the URL of its card, or a list of them: the URLs of its copies."),
  eachAddress: flag
    .optional()
    .describe(
      'Whether each address of the name in `url` is a copy of the agent, as for a headless service of Kubernetes. Default false.',
    ),
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
      .describe("Whether a message is refused that does not name the extensions which the agent's card requires."),
  }))
    .optional()
    .describe("What is done about the extensions in the agent's card."),
  auth: upstreamAuth.optional().describe("The gateway's credentials at the agent. Default: none."),
  trust: trust.optional().describe("Whose signatures the agent's card must have. Default: it needs none."),
});

type UpstreamInput = z.output<z.ZodObject<ReturnType<typeof upstream>>>;

/** An A2A agent at a URL, of any dialect, over any binding. Without `trust`, its card needs no signature. */
export interface UpstreamConfig extends UpstreamOptions {
  readonly kind: 'upstream';
  /** The agent's base URL or the URL of its card; of several copies, that of the first. */
  readonly url: string;
  /** The gateway's credentials at the agent. */
  readonly auth: OutboundAuthSettings | undefined;
  readonly trust: TrustConfig | undefined;
  /** Members that take the place of those of the agent's card. They are valid. */
  readonly card?: JsonObject | undefined;
  readonly extensions?: { readonly enforce: boolean } | undefined;
  /** Where `url` is a list. */
  readonly copies?: readonly CopyConfig[];
  readonly eachAddress?: boolean | undefined;
  /** Of an agent that was registered at run time. */
  readonly registered?: RegisteredCard;
}

/** The approved card of an agent that a caller has registered. Its properties besides `id` are functions: they are no settings. */
export interface RegisteredCard {
  /** Of the revision. */
  readonly id: string;
  readonly card: () => JsonObject;
  /** Gets each card that the agent has, and returns the approved one. */
  readonly review: (document: unknown) => JsonObject;
}

/** One of the URLs of an upstream agent. */
export interface CopyConfig {
  readonly url: string;
  readonly share?: number | undefined;
}

export function resolveUpstream(
  { url: written, auth: credentials, trust, eachAddress, ...rest }: UpstreamInput,
  cx: ResolveContext,
): UpstreamConfig {
  const auth = credentials && resolveOnBehalf(credentials, below(cx, 'auth'));
  if (rest.card) requireOverride(rest.card, below(cx, 'card'));
  const isList = Array.isArray(written);
  const list = (isList ? written : [written]).map((each) =>
    typeof each.url === 'string' ? { url: each as UrlWithUser } : (each as { url: UrlWithUser; share?: number }),
  );
  const copies = list.map(({ url: { url }, share }) => ({ url, share }));
  if (isList) requireCopies(copies, below(cx, 'url'));
  const [first] = list as [(typeof list)[number]];
  const target = resolveTarget({ url: first.url, auth }, cx);
  for (const [at, { url }] of list.entries()) {
    if (!isList) break;
    if (url.user) cx.report(['url', String(at)], 'a URL of a list has no name and password; set auth, for all copies');
    else if (at > 0) resolveTarget({ url, auth }, cx);
  }
  if (eachAddress && isList) {
    cx.report(['eachAddress'], 'the copies are those in the list of url; give one URL, or remove eachAddress');
  } else if (eachAddress && isIP(new URL(target.url).hostname.replace(/^\[|\]$/g, '')) > 0) {
    cx.report(['eachAddress'], 'the host in url is an address; give the name of the service');
  }
  return {
    ...rest,
    ...target,
    trust: trust && resolveTrust(trust, cx),
    ...(isList && { copies }),
    ...(eachAddress && { eachAddress }),
  };
}

/** Reports members that no card has, and values that are not theirs. */
function requireOverride(card: JsonObject, { report }: ResolveContext): void {
  for (const { path, message, known } of readOverride(card).faults) {
    report(path, known ? `${message}; ${suggestionFor(path.at(-1) ?? '', known)}` : message);
  }
}

/** Reports copies that cannot be told apart, and shares that do not add up. */
function requireCopies(copies: readonly CopyConfig[], { report }: ResolveContext): void {
  // Tasks are stored with what is shown of the URL of their copy, which has no secrets.
  const places = copies.map(({ url }) => shownUrl(new URL(url)));
  for (const [at, place] of places.entries()) {
    const former = places.indexOf(place);
    if (former < at) report([String(at)], `this is the same copy as ${former}: their URLs differ by the query at most`);
  }
  const sum = copies.reduce((total, { share = 0 }) => total + share, 0);
  if (sum > 100) report([], `the shares are ${sum} percent together; expected 100 at most`);
  if (sum < 100 && copies.every(({ share }) => share !== undefined)) {
    report([], `the shares are ${sum} percent together; expected 100, or a copy without a share that gets the rest`);
  }
}
