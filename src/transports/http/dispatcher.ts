import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Authenticate } from '../../core/limits/admission.ts';
import { logFailure } from '../../core/middleware/logging.ts';
import { A2AError } from '../../core/model/errors.ts';
import type { Principal } from '../../core/model/principal.ts';
import type { AgentDirectory } from '../../core/ports/agent-directory.ts';
import type { Dialect } from '../../dialects/kernel/dialect.ts';
import type { Dialects } from '../../dialects/kernel/lookup.ts';
import { type CardSource, createCards } from '../pages/cards.ts';
import { requestIdOf } from './call-head.ts';
import type { HttpContext } from './context.ts';
import type { Cors } from './cors.ts';
import type { ExchangeHandler, RefusalHandler, RefusedExchange } from './exchange.ts';
import { answerHeaders, errorHeaders, send, versionOfRequest } from './headers.ts';
import { mountOf, originOf, ownOriginOf, RequestFacts } from './request-facts.ts';
import { type RequestTarget, reservedSegments, resolveTarget, unpin, withoutSlash } from './request-target.ts';

export interface DispatcherOptions {
  readonly agents: AgentDirectory;
  readonly dialects: Dialects;
  readonly http: HttpContext;
  readonly authenticate: Authenticate;
  /** Throws A2AError `permissionDenied` for callers who may not call the agent that the path names. Default: all may. */
  readonly checkAgent?: (principal: Principal, agent: string, request: string) => void;
  /** Asked in this order. */
  readonly handlers: readonly ExchangeHandler[];
  /** Asked in this order to answer what is refused; what none takes gets the HTTP+JSON shape. */
  readonly refusals?: readonly RefusalHandler[];
  readonly cors: Cors;
  readonly card: CardSource;
  /** Whether cards are for everybody. Otherwise, the default, for those whom `authenticate` lets in. */
  readonly publicCards?: () => boolean;
  /** What cards advertise, without a trailing slash. Default: the Host of the request. */
  readonly publicUrl?: string | undefined;
  /** Services besides the dialects' own that handlers serve at `/{service}/{rpc}`. */
  readonly services?: readonly string[];
  /** First segments besides the dialects' own that handlers serve at the root for all agents, such as `mcp`. */
  readonly rootSegments?: readonly string[];
}

export interface Dispatcher {
  /** Serves a request that is A2A's; false for any other, untouched. Never throws. */
  (req: IncomingMessage, res: ServerResponse): boolean;
  /** Answers what nobody serves, in the shape of the binding that it looks like; unknown agents are named. */
  notFound(req: IncomingMessage, res: ServerResponse): void;
}

/** The way from a request to the handler of its binding: which agent, which dialect, who calls. */
export function createDispatcher(options: DispatcherOptions): Dispatcher {
  const { agents, dialects, http, authenticate, handlers, refusals = [], cors, publicCards = () => false } = options;
  const cards = createCards({ dialects, source: options.card });
  const words = reservedSegments(dialects, options);
  const fallback = refuseAsRest(dialects);

  function dispatch(req: IncomingMessage, res: ServerResponse): boolean {
    const target = resolveTarget(req, agents, dialects, words, (path, pinned) => cards.has(path, pinned));
    if (!target) return false;
    const verb = req.method;
    cors.apply(req, res);
    if (verb === 'OPTIONS') {
      cors.options(req, res, verbsOf(target));
      return true;
    }
    const refused: RefusedExchange = { req, res, requestId: requestIdOf(new RequestFacts(req)), ...target };
    if (target.error) {
      admit(refused, () => refuse(refused, target.error as A2AError));
      return true;
    }
    if (target.card) {
      if (!isRead(verb)) refuse(refused, notAllowed(verb, reads), reads);
      else if (publicCards()) sendCard(refused, target);
      else admit(refused, (principal) => sendCard(refused, target, principal));
      return true;
    }
    if (http.files?.has(target.path)) {
      if (isRead(verb)) void http.files.serve(refused, target.agent);
      else refuse(refused, notAllowed(verb, reads), reads);
      return true;
    }
    admit(refused, (principal) => offer(refused, target, principal));
    return true;
  }

  /** Goes on at once where the caller can be judged at once. */
  function admit(refused: RefusedExchange, go: (principal: Principal) => void): void {
    let judged: Principal | Promise<Principal>;
    try {
      judged = authenticate(new RequestFacts(refused.req));
    } catch (thrown) {
      refuse(refused, A2AError.from(thrown));
      return;
    }
    if (judged instanceof Promise) judged.then(go).catch((thrown) => refuse(refused, A2AError.from(thrown)));
    else go(judged);
  }

  function offer(refused: RefusedExchange, target: RequestTarget, principal: Principal): void {
    const exchange = { ...refused, principal, agent: target.agent };
    try {
      checkNamed(target, principal, refused);
      for (const handler of handlers) {
        const served = handler(exchange);
        if (served === false) continue;
        served.catch((thrown: unknown) => refuse(refused, A2AError.from(thrown)));
        return;
      }
    } catch (thrown) {
      refuse(refused, A2AError.from(thrown));
      return;
    }
    if (refused.path === '') refuse(refused, notAllowed(refused.req.method, ['POST']), ['POST']);
    else refuse(refused, new A2AError('routeNotFound', 'No such path below the agent'));
  }

  /** Before a body is read; an agent that the path does not name is known later. */
  function checkNamed(
    { base, agent }: RequestTarget,
    principal: Principal | undefined,
    { requestId }: RefusedExchange,
  ): void {
    if (base !== '' && principal) options.checkAgent?.(principal, agent, requestId);
  }

  function sendCard(refused: RefusedExchange, target: RequestTarget, principal?: Principal): void {
    const { req, res, path, pinned, requestId } = refused;
    try {
      checkNamed(target, principal, refused);
      const own = target.base === '' ? ownOriginOf(req, agents, options.publicUrl) : undefined;
      const origin = own ?? options.publicUrl ?? originOf(req);
      const place = { agent: target.agent, path, pinned, origin, base: mountOf(req) + target.base };
      cards.serve(req, res, { ...place, version: versionOfRequest(refused) }, ['X-Request-Id', requestId]);
    } catch (thrown) {
      refuse(refused, A2AError.from(thrown));
    }
  }

  function refuse(refused: RefusedExchange, error: A2AError, allow?: readonly string[]): void {
    const { res, requestId } = refused;
    logFailure(http.logger, error, { request: requestId });
    if (res.headersSent || res.destroyed) {
      res.destroy();
      return;
    }
    if (allow) res.setHeader('Allow', allow.join(', '));
    for (const refusal of refusals) {
      const served = refusal(refused, error);
      if (served === false) continue;
      served.catch(() => res.destroy());
      return;
    }
    http.meters.refused('other', error.kind, refused);
    fallback(refused, error);
  }

  dispatch.notFound = (req: IncomingMessage, res: ServerResponse): void => {
    cors.apply(req, res);
    const [path = '', query = ''] = (req.url ?? '/').split('?', 2);
    const name = path.split('/')[1] ?? '';
    const looksCalled = req.method === 'POST' || path.split('/').length > 2;
    const error =
      looksCalled && /^[a-z0-9][a-z0-9-]*$/.test(name)
        ? new A2AError('agentNotFound', `No such agent: ${name.slice(0, 128)}`, {
            metadata: { agent: name.slice(0, 128) },
          })
        : new A2AError('routeNotFound', 'No such path');
    const refused = {
      req,
      res,
      requestId: requestIdOf(new RequestFacts(req)),
      ...unpin(withoutSlash(path.slice(name.length + 1)), dialects),
      query,
      base: '',
      atRoot: false,
    };
    // Callers are judged before a body is read; where cards need credentials, callers without any learn of no agent here.
    if (req.method === 'POST' || !publicCards()) admit(refused, () => refuse(refused, error));
    else refuse(refused, error);
  };
  return dispatch;
}

const reads = ['GET', 'HEAD'];

const isRead = (verb: string | undefined): boolean => verb === 'GET' || verb === 'HEAD';

const verbsOf = ({ card, path }: RequestTarget): string[] =>
  card ? reads : path === '' ? ['POST'] : ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

const notAllowed = (verb: string | undefined, allow: readonly string[]): A2AError =>
  new A2AError('verbNotAllowed', `${verb ?? 'This method'} is not allowed here: ${allow.join(', ')}`);

/** Answers in the HTTP+JSON shape of the pinned dialect, or of the first that has one. */
function refuseAsRest(dialects: Dialects): (refused: RefusedExchange, error: A2AError) => void {
  const first = dialects.list.find((dialect) => dialect.rest);
  return ({ res, requestId, pinned }, error) => {
    const speaker: Dialect | undefined = pinned?.rest ? pinned : first;
    const { status, body } = speaker?.rest?.error.encode(error, { losses: new Set() }) ?? {
      status: error.row.http,
      body: { error: { message: error.message } },
    };
    const headers = [...answerHeaders(requestId, speaker), ...errorHeaders(error)];
    const { mediaType = 'application/json', errorMediaType = mediaType } = speaker?.rest ?? {};
    send(res, status, headers, errorMediaType, JSON.stringify(body));
  };
}
