import { type Binding, type BindingName, bindings } from '../../../client/bindings.ts';
import type { InterfaceChoice, InterfacePreferences } from '../../../client/choose.ts';
import { configuredWays } from '../../../client/configured.ts';
import { allDialects, dialectsFor } from '../../../client/dialects.ts';
import type { DialectName } from '../../../client/index.ts';
import { choiceOf, decide, type ProbeOptions, probe } from '../../../client/probe/index.ts';
import { methodOf } from '../../../client/probe/tables.ts';
import type { FoundCard } from '../../../client/read-card.ts';
import { inOtherDialects } from '../../../client/ways.ts';
import { A2AError } from '../../../core/model/errors.ts';
import { shownUrl } from '../../../core/model/shown-url.ts';
import type { CardSource } from './card-source.ts';

/**
 * The ways to call an agent, in the order in which they are tried: from the configuration, the card or a probe.
 *
 * @param read undefined: the agent has no card that can be read
 * @throws A2AError `unsupportedOperation` if the card lists no suitable interface; `upstreamUnreachable` if nothing answers
 */
export async function chooseWays(source: CardSource, read: FoundCard | undefined): Promise<readonly InterfaceChoice[]> {
  const { dialect, transport, trust } = source.options;
  const usable = source.usable(read);
  const preferences = { ...(transport !== 'auto' && { via: transport }), ...(dialect !== 'auto' && { as: dialect }) };
  // If the card has lost its interfaces, a probe finds them more reliably than a guess.
  const listsWays = read !== undefined && (trust?.required === true || read.card.supportedInterfaces.length > 0);
  const chosen = await choose(source, usable, { preferences, listsWays });
  // If a signed card is required, only that card determines how the agent is called.
  const mayGuess = dialect === 'auto' && !trust?.required;
  return mayGuess ? inOtherDialects(chosen, dialectsFor(undefined)) : chosen;
}

interface Wanted {
  /** Binding and dialect, if the configuration names them. */
  readonly preferences: InterfacePreferences;
  /** Whether the agent's card lists interfaces. */
  readonly listsWays: boolean;
}

async function choose(
  source: CardSource,
  card: FoundCard | undefined,
  { preferences, listsWays }: Wanted,
): Promise<readonly InterfaceChoice[]> {
  const { target } = source;
  const isRequired = source.options.trust?.required === true;
  const { as, via } = preferences;
  if (as && via && !isRequired) return configuredWays(card, { target, as, via });
  const asking = askingOf(source, preferences);
  if (!card || !listsWays) return probed(source, card, asking);
  try {
    return (await decide(target.href, card, { ...asking, thorough: true })).choices;
  } catch (thrown) {
    const error = A2AError.from(thrown);
    // The configuration may name an interface that the card does not list, unless only a signed card may be trusted.
    if (error.kind !== 'unsupportedOperation' || isRequired) throw error;
    return probed(source, card, asking, error);
  }
}

/** Credentials and connections for the requests of a probe. */
function askingOf({ target, options, signal }: CardSource, preferences: InterfacePreferences): ProbeOptions {
  const { auth, http, tls } = options;
  return {
    http,
    headersFor: (to) => () => auth.headers(undefined, to, signal),
    tlsFor: (to) => (to.hostname === target.hostname ? tls : undefined),
    signal,
    ...preferences,
  };
}

/** @param notListed the reason why the card does not determine how to call the agent */
async function probed(
  source: CardSource,
  card: FoundCard | undefined,
  asking: ProbeOptions,
  notListed?: A2AError,
): Promise<readonly InterfaceChoice[]> {
  const { target } = source;
  const { found, rejected } = await probe(target.href, { ...asking, ...(card && { card }) });
  if (found.length > 0) return found.map((way) => choiceOf(way));
  const isThere = rejected.some(({ kind }) => kind !== 'upstreamUnreachable' && kind !== 'upstreamTimeout');
  const likely = isThere ? likelyWay(card, asking) : undefined;
  if (likely) return configuredWays(card, { target, ...likely });
  const nothing = `found neither an agent card nor an agent at ${shownUrl(target)}`;
  throw notListed ?? source.unread ?? new A2AError('upstreamUnreachable', nothing);
}

/** Returns the most likely interface of an agent that does not answer a probe; undefined if nothing is known about it. */
function likelyWay(
  found: FoundCard | undefined,
  { as, via }: InterfacePreferences,
): { readonly as: DialectName; readonly via: BindingName } | undefined {
  const known = allDialects().find(({ name }) => name === (as ?? found?.dialect.name));
  if (known) {
    const sends = ({ wireFormat }: Binding): boolean => methodOf(wireFormat, known, 'SendMessage') !== undefined;
    const binding = bindings.find((one) => (via === undefined ? !one.onRequest : one.name === via) && sends(one));
    return binding && { as: known.name, via: binding.name };
  }
  const [newest] = dialectsFor(undefined);
  return via && newest ? { as: newest.name, via } : undefined;
}
