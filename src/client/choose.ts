import type { AgentCard, AgentInterface } from '../core/model/a2a.ts';
import { A2AError, type ErrorKind } from '../core/model/errors.ts';
import type { Dialect, DialectName } from '../dialects/kernel/dialect.ts';
import { majorMinor } from '../dialects/kernel/lookup.ts';
import { neverArrived } from '../net/network-errors.ts';
import { type Binding, type BindingName, bindings } from './bindings.ts';
import { allDialects } from './dialects.ts';

/** An interface of a card, and what it is called with. */
export interface InterfaceChoice {
  readonly binding: Binding;
  readonly dialect: Dialect;
  readonly interface: AgentInterface;
}

export interface InterfacePreferences {
  readonly via?: BindingName;
  readonly as?: DialectName;
}

/** A card in v1 and the generation that it was written in. */
export interface ReadCard {
  /** In v1, whatever its generation. */
  readonly card: AgentCard;
  /** The generation that it was read as. */
  readonly dialect: Dialect;
}

/**
 * The dialect that an interface of a card speaks. A card of a generation without version numbers speaks that generation
 * on every interface; else the interface's own version tells: a number, or what v1 cards call the generations that have
 * none.
 */
function dialectOf(face: AgentInterface, { dialect }: ReadCard, dialects: readonly Dialect[]): Dialect | undefined {
  if (dialect.versions.length === 0) return dialect;
  const version = majorMinor(face.protocolVersion);
  const all = [dialect, ...dialects];
  return (
    all.find(({ versions }) => versions.includes(version)) ??
    all.find(({ card }) => card.protocolVersion === face.protocolVersion || card.protocolVersion === version)
  );
}

/**
 * Everything that could be used of a card, in the card's order of preference. Bindings that cards do not list come
 * after those that they do.
 */
export function choices(found: ReadCard, dialects: readonly Dialect[] = allDialects()): InterfaceChoice[] {
  const usable: InterfaceChoice[] = [];
  for (const face of found.card.supportedInterfaces) {
    const dialect = dialectOf(face, found, dialects);
    if (dialect === undefined) continue;
    for (const binding of bindings) {
      if (binding.protocolBinding !== face.protocolBinding.toUpperCase()) continue;
      if (dialect[binding.wireFormat] !== undefined) usable.push({ binding, dialect, interface: face });
    }
  }
  return [...usable.filter(({ binding }) => !binding.onRequest), ...usable.filter(({ binding }) => binding.onRequest)];
}

/** Whether a card names anything that can be called in one of these dialects. */
export const hasUsableInterface = (found: ReadCard, dialects: readonly Dialect[]): boolean =>
  choices(found, dialects).length > 0;

/**
 * The interface to call.
 *
 * @throws A2AError `unsupportedOperation` that says what the card offers instead
 */
export function choose(
  found: ReadCard,
  dialects: readonly Dialect[],
  { via, as }: InterfacePreferences,
): InterfaceChoice {
  const choice = choices(found, dialects).find(
    ({ binding, dialect }) =>
      (via === undefined ? !binding.onRequest : binding.name === via) && (as === undefined || dialect.name === as),
  );
  if (choice !== undefined) return choice;
  const title = bindings.find(({ name }) => name === via)?.title;
  const wanted = [title, as].filter((word) => word !== undefined).join(' in ');
  const offered = found.card.supportedInterfaces.map((face) => `${face.protocolBinding} ${face.protocolVersion}`);
  throw new A2AError(
    'unsupportedOperation',
    `the agent cannot be called over ${wanted === '' ? 'any binding known here' : wanted}; its card offers ${offered.join(', ') || 'nothing'}`,
  );
}

/**
 * The URL that a choice is called at. Cards give gRPC addresses as `host:port` (1.0) or as a URL (0.3); both become an
 * origin, whose scheme says whether TLS is spoken. Where a card does not tell, port 443 and what the card itself came over
 * decide.
 *
 * @throws A2AError `invalidAgentResponse` when it is not a URL
 */
export function addressOf(
  { binding, interface: face }: Pick<InterfaceChoice, 'binding' | 'interface'>,
  cardUrl: string,
): URL {
  const bare = binding.wireFormat === 'grpc' && !/^[a-z][a-z0-9+.-]*:\/\//i.test(face.url);
  const scheme = /:443$/.test(face.url) ? 'https:' : new URL(cardUrl).protocol;
  const text = bare ? `${scheme}//${face.url}` : face.url.replace(/^grpc(s?):/i, 'http$1:');
  const url = URL.parse(text);
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
    throw new A2AError(
      'invalidAgentResponse',
      `the agent's card names an interface at ${face.url}, which is not a URL`,
    );
  }
  return url;
}

/**
 * The way that a caller told in full, to an agent that need not have a card.
 *
 * @throws A2AError `unsupportedOperation` when the generation is not spoken over the binding
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
    throw new A2AError('unsupportedOperation', `${as} is not spoken over ${binding?.title ?? via}`);
  }
  const { protocolVersion } = dialect.card;
  return { dialect, binding, interface: { url: url.href, protocolBinding: binding.protocolBinding, protocolVersion } };
}

/** Errors with which somebody who is there gives no card. */
const noCard: ReadonlySet<ErrorKind> = new Set(['agentNotFound', 'unauthenticated', 'permissionDenied']);

/** Whether a card that could not be read for this reason is done without by who knows what to call over `via`. */
export function worksWithoutCard(error: A2AError, via: BindingName, { pathname }: URL): boolean {
  // Paths count for nothing in gRPC: only a card says how the agent at one is told from others on its host.
  if (pathname !== '/' && bindings.some(({ name, wireFormat: face }) => name === via && face === 'grpc')) return false;
  if (noCard.has(error.kind)) return true;
  // Servers that only speak gRPC over TLS hang up on who does not.
  return error.kind === 'upstreamUnreachable' && via === 'grpc' && !neverArrived(error);
}

/** A target as people write it: `http://` may be left out before a loopback host, `https://` before others. */
export function parseTarget(target: string): URL {
  const local = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])(:|\/|$)/i.test(target);
  const url = URL.parse(/^[a-z][a-z0-9+.-]*:\/\//i.test(target) ? target : `${local ? 'http' : 'https'}://${target}`);
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
    throw A2AError.invalidParams(
      `"${target}" is not the URL of an agent; expected something like http://localhost:8080`,
    );
  }
  url.hash = '';
  return url;
}
