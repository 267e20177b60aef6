import type { AgentCard, AgentInterface } from '../core/model/a2a.ts';
import type { CardProblem } from '../core/model/agent.ts';
import { A2AError } from '../core/model/errors.ts';
import { isObject, type JsonObject } from '../core/model/json.ts';
import { shownUrl } from '../core/model/shown-url.ts';
import { trimEnd } from '../core/model/text.ts';
import { type CardOverride, overriddenPaths, withDocument, withMembers } from '../dialects/kernel/card-override.ts';
import { cleanDocument } from '../dialects/kernel/card-reading.ts';
import type { Dialect } from '../dialects/kernel/dialect.ts';
import { withAddresses } from './card-addresses.ts';
import { hasUsableInterface, type ReadCard } from './choose.ts';
import { allDialects } from './dialects.ts';

/** A document read as a card, in the dialect for which it was most likely written. */
export interface RecognizedCard extends ReadCard {
  /** Parts of the document that cannot be used as written. */
  readonly problems: readonly CardProblem[];
  /**
   * The document read in other dialects in which it lists a usable interface: cards of different dialects have much in
   * common, some documents are written for several, and some dialects have no cards of their own.
   */
  readonly alternatives: readonly ReadCard[];
}

export type { CardOverride };

/** A document read in one dialect. */
interface Reading extends Required<ReadCard> {
  readonly problems: readonly CardProblem[];
  /** Whether it lists a usable interface. */
  readonly isUsable: boolean;
  /** Whether it lists a usable interface, and every part of it can be read. */
  readonly isWhole: boolean;
  /** Number of deviations from this dialect: parts that cannot be read, and members that its cards do not have. */
  readonly distance: number;
}

/** Maximum number of problems that are reported for a card. */
const maxProblems = 100;
/** Minimum number of members known from cards for a document to count as a card. */
const minMembers = 3;

/**
 * Reads a document in every dialect, member by member, and selects the dialect for which it was written: the first one
 * in which every part can be read and an interface is usable, otherwise the one in which the most can be read.
 *
 * @param dialects the preferred one first
 * @param at URL of the document
 * @param override members that take the place of those of the document
 * @throws A2AError `invalidAgentResponse` if the document is not a card
 */
export function recognizeCard(
  document: unknown,
  dialects: readonly Dialect[],
  at: URL,
  override?: CardOverride,
): RecognizedCard {
  const unclean: CardProblem[] = [];
  const clean = cleanDocument(document, unclean);
  if (!override) requireCard(clean, at);
  const given = override ? withDocument(clean, override.document) : (clean as JsonObject);
  const base = baseOf(at, dialects);
  const reading = { dialects, at, base, members: override?.members };
  const readings = dialects.flatMap((dialect) => readAs(given, dialect, reading));
  const [best, ...others] = readings.toSorted(byLikelihood);
  if (best === undefined) throw noCard(at, 'is not a card of a requested dialect');
  const problems = [...unclean, ...best.problems];
  return {
    ...plain(best),
    problems: (override ? remaining(problems, override, best) : problems).slice(0, maxProblems),
    alternatives: others.filter((one) => mayBe(one, best)).map(plain),
  };
}

/** @throws A2AError `invalidAgentResponse` if the document is not a card of any dialect */
function requireCard(document: unknown, at: URL): asserts document is JsonObject {
  if (!isObject(document)) throw noCard(at, 'is not a JSON object');
  const members = new Set(allDialects().flatMap(({ card }) => [...card.members]));
  const known = Object.keys(document).filter((name) => members.has(name));
  if (known.length < minMembers) throw noCard(at, 'lacks the members of a card');
}

/** Returns the problems of members that the override does not replace, and those of the override itself. */
function remaining(problems: readonly CardProblem[], override: CardOverride, { dialect }: Reading): CardProblem[] {
  const paths = overriddenPaths(override);
  const isOverridden = ({ path }: CardProblem): boolean =>
    paths.some((one) => path === one || path.startsWith(`${one}.`) || path.startsWith(`${one}[`));
  const ineffective = Object.keys(override.document).filter((name) => !dialect.card.members.has(name));
  return [
    ...problems.filter((problem) => !isOverridden(problem)),
    ...ineffective.map((name) => ({
      path: name,
      reason: `is set by the configuration and has no effect: the agent's card is of ${dialect.name}`,
    })),
  ];
}

const plain = ({ card, dialect, further, moved }: Reading): ReadCard => ({ card, dialect, further, moved });

/** Counts the parts that cannot be read. A part within another one is not counted. */
function countOf(unread: readonly CardProblem[]): number {
  const paths = [...new Set(unread.map(({ path }) => path))];
  const isWithin = (path: string, other: string): boolean =>
    path.startsWith(`${other}.`) || path.startsWith(`${other}[`);
  return paths.filter((path) => !paths.some((other) => isWithin(path, other))).length;
}

const noCard = (at: URL, why: string): A2AError =>
  new A2AError('invalidAgentResponse', `the agent card at ${shownUrl(at)} is not valid: it ${why}`);

interface ReadOptions {
  readonly dialects: readonly Dialect[];
  readonly at: URL;
  readonly base: URL;
  readonly members: JsonObject | undefined;
}

/** Reads the document in one dialect. Returns an empty list if the document is a card of another dialect. */
function readAs(document: JsonObject, dialect: Dialect, { dialects, at, base, members }: ReadOptions): Reading[] {
  const unread: CardProblem[] = [];
  let card: AgentCard;
  try {
    card = dialect.card.decode(document, { losses: new Set(), unread });
    if (members) card = withMembers(card, members);
  } catch {
    // The card of another dialect.
    return [];
  }
  const isLost = unread.some(({ path }) => path === 'supportedInterfaces');
  const { problems, ...resolved } = withAddresses(card, dialect, at, base);
  const addressed =
    isLost && card.supportedInterfaces.length === 0 ? { ...resolved, further: guesses(dialect, base) } : resolved;
  const strange = Object.keys(document).filter((name) => !dialect.card.members.has(name)).length;
  const isUsable = hasUsableInterface({ ...addressed, dialect }, dialects);
  const isWhole = isUsable && unread.length === 0;
  const isUnlikely = dialect.card.isUnlikely?.(document) ?? false;
  return [
    {
      ...addressed,
      dialect,
      problems: [...unread, ...problems],
      isUsable,
      isWhole,
      // Documents that are written for several dialects have members of each.
      distance: isWhole && !isUnlikely ? 0 : countOf(unread) + strange + Number(isUnlikely),
    },
  ];
}

/** Returns the most likely addresses of an agent whose card has lost its interfaces. */
const guesses = ({ card: { protocolVersion } }: Dialect, { href: url }: URL): AgentInterface[] =>
  ['JSONRPC', 'HTTP+JSON'].map((protocolBinding) => ({ url, protocolBinding, protocolVersion }));

/** Orders readings by their distance, and those with equal distance by whether they are usable. */
const byLikelihood = (one: Reading, other: Reading): number =>
  one.distance - other.distance || Number(other.isUsable) - Number(one.isUsable);

/** Whether a document may have been written for the dialect of `one` as well as for that of `best`. */
function mayBe(one: Reading, best: Reading): boolean {
  if (!one.isUsable || !best.isUsable) return false;
  return one.isWhole || (!best.isWhole && one.distance <= best.distance + 1);
}

/** The agent's base URL: a URL without the path of a card. */
export function baseOf(at: URL, dialects: readonly Dialect[] = allDialects()): URL {
  const { pathname } = at;
  if (!pathname.endsWith('.json')) return at;
  const paths = dialects.flatMap(({ card }) => card.paths).sort((a, b) => b.length - a.length);
  const path = paths.find((one) => pathname.endsWith(one)) ?? pathname.slice(pathname.lastIndexOf('/'));
  const base = new URL(at);
  base.pathname = trimEnd(pathname.slice(0, -path.length), '/');
  base.search = '';
  return base;
}
