import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Authenticate } from '../../core/limits/admission.ts';
import { logFailure } from '../../core/middleware/logging.ts';
import { A2AError } from '../../core/model/errors.ts';
import type { Principal } from '../../core/model/principal.ts';
import type { AgentDirectory } from '../../core/ports/agent-directory.ts';
import type { Dialects } from '../../dialects/kernel/detect.ts';
import { requestIdOf } from './call-head.ts';
import { type CardSource, createCards } from './cards.ts';
import type { HttpBinding, HttpContext } from './context.ts';
import type { Cors } from './cors.ts';
import type { AgentDocument, ExchangeHandler, RefusalHandler, RefusedExchange } from './exchange.ts';
import { answerHeaders, refuseGrpcOverHttp1, sendRestError, versionOfRequest } from './headers.ts';
import { mountOf, originOf, ownOriginOf, RequestFacts } from './request-facts.ts';
import { type RequestTarget, reservedSegments, resolveTarget, unpin, withoutSlash } from './request-target.ts';

export interface DispatcherOptions {
  readonly agents: AgentDirectory;
  readonly dialects: Dialects;
  readonly http: HttpContext;
  readonly authenticate: Authenticate;
  /** Throws A2AError `permissionDenied` for callers who may not call the agent in the path. Default: all may. */
  readonly checkAgent?: (principal: Principal, agent: string, request: string) => void;
  /** Called in this order until one serves the exchange. */
  readonly handlers: readonly ExchangeHandler[];
  /** The methods of a path below an agent; undefined where they are not known. Default: they never are. */
  readonly verbsOf?: HttpBinding['verbsOf'];
  /** Called in this order until one answers the refused exchange. Without one, the format is that of HTTP+JSON. */
  readonly refusals?: readonly RefusalHandler[];
  /** Read for each request. */
  readonly cors: () => Cors;
  readonly card: CardSource;
  /** Whether the server that a request came to serves gRPC. Default: it does. */
  readonly servesGrpc?: (req: IncomingMessage) => boolean;
  /** Whether cards need no credentials. Default: they do. */
  readonly publicCards?: () => boolean;
  /** Start of the URLs in cards, without a trailing slash. Default: the Host of the request. */
  readonly publicUrl?: string | undefined;
  /** Documents that are public where cards are. */
  readonly documents?: readonly AgentDocument[];
  /** First segments, such as `mcp`, that handlers serve at the root for all agents besides those of the dialects. */
  readonly rootSegments?: readonly string[];
}

export interface Dispatcher {
  /** Serves a request for A2A; false for any other, which it leaves untouched. Never throws. */
  (req: IncomingMessage, res: ServerResponse): boolean;
  /** Answers requests that nothing serves, in the format of the binding that they resemble. Names unknown agents. */
  notFound(req: IncomingMessage, res: ServerResponse): void;
}

/** Finds the agent, the dialect and the caller of a request, and the handler of its binding. */
export function createDispatcher(options: DispatcherOptions): Dispatcher {
  const { agents, dialects, http, authenticate, handlers, refusals = [], cors } = options;
  const { publicCards = () => false, servesGrpc = () => true } = options;
  const documents = new Map((options.documents ?? []).map((document) => [document.path, document]));
  const cards = createCards(dialects, options.card);
  const reserved = reservedSegments(dialects, options.rootSegments);

  function dispatch(req: IncomingMessage, res: ServerResponse): boolean {
    const target = resolveTarget(req, agents, dialects, reserved, cards.has);
    if (!target) return false;
    const verb = req.method;
    const { apply, options } = cors();
    apply?.(req, res);
    if (verb === 'OPTIONS') {
      options(req, res, knownVerbsOf(target));
      return true;
    }
    const facts = new RequestFacts(req, target);
    const refused: RefusedExchange = { ...target, req, res, facts, requestId: requestIdOf(facts) };
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
    const document = documents.get(target.path);
    if (document && isRead(verb) && !target.pinned) {
      if (publicCards()) sendAgentDocument(document, refused, target);
      else admit(refused, (principal) => sendAgentDocument(document, refused, target, principal));
      return true;
    }
    if (target.path !== '' && http.files?.has(target.path)) {
      if (isRead(verb)) void http.files.serve(refused, target.agent);
      else refuse(refused, notAllowed(verb, reads), reads);
      return true;
    }
    admit(refused, (principal) => offer(refused, target, principal));
    return true;
  }

  function knownVerbsOf(target: RequestTarget): readonly string[] {
    if (target.card) return reads;
    if (target.path === '') return ['POST'];
    return options.verbsOf?.(target) ?? ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];
  }

  /** Authenticates the caller. Continues synchronously if that is possible. */
  function admit(refused: RefusedExchange, go: (principal: Principal) => void): void {
    let principal: Principal | Promise<Principal>;
    try {
      principal = authenticate(refused.facts);
    } catch (thrown) {
      refuse(refused, A2AError.from(thrown));
      return;
    }
    if (principal instanceof Promise) principal.then(go).catch((thrown) => refuse(refused, A2AError.from(thrown)));
    else go(principal);
  }

  function offer(refused: RefusedExchange, target: RequestTarget, principal: Principal): void {
    const exchange = { ...refused, principal, agent: target.agent };
    http.recorder.active?.http(exchange);
    try {
      checkAgent(target, principal, refused);
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

  /** Called before a body is read. An agent that is not in the path is checked later. */
  function checkAgent({ base, agent }: RequestTarget, principal: Principal, { requestId }: RefusedExchange): void {
    if (base !== '') options.checkAgent?.(principal, agent, requestId);
  }

  function sendCard(refused: RefusedExchange, target: RequestTarget, principal?: Principal): void {
    const { req, res, path, pinned, requestId } = refused;
    try {
      if (principal) checkAgent(target, principal, refused);
      const own = target.base === '' ? ownOriginOf(req, agents, options.publicUrl) : undefined;
      const origin = own ?? options.publicUrl ?? originOf(req);
      const base = mountOf(req) + target.base;
      const place = { agent: target.agent, path, pinned, origin, base, grpc: !target.urlsOnly && servesGrpc(req) };
      const about = { ...place, version: versionOfRequest(refused), isPublic: principal === undefined };
      cards.serve(req, res, about, ['X-Request-Id', requestId]);
    } catch (thrown) {
      refuse(refused, A2AError.from(thrown));
    }
  }

  function sendAgentDocument(
    { serve }: AgentDocument,
    refused: RefusedExchange,
    target: RequestTarget,
    principal?: Principal,
  ): void {
    try {
      if (principal) checkAgent(target, principal, refused);
      serve(refused, principal === undefined).catch((thrown: unknown) => refuse(refused, A2AError.from(thrown)));
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
    http.meters.refused('other', error, refused);
    const { pinned } = refused;
    sendRestError(refused, pinned?.rest ? pinned : dialects.list.find(({ rest }) => rest), error);
  }

  dispatch.notFound = (req: IncomingMessage, res: ServerResponse): void => {
    cors().apply?.(req, res);
    const [path = '', query = ''] = (req.url ?? '/').split('?', 2);
    const name = path.split('/')[1] ?? '';
    const isCall = req.method === 'POST' || path.split('/').length > 2;
    const agent = name.slice(0, 128);
    const error =
      isCall && /^[a-z0-9][a-z0-9-]*$/.test(name)
        ? new A2AError('agentNotFound', `No such agent: ${agent}`, { metadata: { agent } })
        : new A2AError('routeNotFound', 'No such path');
    const unpinned = unpin(withoutSlash(path.slice(name.length + 1)), dialects);
    const facts = new RequestFacts(req, { ...unpinned, base: '' });
    const refused = { req, res, facts, requestId: requestIdOf(facts), ...unpinned, query, base: '', atRoot: false };
    // Callers are authenticated before a body is read. Where cards need credentials, callers without learn no agent's name.
    if (req.method === 'POST' || !publicCards())
      admit(
        refused,
        () => refuseGrpcOverHttp1(refused, answerHeaders(refused.requestId, undefined)) || refuse(refused, error),
      );
    else refuse(refused, error);
  };
  return dispatch;
}

const reads = ['GET', 'HEAD'];

const isRead = (verb = ''): boolean => reads.includes(verb);

const notAllowed = (verb: string | undefined, allow: readonly string[]): A2AError =>
  new A2AError('verbNotAllowed', `${verb ?? 'This method'} is not allowed here: ${allow.join(', ')}`);
