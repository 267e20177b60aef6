import type { IncomingMessage } from 'node:http';
import { A2AError } from '../../core/model/errors.ts';
import type { AgentDirectory } from '../../core/ports/agent-directory.ts';
import type { Dialect } from '../../dialects/kernel/dialect.ts';
import type { Dialects } from '../../dialects/kernel/lookup.ts';

/** What a request's URL means. */
export interface RequestTarget {
  /** '' when the path is a service's, and no agent is the default. */
  readonly agent: string;
  /** '' or `/{agent}`. */
  readonly base: string;
  readonly path: string;
  readonly query: string;
  readonly pinned: Dialect | undefined;
  readonly atRoot: boolean;
  /** A card is asked for. */
  readonly card: boolean;
  /** The path is ours, but leads nowhere. */
  readonly error?: A2AError;
}

/** First segments at the root that are no agent and yet ours. */
export interface ReservedSegments {
  readonly services: ReadonlySet<string>;
  readonly segments: ReadonlySet<string>;
  /** Those among them that are about all agents, so that none needs to be the default. */
  readonly common: ReadonlySet<string>;
}

/** The words that the dialects' routes and services begin with, and those of other handlers. */
export function reservedSegments(
  { protocols: spoken }: Dialects,
  { services = [], rootSegments = [] }: { services?: readonly string[]; rootSegments?: readonly string[] },
): ReservedSegments {
  const rules = spoken.flatMap(({ rest }) => rest?.routes.map(({ rule }) => rule.path) ?? []);
  const firsts = rules.map((path) => path.split('/')[1] ?? '').filter((first) => !first.startsWith('{'));
  return {
    services: new Set([...spoken.flatMap(({ grpc }) => grpc?.service ?? []), ...services]),
    segments: new Set(['as', ...firsts]),
    common: new Set(rootSegments),
  };
}

/**
 * Which agent, dialect and path a URL means; undefined for a URL that is not ours. An agent's name comes first; at the
 * root, the first segment otherwise is a word of ours, and never a tenant.
 */
export function resolveTarget(
  req: IncomingMessage,
  agents: AgentDirectory,
  dialects: Dialects,
  words: ReservedSegments,
  isCard: (path: string, pinned: Dialect | undefined) => boolean,
): RequestTarget | undefined {
  const url = originForm(req.url ?? '/');
  const mark = url.indexOf('?');
  const whole = mark < 0 ? url : url.slice(0, mark);
  const query = mark < 0 ? '' : url.slice(mark + 1);
  const [first, below] = split(whole);
  const named = first !== '' && agents.get(first) !== undefined;
  const base = named ? `/${first}` : '';
  const { host } = req.headers;
  const agent = named ? first : ((host !== undefined ? agents.forHost(host) : undefined) ?? agents.defaultName);
  let path = withoutSlash(named ? below : whole);
  let pinned: Dialect | undefined;
  const target = (more: { error?: A2AError; card?: boolean } = {}): RequestTarget => {
    const atRoot = !named && !pinned;
    return { agent: agent ?? '', base, path, query, pinned, atRoot, card: false, ...more };
  };

  const [word, rest] = split(path);
  if (word === 'as') {
    ({ pinned, path } = unpin(path, dialects));
    if (!pinned) {
      const known = [...dialects.byName.keys()].join(', ');
      return target({ error: new A2AError('routeNotFound', `/as/ is followed by one of ${known}`) });
    }
  }
  if (isCard(path, pinned)) return agent === undefined ? target({ error: noDefault() }) : target({ card: true });
  if (named || pinned) return agent === undefined ? target({ error: noDefault() }) : target();
  if ((words.services.has(word) && rest !== '') || words.common.has(word)) return target();
  if (path !== '' && !words.segments.has(word) && !isFile(word, rest)) return undefined;
  // The root itself belongs to whoever shows pages; only calls are ours.
  if (path === '' && req.method !== 'POST' && req.method !== 'OPTIONS') return undefined;
  return agent === undefined ? target({ error: noDefault() }) : target();
}

/** The dialect that a path begins with as `/as/{dialect}`, and what is below; the path itself where it does not. */
export function unpin(path: string, { byName }: Dialects): { pinned: Dialect | undefined; path: string } {
  const [word, rest] = split(path);
  if (word !== 'as') return { pinned: undefined, path };
  const [dialect, tail] = split(rest);
  return { pinned: byName.get(dialect), path: withoutSlash(tail) };
}

/** At the root a path of this name may be somebody else's, but not with such a token behind it. */
const isFile = (word: string, rest: string): boolean =>
  word === 'files' && rest.length > 100 && /^\/[\w-]+$/.test(rest);

const noDefault = (): A2AError =>
  new A2AError('agentNotFound', 'No agent is named, and there is no default: call /{agent}');

/** Proxies send the whole URL. */
const originForm = (url: string): string =>
  url.startsWith('/') ? url : url.replace(/^[a-z][a-z\d+.-]*:\/\/[^/?#]*/i, '').replace(/^(?!\/)/, '/');

/** The first segment, and what follows it with its slash. */
function split(path: string): [string, string] {
  const slash = path.indexOf('/', 1);
  return slash < 0 ? [path.slice(1), ''] : [path.slice(1, slash), path.slice(slash)];
}

export const withoutSlash = (path: string): string => (path.endsWith('/') ? path.slice(0, -1) : path);
