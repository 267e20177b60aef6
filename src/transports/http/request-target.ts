import type { IncomingMessage } from 'node:http';
import { A2AError } from '../../core/model/errors.ts';
import type { AgentDirectory } from '../../core/ports/agent-directory.ts';
import type { Dialects } from '../../dialects/kernel/detect.ts';
import type { Dialect } from '../../dialects/kernel/dialect.ts';

/** The meaning of a request's URL. */
export interface RequestTarget {
  /** Name of the agent; '' at the root and on paths of services, when there is no default. */
  readonly agent: string;
  /** Path of the agent's base below the gateway's mount point: '' or `/{agent}`. */
  readonly base: string;
  /** Path below the agent's base (and below `/as/{dialect}`), still percent-encoded: '' or '/message:send'. */
  readonly path: string;
  /** Query without the question mark; '' if there is none. */
  readonly query: string;
  readonly pinned: Dialect | undefined;
  /** Whether the base is the gateway's root itself, where the first segment of `path` is never a tenant. */
  readonly atRoot: boolean;
  readonly card: boolean;
  /** Set for the card below `/as/http`, which does not list gRPC, because its addresses are not URLs. */
  readonly urlsOnly?: boolean;
  /** Error for a path that belongs to the gateway but does not exist. */
  readonly error?: A2AError | undefined;
}

/**
 * First segments of paths at the root that the gateway serves and that are not agents.
 *
 * @param common segments that serve all agents, so that no default agent is needed, such as `mcp`
 */
export function reservedSegments({ protocols }: Dialects, common: readonly string[] = []) {
  const pathsOf = (list: Dialects['protocols']): string[][] =>
    list.flatMap(({ rest }) => rest?.routes.map(({ rule }) => rule.path.split('/')) ?? []);
  const firsts = pathsOf(protocols.filter(({ ofGateway }) => !ofGateway)).map(([, first = '']) => first);
  const ofGateway = pathsOf(protocols.filter((one) => one.ofGateway)).map(([, first, second]) => `${first}/${second}`);
  return {
    services: new Set(protocols.flatMap(({ grpc }) => grpc?.service ?? [])),
    segments: new Set(['as', ...firsts.filter((first) => !first.startsWith('{'))]),
    common: new Set(common),
    /**
     * First two segments of paths that are about the gateway. An app in which it is mounted may have other paths with the same
     * first segment.
     */
    ofGateway: new Set(ofGateway),
  };
}

/**
 * Resolves a URL to agent, dialect and path; undefined for a URL that the gateway does not serve. The first segment is an
 * agent's name or a reserved word, never a tenant.
 */
export function resolveTarget(
  req: IncomingMessage,
  agents: AgentDirectory,
  dialects: Dialects,
  reserved: ReturnType<typeof reservedSegments>,
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
  let urlsOnly = false;
  const target = (card = false, error?: A2AError): RequestTarget => {
    const atRoot = !named && !pinned;
    return { agent: agent ?? '', base, path, query, pinned, atRoot, card, urlsOnly, error };
  };
  const targetOfAgent = (card: boolean): RequestTarget =>
    agent === undefined ? target(false, noAgentNamed()) : target(card);

  if (path === '') {
    if (named) return targetOfAgent(false);
    // At the root itself the gateway serves only calls. An app in which it is mounted may have pages there.
    const isCall = req.method === 'POST' || req.method === 'OPTIONS';
    // The method shows whether the call is for an agent.
    return isCall ? target() : undefined;
  }
  const [word, rest] = split(path);
  if (word === 'as') {
    ({ pinned, path } = unpin(path, dialects));
    urlsOnly = rest.startsWith(`/${urlsOnlyWord}/`) && isCard(path, undefined);
    if (!pinned && !urlsOnly) {
      const known = [...dialects.byName.keys()].join(', ');
      const reason = `/as/ must be followed by one of ${known}; /as/${urlsOnlyWord} has a card alone`;
      return target(false, new A2AError('routeNotFound', reason));
    }
  }
  if (path !== '' && isCard(path, pinned)) return targetOfAgent(true);
  if (named || pinned) return targetOfAgent(false);
  if ((reserved.services.has(word) && rest !== '') || reserved.common.has(word)) return target();
  if (reserved.ofGateway.has(`${word}/${split(rest)[0]}`)) return target();
  return reserved.segments.has(word) || isFile(word, rest) ? targetOfAgent(false) : undefined;
}

/**
 * Below `/as/http` is the agent's card without interfaces that are not http or https URLs, for clients that refuse the
 * card otherwise, such as Google ADK.
 */
const urlsOnlyWord = 'http';

/** The error for calls at the root that name no agent. */
export const noAgentNamed = (): A2AError =>
  new A2AError('agentNotFound', 'No agent is named, and there is no default: call /{agent}');

/** The dialect of a path that begins with `/as/{dialect}`, and the path below; otherwise the path itself. */
export function unpin(path: string, { byName }: Dialects): { pinned: Dialect | undefined; path: string } {
  const [word, rest] = split(path);
  if (word !== 'as') return { pinned: undefined, path };
  const [dialect, tail] = split(rest);
  return { pinned: byName.get(dialect), path: withoutSlash(tail) };
}

/**
 * Whether a path at the root leads to a file: `/files` may belong to the app in which the gateway is mounted, but not with a long
 * token after it.
 */
const isFile = (word: string, rest: string): boolean =>
  word === 'files' && rest.length > 100 && /^\/[\w-]+$/.test(rest);

/** The path and query of a URL. Proxies send the whole URL. */
const originForm = (url: string): string =>
  url.startsWith('/') ? url : url.replace(/^[a-z][a-z\d+.-]*:\/\/[^/?#]*/i, '').replace(/^(?!\/)/, '/');

/** Splits a path into its first segment and the rest, with its slash. */
function split(path: string): [string, string] {
  const slash = path.indexOf('/', 1);
  return slash < 0 ? [path.slice(1), ''] : [path.slice(1, slash), path.slice(slash)];
}

export const withoutSlash = (path: string): string => (path.endsWith('/') ? path.slice(0, -1) : path);
