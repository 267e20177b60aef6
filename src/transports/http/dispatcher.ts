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
import { mountOf, originOf, ownOriginOf, type RequestBinding, RequestFacts } from './request-facts.ts';
import { type RequestTarget, reservedSegments, resolveTarget, unpin, withoutSlash } from './request-target.ts';

export interface DispatcherOptions {
  readonly agents: AgentDirectory;
  readonly dialects: Dialects;
  readonly http: HttpContext;
  readonly authenticate: Authenticate;
  /** Throws A2AError `permissionDenied` for callers who may not call the agent in the path. Default: all may. */
  readonly checkAgent?: (principal: Principal, agent: string, request: string) => void;
  /**
   * The bindings, to which an exchange is offered in this order until one serves it. A refused exchange is offered until one
   * answers it; if none does, it is answered in the format of HTTP+JSON.
   */
  readonly bindings: readonly HttpBinding[];
  /** Returns the CORS settings, which are read for each request. */
  readonly cors: () => Cors;
  readonly card: CardSource;
  /** Whether the server at which a request arrived serves gRPC. Default: it does. */
  readonly servesGrpc?: (req: IncomingMessage) => boolean;
  /** Whether cards need no credentials. Default: they do. */
  readonly publicCards?: () => boolean;
  /** Start of the URLs in cards, without a trailing slash. Default: the Host of the request. */
  readonly publicUrl?: string | undefined;
}

export interface Dispatcher {
  /** Serves a request for A2A. Returns false for any other, which it leaves untouched. Never throws. */
  (req: IncomingMessage, res: ServerResponse): boolean;
  /** Answers requests that no part serves, in the format of the binding that they resemble. Names unknown agents. */
  notFound(req: IncomingMessage, res: ServerResponse): void;
}

/** Finds the agent, the dialect and the caller of a request, and the handler of its binding. */
export function createDispatcher(options: DispatcherOptions): Dispatcher {
  const { dispatch, notFound } = new RequestDispatcher(options);
  return Object.assign(dispatch, { notFound });
}

class RequestDispatcher {
  readonly #options: DispatcherOptions;
  readonly #agents: AgentDirectory;
  readonly #dialects: Dialects;
  readonly #http: HttpContext;
  readonly #authenticate: Authenticate;
  readonly #handlers: readonly ExchangeHandler[];
  readonly #refusals: readonly RefusalHandler[];
  readonly #bindings: readonly NonNullable<HttpBinding['bindingOf']>[];
  readonly #verbs: readonly NonNullable<HttpBinding['verbsOf']>[];
  readonly #cors: () => Cors;
  readonly #publicCards: () => boolean;
  readonly #servesGrpc: (req: IncomingMessage) => boolean;
  readonly #documents: Map<string, AgentDocument>;
  readonly #cards: ReturnType<typeof createCards>;
  readonly #reserved: ReturnType<typeof reservedSegments>;

  constructor(options: DispatcherOptions) {
    this.#options = options;
    this.#agents = options.agents;
    this.#dialects = options.dialects;
    this.#http = options.http;
    this.#authenticate = options.authenticate;
    const { bindings } = options;
    this.#handlers = bindings.flatMap(({ handle }) => handle ?? []);
    this.#refusals = bindings.flatMap(({ refuse }) => refuse ?? []);
    this.#bindings = bindings.flatMap(({ bindingOf }) => bindingOf ?? []);
    this.#verbs = bindings.flatMap(({ verbsOf }) => verbsOf ?? []);
    this.#cors = options.cors;
    this.#publicCards = options.publicCards ?? (() => false);
    this.#servesGrpc = options.servesGrpc ?? (() => true);
    const documents = bindings.flatMap(({ document }) => document ?? []);
    this.#documents = new Map(documents.map((document) => [document.path, document]));
    this.#cards = createCards(this.#dialects, options.card);
    this.#reserved = reservedSegments(
      this.#dialects,
      bindings.flatMap(({ segments }) => segments ?? []),
    );
  }

  /** Implements calls of the `Dispatcher`. */
  readonly dispatch = (req: IncomingMessage, res: ServerResponse): boolean => {
    const target = resolveTarget(req, this.#agents, this.#dialects, this.#reserved, this.#cards.has);
    if (!target) return false;
    const verb = req.method;
    const { apply, options } = this.#cors();
    apply?.(req, res);
    if (verb === 'OPTIONS') {
      options(req, res, this.#knownVerbsOf(target));
      return true;
    }
    const facts = new RequestFacts(req, target, this.#bindingOf);
    const refused: RefusedExchange = { ...target, req, res, facts, requestId: requestIdOf(facts) };
    if (target.error) {
      this.#admit(refused, (principal) => this.#refuse({ ...refused, principal }, target.error as A2AError));
      return true;
    }
    if (target.card) {
      if (!isRead(verb)) this.#refuse(refused, notAllowed(verb, reads), reads);
      else if (this.#publicCards()) this.#sendCard(refused, target);
      else this.#admit(refused, (principal) => this.#sendCard({ ...refused, principal }, target, principal));
      return true;
    }
    const document = this.#documents.get(target.path);
    if (document && isRead(verb) && !target.pinned) {
      if (this.#publicCards()) this.#sendAgentDocument(document, refused, target);
      else
        this.#admit(refused, (principal) =>
          this.#sendAgentDocument(document, { ...refused, principal }, target, principal),
        );
      return true;
    }
    if (target.path !== '' && this.#http.files?.has(target.path)) {
      if (isRead(verb)) {
        this.#http.bodies.countFor(refused);
        void this.#http.files.serve(refused, target.agent);
      } else this.#refuse(refused, notAllowed(verb, reads), reads);
      return true;
    }
    this.#admit(refused, (principal) => this.#offer(refused, target, principal));
    return true;
  };

  /** Implements `Dispatcher.notFound`. */
  readonly notFound = (req: IncomingMessage, res: ServerResponse): void => {
    this.#cors().apply?.(req, res);
    const [path = '', query = ''] = (req.url ?? '/').split('?', 2);
    const name = path.split('/')[1] ?? '';
    const isCall = req.method === 'POST' || path.split('/').length > 2;
    const agent = name.slice(0, 128);
    const error =
      isCall && /^[a-z0-9][a-z0-9-]*$/.test(name)
        ? new A2AError('agentNotFound', `No such agent: ${agent}`, { metadata: { agent } })
        : new A2AError('routeNotFound', 'No such path');
    const unpinned = unpin(withoutSlash(path.slice(name.length + 1)), this.#dialects);
    const facts = new RequestFacts(req, { ...unpinned, base: '' }, this.#bindingOf);
    const refused = { req, res, facts, requestId: requestIdOf(facts), ...unpinned, query, base: '', atRoot: false };
    // Callers are authenticated before a body is read. If cards need credentials, callers without learn no agent's name.
    if (req.method === 'POST' || !this.#publicCards())
      this.#admit(
        refused,
        (principal) =>
          refuseGrpcOverHttp1(refused, answerHeaders(refused.requestId, undefined)) ||
          this.#refuse({ ...refused, principal }, error),
      );
    else this.#refuse(refused, error);
  };

  readonly #bindingOf = (path: string, contentType: string): RequestBinding | undefined => {
    for (const bindingOf of this.#bindings) {
      const found = bindingOf(path, contentType);
      if (found) return found;
    }
    return undefined;
  };

  #knownVerbsOf(target: RequestTarget): readonly string[] {
    if (target.card) return reads;
    if (target.path === '') return ['POST'];
    for (const verbsOf of this.#verbs) {
      const verbs = verbsOf(target);
      if (verbs) return verbs;
    }
    return ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];
  }

  /** Authenticates the caller. Continues synchronously if that is possible. */
  #admit(refused: RefusedExchange, go: (principal: Principal) => void): void {
    let principal: Principal | Promise<Principal>;
    try {
      principal = this.#authenticate(refused.facts);
    } catch (thrown) {
      this.#refuse(refused, A2AError.from(thrown));
      return;
    }
    if (principal instanceof Promise)
      principal.then(go).catch((thrown) => this.#refuse(refused, A2AError.from(thrown)));
    else go(principal);
  }

  #offer(refused: RefusedExchange, target: RequestTarget, principal: Principal): void {
    const exchange = { ...refused, principal, agent: target.agent };
    this.#http.bodies.countFor(exchange, principal);
    this.#http.observer.active?.http(exchange);
    try {
      this.#checkAgent(target, principal, refused);
      for (const handler of this.#handlers) {
        const served = handler(exchange);
        if (served === false) continue;
        served.catch((thrown: unknown) => this.#refuse(exchange, A2AError.from(thrown)));
        return;
      }
    } catch (thrown) {
      this.#refuse(exchange, A2AError.from(thrown));
      return;
    }
    if (refused.path === '') this.#refuse(exchange, notAllowed(refused.req.method, ['POST']), ['POST']);
    else this.#refuse(exchange, new A2AError('routeNotFound', 'No such path below the agent'));
  }

  /** Called before a body is read. An agent that is not in the path is checked later. */
  #checkAgent({ base, agent }: RequestTarget, principal: Principal, { requestId }: RefusedExchange): void {
    if (base !== '') this.#options.checkAgent?.(principal, agent, requestId);
  }

  #sendCard(refused: RefusedExchange, target: RequestTarget, principal?: Principal): void {
    const { req, res, path, pinned, requestId } = refused;
    try {
      if (principal) this.#checkAgent(target, principal, refused);
      const own = target.base === '' ? ownOriginOf(req, this.#agents, this.#options.publicUrl) : undefined;
      const origin = own ?? this.#options.publicUrl ?? originOf(req);
      const base = mountOf(req) + target.base;
      const place = {
        agent: target.agent,
        path,
        pinned,
        origin,
        base,
        grpc: !target.urlsOnly && this.#servesGrpc(req),
      };
      const about = { ...place, version: versionOfRequest(refused), isPublic: principal === undefined };
      this.#cards.serve(req, res, about, ['X-Request-Id', requestId]);
    } catch (thrown) {
      this.#refuse(refused, A2AError.from(thrown));
    }
  }

  #sendAgentDocument(
    { serve }: AgentDocument,
    refused: RefusedExchange,
    target: RequestTarget,
    principal?: Principal,
  ): void {
    try {
      if (principal) this.#checkAgent(target, principal, refused);
      serve(refused, principal === undefined).catch((thrown: unknown) => this.#refuse(refused, A2AError.from(thrown)));
    } catch (thrown) {
      this.#refuse(refused, A2AError.from(thrown));
    }
  }

  #refuse(refused: RefusedExchange, error: A2AError, allow?: readonly string[]): void {
    const { res, requestId } = refused;
    logFailure(this.#http.logger, error, { request: requestId });
    if (res.headersSent || res.destroyed) {
      res.destroy();
      return;
    }
    if (allow) res.setHeader('Allow', allow.join(', '));
    for (const refusal of this.#refusals) {
      const served = refusal(refused, error);
      if (served === false) continue;
      served.catch(() => res.destroy());
      return;
    }
    this.#http.meters.refused('other', error, refused);
    const { pinned } = refused;
    sendRestError(refused, pinned?.rest ? pinned : this.#dialects.list.find(({ rest }) => rest), error);
  }
}

const reads = ['GET', 'HEAD'];

const isRead = (verb = ''): boolean => reads.includes(verb);

const notAllowed = (verb: string | undefined, allow: readonly string[]): A2AError =>
  new A2AError('verbNotAllowed', `${verb ?? 'This method'} is not allowed here: ${allow.join(', ')}`);
