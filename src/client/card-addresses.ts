import { type AgentCard, type AgentInterface, v1Dialects } from '../core/model/a2a.ts';
import type { CardProblem } from '../core/model/agent.ts';
import { trimEnd } from '../core/model/text.ts';
import { isLoopback } from '../dialects/card-rules/rule.ts';
import { baseAddress, bindingAt } from '../dialects/kernel/card-reading.ts';
import type { Dialect } from '../dialects/kernel/dialect.ts';

/**
 * The addresses in a card, as seen from where the card was found. An agent often knows only the address that it listens on, or
 * the address of the machine it was written on.
 */

/** A card whose interfaces have absolute addresses. */
export interface AddressedCard {
  readonly card: AgentCard;
  /** Further addresses of the interfaces, at the origin of the card. To be tried after those of the card. */
  readonly further: readonly AgentInterface[];
  /** Of the card's interfaces, those that are at another address than the card says. */
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

/** Problems of addresses that the card's address completes. */
const relative: ReadonlySet<string | undefined> = new Set(['is relative', 'has no scheme']);

interface Resolved {
  readonly url: string;
  /** The fault of the address in the card. */
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
    return { ...atOrigin(url?.pathname ?? '/', at, base), problem: 'is no address of HTTP' };
  }
  if (/^(?:urn|mailto|did|agent|data):/i.test(address)) return { url: base.href, problem: 'is no address of HTTP' };
  const named = looksLikeHost.test(address) ? URL.parse(`${at.protocol}//${address}`) : null;
  if (named) return { ...judged(named, named.href, at, base), problem: 'has no scheme' };
  return { url: new URL(address, at).href, problem: 'is relative', others: below(base, address) };
}

/** A host with dots or a port, and perhaps a path. */
const looksLikeHost = /^(?:(?:localhost|\[[\da-f:.]+\]|[\w-]+(?:\.[\w-]+)+)(?::\d+)?|[\w-]+:\d+)(?:[/?#]|$)/i;

/** The path behind a template in which the server's own address was not filled in; undefined where there is no template. */
function afterTemplate(address: string): string | undefined {
  const start = address.startsWith('$') ? 1 : 0;
  const end = address.indexOf('}');
  return address.startsWith('{', start) && end > 0 ? address.slice(end).replace(/^\}+/, '') : undefined;
}

/** A relative address that was meant below the agent's base URL. */
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

/** Whether a card is where agents have theirs. A registry of cards is another server than the agents. */
const isWellKnown = ({ pathname }: URL): boolean =>
  /\/(?:\.well-known\/agent(?:-card)?|agent-card)\.json$/.test(pathname);

/** The path of an address at the origin of the card, and the agent's base URL; that first where there is no path. */
function atOrigin(path: string, at: URL, base: URL): Required<Pick<Resolved, 'url' | 'others'>> {
  const moved = (URL.parse(path, at.origin) ?? new URL(at.origin)).href;
  const isRoot = path === '' || path === '/';
  return isRoot ? { url: base.href, others: [moved] } : { url: moved, others: [base.href] };
}

/** Addresses of gRPC have no path. They are `host:port`, or URLs of any scheme. */
function resolvedGrpc(address: string, at: URL): Resolved {
  const [, scheme = '', host = '', port = ''] =
    /^([a-z][a-z0-9+.-]*:\/\/)?(\[[^\]]*\]|[^:/?#]*)(:\d+)?(?:[/?#]|$)/i.exec(address) ?? [];
  const own = { url: `${scheme}${at.hostname}${port}` };
  if (address === baseAddress || host === '')
    return { url: at.origin, ...(address !== baseAddress && { problem: 'names no host' }) };
  if (unspecified.has(host)) return { ...own, problem: `leads to no host (${host})` };
  const probe = URL.parse(`http://${host}`);
  if (probe === null) return { url: at.origin, problem: 'is no address' };
  if (isLoopback(probe) && !isLoopback(at)) return { ...own, problem: `leads to the machine of each client (${host})` };
  return { url: address, ...(probe.hostname !== at.hostname && isWellKnown(at) && { others: [own.url] }) };
}
