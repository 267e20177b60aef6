import { type AgentCard, type AgentInterface, v1Dialects } from '../core/model/a2a.ts';
import type { CardProblem } from '../core/model/agent.ts';
import { trimEnd } from '../core/model/text.ts';
import { isLoopback } from '../dialects/card-rules/rule.ts';
import { baseAddress, bindingAt } from '../dialects/kernel/card-reading.ts';
import type { Dialect } from '../dialects/kernel/dialect.ts';

/**
 * Resolves the addresses in a card against the URL of the card. An agent often publishes only the address that it
 * listens on, or the address of the machine on which it was developed.
 */

/** A card whose interfaces have absolute addresses. */
export interface AddressedCard {
  readonly card: AgentCard;
  /** Alternative addresses of the interfaces, at the card's origin. They are tried after the card's own. */
  readonly further: readonly AgentInterface[];
  /** Interfaces of the card whose address was replaced by another one. Completed relative addresses do not count. */
  readonly moved: readonly AgentInterface[];
  readonly problems: readonly CardProblem[];
}

/**
 * Resolves the addresses of a card.
 *
 * @param at URL of the card
 * @param base the agent's base URL
 */
export function withAddresses(card: AgentCard, dialect: Dialect, at: URL, base: URL): AddressedCard {
  const further: AgentInterface[] = [];
  const moved: AgentInterface[] = [];
  const problems: CardProblem[] = [];
  const supportedInterfaces = card.supportedInterfaces.map((listed, index) => {
    const { url, problem, others = [] } = resolved(listed, at, base);
    further.push(...others.filter((other) => other !== url).map((other) => ({ ...listed, url: other })));
    if (problem !== undefined)
      problems.push({ path: pathOfInterface(dialect, index), reason: `${problem}: ${url} is called` });
    if (url === listed.url) return listed;
    const other = { ...listed, url };
    if (!relative.has(problem)) moved.push(other);
    return other;
  });
  const isSame = supportedInterfaces.every((one, index) => one === card.supportedInterfaces[index]);
  return { card: isSame ? card : { ...card, supportedInterfaces }, further: distinct(further), moved, problems };
}

const distinct = (interfaces: readonly AgentInterface[]): readonly AgentInterface[] => [
  ...new Map(interfaces.map((one) => [JSON.stringify(one), one])).values(),
];

/** Returns the path of an interface's address in the card. */
export function pathOfInterface({ name }: Pick<Dialect, 'name'>, index: number): string {
  if (v1Dialects.has(name)) return `supportedInterfaces[${index}].url`;
  return index === 0 ? 'url' : 'additionalInterfaces';
}

/** Problems of addresses that are completed from the card's URL. */
const relative: ReadonlySet<string | undefined> = new Set(['is relative', 'has no scheme']);

interface Resolved {
  readonly url: string;
  /** The problem with the address in the card. */
  readonly problem?: string;
  readonly others?: readonly string[];
}

const unspecified: ReadonlySet<string> = new Set(['0.0.0.0', '[::]', '*']);

function resolved(listed: AgentInterface, at: URL, base: URL): Resolved {
  const address = listed.url.trim();
  if (listed.protocolBinding.toUpperCase() === 'GRPC') return resolvedGrpc(address, at);
  if (address === baseAddress) return { url: base.href };
  const path = afterTemplate(address);
  if (path !== undefined) return { ...atOrigin(path, at, base), problem: 'is a template' };
  const url = URL.parse(address);
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return judged(url, listed.url, at, base);
  if (bindingAt(address) === 'GRPC' && /^grpcs?:/i.test(address)) return { url: listed.url };
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(address)) {
    return { ...atOrigin(url?.pathname ?? '/', at, base), problem: 'is not an HTTP URL' };
  }
  if (/^(?:urn|mailto|did|agent|data):/i.test(address)) return { url: base.href, problem: 'is not an HTTP URL' };
  const named = looksLikeHost.test(address) ? URL.parse(`${at.protocol}//${address}`) : null;
  if (named) return { ...judged(named, named.href, at, base), problem: 'has no scheme' };
  return { url: new URL(address, at).href, problem: 'is relative', others: below(base, address) };
}

/** A host with dots or a port, and perhaps a path. */
const looksLikeHost = /^(?:(?:localhost|\[[\da-f:.]+\]|[\w-]+(?:\.[\w-]+)+)(?::\d+)?|[\w-]+:\d+)(?:[/?#]|$)/i;

/**
 * Returns the path after a placeholder for the server's address that was not filled in. Undefined if there is no
 * placeholder.
 */
function afterTemplate(address: string): string | undefined {
  const start = address.startsWith('$') ? 1 : 0;
  const end = address.indexOf('}');
  return address.startsWith('{', start) && end > 0 ? address.slice(end).replace(/^\}+/, '') : undefined;
}

/** Resolves a relative address below the agent's base URL. */
function below(base: URL, address: string): string[] {
  if (address.startsWith('/')) return [];
  const url = URL.parse(address, `${trimEnd(base.href, '/')}/`);
  return url ? [url.href] : [];
}

function judged(url: URL, written: string, at: URL, base: URL): Resolved {
  const path = url.pathname + url.search;
  if (unspecified.has(url.hostname))
    return { ...atOrigin(path, at, base), problem: `leads to no host (${url.hostname})` };
  if (isLoopback(url) && !isLoopback(at)) {
    return { ...atOrigin(path, at, base), problem: `leads to the machine of each client (${url.hostname})` };
  }
  const isDowngrade = at.protocol === 'https:' && url.protocol === 'http:' && url.hostname === at.hostname;
  if (isDowngrade && (url.port === '' || url.port === at.port)) {
    const { url: encrypted, others = [] } = atOrigin(path, at, base);
    return { url: encrypted, problem: 'is not encrypted, unlike the card', others: [...others, written] };
  }
  if (url.origin === at.origin || !isWellKnown(at)) return { url: written };
  const { url: first, others = [] } = atOrigin(path, at, base);
  return { url: written, others: [first, ...others] };
}

/** Whether the card is at a well-known path of agents. A registry of cards is on another server than the agents. */
const isWellKnown = ({ pathname }: URL): boolean =>
  /\/(?:\.well-known\/agent(?:-card)?|agent-card)\.json$/.test(pathname);

/**
 * Moves the path of an address to the card's origin. The agent's base URL is the alternative, and the first choice if
 * the path is empty.
 */
function atOrigin(path: string, at: URL, base: URL): Required<Pick<Resolved, 'url' | 'others'>> {
  const moved = (URL.parse(path, at.origin) ?? new URL(at.origin)).href;
  const isRoot = path === '' || path === '/';
  return isRoot ? { url: base.href, others: [moved] } : { url: moved, others: [base.href] };
}

/** Resolves a gRPC address: `host:port`, or a URL of any scheme. It has no path. */
function resolvedGrpc(address: string, at: URL): Resolved {
  const [, scheme = '', host = '', port = ''] =
    /^([a-z][a-z0-9+.-]*:\/\/)?(\[[^\]]*\]|[^:/?#]*)(:\d+)?(?:[/?#]|$)/i.exec(address) ?? [];
  const own = { url: `${scheme}${at.hostname}${port}` };
  if (address === baseAddress || host === '')
    return { url: at.origin, ...(address !== baseAddress && { problem: 'names no host' }) };
  if (unspecified.has(host)) return { ...own, problem: `leads to no host (${host})` };
  const probe = URL.parse(`http://${host}`);
  if (probe === null) return { url: at.origin, problem: 'is not an address' };
  if (isLoopback(probe) && !isLoopback(at)) return { ...own, problem: `leads to the machine of each client (${host})` };
  return { url: address, ...(probe.hostname !== at.hostname && isWellKnown(at) && { others: [own.url] }) };
}
