import { type AgentCard, type AgentInterface, v1Dialects } from '../core/model/a2a.ts';
import { A2AError, type ErrorKind } from '../core/model/errors.ts';
import { majorMinor } from '../dialects/kernel/detect.ts';
import type { Dialect, DialectName } from '../dialects/kernel/dialect.ts';
import { neverArrived } from '../net/network-errors.ts';
import { type Binding, type BindingName, bindings } from './bindings.ts';
import { allDialects, dialectsFor } from './dialects.ts';

/** An interface of a card, with the binding and dialect to call it with. */
export interface InterfaceChoice {
  readonly binding: Binding;
  readonly dialect: Dialect;
  readonly interface: AgentInterface;
  /**
   * True if the card does not list the address. Another agent may answer there, so only messages that open tasks are
   * sent to it.
   */
  readonly isGuess?: true;
}

export interface InterfacePreferences {
  readonly via?: BindingName;
  readonly as?: DialectName;
  /**
   * Tenant of the calls, instead of the tenant of the card's interface. If the tenant of an interface identifies an
   * agent of the server, as over gRPC at this gateway, the two are joined: `weather/acme`.
   */
  readonly tenant?: string;
}

/** Returns the dialects to use, the preferred one first. Throws A2AError `invalidParams` if there is none. */
export function selectDialects({
  as,
  dialects = dialectsFor(as),
}: Pick<InterfacePreferences, 'as'> & { readonly dialects?: readonly Dialect[] }): readonly Dialect[] {
  const selected = as === undefined ? dialects : dialects.filter(({ name }) => name === as);
  if (selected.length === 0) throw A2AError.invalidParams(`${as} is not a dialect of this version`);
  return selected;
}

/** A card converted to v1, and the dialect in which it was read. */
export interface ReadCard {
  readonly card: AgentCard;
  readonly dialect: Dialect;
  /** Interfaces at addresses that the card does not list, which are tried after the card's own. Default: none. */
  readonly further?: readonly AgentInterface[];
  /** Interfaces of the card whose address was replaced by another one. Default: none. */
  readonly moved?: readonly AgentInterface[];
}

/** Removes all interfaces from a card whose address the card itself does not list. */
export function asWritten<T extends ReadCard>({ moved = [], ...reading }: T): T {
  const supportedInterfaces = reading.card.supportedInterfaces.filter((one) => !moved.includes(one));
  return { ...reading, card: { ...reading.card, supportedInterfaces }, further: [] } as unknown as T;
}

/**
 * Returns the dialect of an interface. If the card's dialect has no version numbers, it applies to all interfaces of
 * the card. Otherwise the interface's version decides: a number, or the name that v1 cards use for a dialect without
 * numbers.
 */
function dialectOf(
  { protocolVersion }: AgentInterface,
  { dialect }: ReadCard,
  dialects: readonly Dialect[],
): Dialect | undefined {
  if (dialect.versions.length === 0) return dialect;
  const version = majorMinor(protocolVersion);
  const all = [dialect, ...dialects];
  return (
    all.find(({ versions }) => versions.includes(version)) ??
    all.find(({ card }) => card.protocolVersion === protocolVersion || card.protocolVersion === version)
  );
}

/**
 * Returns the usable interfaces of a card in its order of preference, then those at other addresses. Bindings that
 * cards do not list come last. Preview dialects are used only if the card offers nothing else.
 */
export function choices(found: ReadCard, dialects: readonly Dialect[] = dialectsFor(undefined)): InterfaceChoice[] {
  const published = usableInterfaces(found, dialects);
  const usable = published.length > 0 ? published : usableInterfaces(found, allDialects());
  return [...usable.filter(({ binding }) => !binding.onRequest), ...usable.filter(({ binding }) => binding.onRequest)];
}

function usableInterfaces(found: ReadCard, dialects: readonly Dialect[]): InterfaceChoice[] {
  const { supportedInterfaces: own } = found.card;
  return [...own, ...(found.further ?? [])].flatMap((listed, at): InterfaceChoice[] => {
    const dialect = dialectOf(listed, found, dialects);
    if (dialect === undefined) return [];
    const name = listed.protocolBinding.toUpperCase();
    return bindings
      .filter(({ protocolBinding, wireFormat }) => protocolBinding === name && dialect[wireFormat] !== undefined)
      .map((binding) => ({ binding, dialect, interface: listed, ...(at >= own.length && { isGuess: true }) }));
  });
}

/** Whether a card lists an interface that can be called in one of these dialects. */
export const hasUsableInterface = (found: ReadCard, dialects: readonly Dialect[]): boolean =>
  choices(found, dialects).length > 0;

/** Returns the interfaces that the preferences allow, in the card's order. */
export function candidates(
  found: ReadCard,
  dialects: readonly Dialect[],
  { via, as }: InterfacePreferences,
): InterfaceChoice[] {
  return choices(found, dialects).filter(
    ({ binding, dialect }) =>
      (via === undefined ? !binding.onRequest : binding.name === via) && (as === undefined || dialect.name === as),
  );
}

/** Returns the interface to call. Throws A2AError `unsupportedOperation`, whose message lists what the card offers. */
export function choose(
  found: ReadCard,
  dialects: readonly Dialect[],
  preferences: InterfacePreferences,
): InterfaceChoice {
  const { via, as } = preferences;
  const [choice] = candidates(found, dialects, preferences);
  if (choice !== undefined) return choice;
  const title = bindings.find(({ name }) => name === via)?.title;
  const wanted = [title, as].filter((word) => word !== undefined).join(' in ');
  const offered = found.card.supportedInterfaces.map((one) => `${one.protocolBinding} ${one.protocolVersion}`);
  throw new A2AError(
    'unsupportedOperation',
    `the agent cannot be called over ${wanted === '' ? 'any supported binding' : wanted}; its card offers ${offered.join(', ') || 'nothing'}`,
  );
}

/**
 * Returns the tenant to send to an interface, '' for none. If only the gRPC interfaces of a card have a tenant, it
 * identifies an agent of the server, as at this gateway, and the caller's tenant is appended to it.
 *
 * @param tenant the caller's tenant
 */
export function tenantAt({ tenant: listed = '' }: AgentInterface, card: AgentCard, tenant = ''): string {
  if (listed === '' || tenant === '') return tenant || listed;
  const isAddress = card.supportedInterfaces.every(
    ({ protocolBinding, tenant: own = '' }) => own === '' || protocolBinding.toUpperCase() === 'GRPC',
  );
  return isAddress ? `${listed}/${tenant}` : tenant;
}

/** Returns the interface with a tenant. Throws A2AError `unsupportedOperation` if its dialect has no tenants. */
export function forTenant(choice: InterfaceChoice, card: AgentCard, tenant: string | undefined): InterfaceChoice {
  if (tenant === undefined || tenant === '') return choice;
  if (!v1Dialects.has(choice.dialect.name)) {
    throw new A2AError('unsupportedOperation', `${choice.dialect.name} has no tenants`);
  }
  return { ...choice, interface: { ...choice.interface, tenant: tenantAt(choice.interface, card, tenant) } };
}

/** Parses an HTTP or HTTPS URL. Undefined for any other text. */
const httpUrl = (text: string): URL | undefined => {
  const url = URL.parse(text);
  return url?.protocol === 'http:' || url?.protocol === 'https:' ? url : undefined;
};

const scheme = /^[a-z][a-z0-9+.-]*:\/\//i;

/**
 * Returns the URL to call. Cards give gRPC addresses as `host:port` (1.0) or as a URL (0.3). Both become an origin,
 * whose scheme selects TLS. An address without a scheme gets `https` for port 443, otherwise the scheme of the card's
 * URL.
 *
 * @throws A2AError `invalidAgentResponse` if the address is not a URL
 */
export function addressOf(
  { binding, interface: { url: address } }: Pick<InterfaceChoice, 'binding' | 'interface'>,
  cardUrl: string,
): URL {
  const protocol = address.endsWith(':443') ? 'https:' : new URL(cardUrl).protocol;
  const isBare = binding.wireFormat === 'grpc' && !scheme.test(address);
  const url = httpUrl(isBare ? `${protocol}//${address}` : address.replace(/^grpc(s?):/i, 'http$1:'));
  if (url) return url;
  throw new A2AError('invalidAgentResponse', `the agent's card names an interface at ${address}, which is not a URL`);
}

/**
 * Returns the choice for a caller who names both binding and dialect. The agent needs no card.
 *
 * @throws A2AError `unsupportedOperation` if the dialect lacks the binding
 */
export function explicitChoice(
  as: DialectName,
  via: BindingName,
  url: URL,
  dialects: readonly Dialect[],
): InterfaceChoice {
  const dialect = dialects.find(({ name }) => name === as);
  const binding = bindings.find(({ name }) => name === via);
  if (!dialect || !binding || dialect[binding.wireFormat] === undefined) {
    throw new A2AError('unsupportedOperation', `${as} is not available over ${binding?.title ?? via}`);
  }
  const { protocolVersion } = dialect.card;
  return { dialect, binding, interface: { url: url.href, protocolBinding: binding.protocolBinding, protocolVersion } };
}

/** Errors of servers that respond but provide no card. */
const noCard: ReadonlySet<ErrorKind> = new Set(['agentNotFound', 'unauthenticated', 'permissionDenied']);

/** Whether an agent with an explicit binding can be called although reading its card failed. */
export function worksWithoutCard(error: A2AError, via: BindingName, { pathname }: URL): boolean {
  // gRPC has no paths: only a card identifies one of several agents on a host.
  const isGrpc = bindings.some(({ name, wireFormat }) => name === via && wireFormat === 'grpc');
  if (pathname !== '/' && isGrpc) return false;
  if (noCard.has(error.kind)) return true;
  // gRPC servers with TLS close connections of other protocols.
  return error.kind === 'upstreamUnreachable' && via === 'grpc' && !neverArrived(error);
}

/** Parses a target as users write it: loopback hosts may omit `http://`, other hosts `https://`. */
export function parseTarget(target: string): URL {
  const isLocal = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])(:|\/|$)/i.test(target);
  const url = httpUrl(scheme.test(target) ? target : `${isLocal ? 'http' : 'https'}://${target}`);
  if (!url) {
    throw A2AError.invalidParams(
      `"${target}" is not the URL of an agent; expected something like http://localhost:8080`,
    );
  }
  url.hash = '';
  return url;
}
