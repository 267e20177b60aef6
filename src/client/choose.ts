import type { AgentCard, AgentInterface } from '../core/model/a2a.ts';
import { A2AError } from '../core/model/errors.ts';
import type { Dialect, DialectName } from '../dialects/kernel/dialect.ts';
import { majorMinor } from '../dialects/kernel/lookup.ts';
import { type Binding, type BindingName, bindings } from './bindings.ts';
import { allDialects } from './dialects.ts';

/** An interface of a card, and what it is called with. */
export interface Choice {
  readonly binding: Binding;
  readonly dialect: Dialect;
  readonly interface: AgentInterface;
}

export interface Wishes {
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
export function choices(found: ReadCard, dialects: readonly Dialect[] = allDialects()): Choice[] {
  const usable: Choice[] = [];
  for (const face of found.card.supportedInterfaces) {
    const dialect = dialectOf(face, found, dialects);
    if (dialect === undefined) continue;
    for (const binding of bindings) {
      if (binding.protocolBinding !== face.protocolBinding.toUpperCase()) continue;
      if (dialect[binding.face] !== undefined) usable.push({ binding, dialect, interface: face });
    }
  }
  return [...usable.filter(({ binding }) => !binding.onRequest), ...usable.filter(({ binding }) => binding.onRequest)];
}

/** Whether a card names anything that can be called in one of these dialects. */
export const callable = (found: ReadCard, dialects: readonly Dialect[]): boolean => choices(found, dialects).length > 0;

/**
 * The interface to call.
 *
 * @throws A2AError `unsupportedOperation` that says what the card offers instead
 */
export function choose(found: ReadCard, dialects: readonly Dialect[], { via, as }: Wishes): Choice {
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
export function addressOf({ binding, interface: face }: Pick<Choice, 'binding' | 'interface'>, cardUrl: string): URL {
  const bare = binding.face === 'grpc' && !/^[a-z][a-z0-9+.-]*:\/\//i.test(face.url);
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
