import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { logFailure } from '../../core/middleware/logging.ts';
import { type CallContext, isStream, type ReplyNotes, type StreamReply } from '../../core/model/call.ts';
import { A2AError } from '../../core/model/errors.ts';
import { type Dialects, majorMinor, versionOf } from '../../dialects/kernel/detect.ts';
import type { Dialect } from '../../dialects/kernel/dialect.ts';
import { inWireNames } from '../../dialects/kernel/errors.ts';
import { assembleRequest } from '../../dialects/kernel/http-request.ts';
import { noteLostDigits } from '../../dialects/kernel/number-losses.ts';
import type { Method, RestBinding, RestRoute, WireProtocol } from '../../dialects/kernel/wire.ts';
import type { HttpRule } from '../../gen/operations.ts';
import { createRouter, type PathVariables, type RouteMatch } from '../../wire/http-rule.ts';
import { arrival } from '../http/body.ts';
import { newNotes } from '../http/call-head.ts';
import type { HttpBinding, HttpBindingOptions, HttpContext } from '../http/context.ts';
import { framingOf, type StreamFraming } from '../http/event-stream.ts';
import type { Exchange, RefusedExchange } from '../http/exchange.ts';
import {
  accepts,
  answerHeaders,
  answerType,
  contextOf,
  encodeAnswer,
  isJsonType,
  mediaTypeOf,
  send,
  sendEmpty,
  sendRestError,
  versionOfRequest,
} from '../http/headers.ts';

const gzipped = promisify(gzip);

/** Smallest number of characters of a service's answer that is compressed if the caller accepts it. */
const packedFrom = 4_096;

interface RestServerOptions extends HttpBindingOptions {
  readonly dialects: Dialects;
}

type RestDialect = WireProtocol & { readonly rest: RestBinding };

interface Route extends RestRoute {
  readonly dialect: RestDialect;
}

type Router = ReturnType<typeof createRouter<Route>>;

/** The HTTP+JSON binding of every dialect that has one: routes by google.api.http (A2A 1.0.1 section 11). */
export function createRestServer(options: RestServerOptions): HttpBinding {
  const { handle, refuse, verbsOf } = new RestServer(options);
  const binding = { name: 'rest', ofDefaultAgent: true } as const;
  return { names: [binding.name], bindingOf: () => binding, handle, refuse, verbsOf };
}

class RestServer {
  readonly #dialects: Dialects;
  readonly #invoke: RestServerOptions['invoke'];
  readonly #checkOperation: RestServerOptions['checkOperation'];
  readonly #http: HttpContext;
  readonly #routes: readonly [HttpRule, Route][];
  /** Routes of requests that name no dialect. */
  readonly #allRoutes: Router;
  /** Routes below a dialect's own path. */
  readonly #byPinned: ReadonlyMap<Dialect, Router>;
  /** The dialects by the first segments of their routes. */
  readonly #owners: ReadonlyMap<string, RestDialect>;
  readonly #needingVersion: readonly Dialect[];

  constructor({ dialects, invoke, checkOperation, http }: RestServerOptions) {
    this.#dialects = dialects;
    this.#invoke = invoke;
    this.#checkOperation = checkOperation;
    this.#http = http;
    this.#routes = dialects.protocols.flatMap((dialect) =>
      (dialect.rest?.routes ?? []).map((route): [HttpRule, Route] => [
        route.rule,
        { ...route, dialect: dialect as RestDialect },
      ]),
    );
    this.#allRoutes = createRouter(this.#routes.filter(([, { dialect }]) => !dialect.needsVersion));
    this.#byPinned = new Map(
      dialects.list.map((one) => [one, createRouter(this.#routes.filter(([, route]) => this.#isIn(one, route)))]),
    );
    this.#owners = ownersOf(this.#routes.map(([, route]) => route));
    this.#needingVersion = dialects.list.filter(({ needsVersion, rest }) => needsVersion && rest);
  }

  #isIn(one: WireProtocol, { dialect }: Route): boolean {
    return dialect === one || this.#dialects.extensions.includes(dialect);
  }

  /** The dialect that a request names by its version, if several dialects have the same paths. */
  #namedBy(exchange: RefusedExchange): Dialect | undefined {
    if (this.#needingVersion.length === 0) return undefined;
    const version = majorMinor(versionOfRequest(exchange) ?? '');
    return this.#needingVersion.find(({ versions }) => versions.includes(version));
  }

  #ownerOf(exchange: RefusedExchange): RestDialect | undefined {
    const { pinned, path } = exchange;
    if (pinned?.rest) return pinned as RestDialect;
    const owner = this.#owners.get(path.split('/', 2)[1] ?? '');
    return owner && ((this.#namedBy(exchange) as RestDialect | undefined) ?? owner);
  }

  /** Whether a tenant is the first segment of another dialect's paths. */
  #isForeign(match: RouteMatch<Route>): boolean {
    if (match.allow) return false;
    const { dialect } = match.value;
    return (this.#owners.get(match.variables.tenant ?? '') ?? dialect) !== dialect;
  }

  async #serve(exchange: Exchange, route: Route, variables: PathVariables): Promise<void> {
    const { req, res, requestId, principal } = exchange;
    const { dialect, method, status = 200 } = route;
    const notes = newNotes(dialect, { userAgent: req.headers['user-agent'] });
    if (status !== 200) notes.status = status;
    let isDecoded = false;
    let isCall = false;
    try {
      this.#checkVersion(exchange, dialect);
      this.#checkOperation?.(principal, method.operation, requestId);
      const received = await this.#requestOf(exchange, route, variables);
      const decoded = method.request.decode(received, notes);
      noteLostDigits(received, decoded.request, notes);
      isDecoded = true;
      const context = this.#contextOf(exchange, route, {
        semantics: decoded.semantics,
        notes,
        tenant: variables.tenant,
      });
      isCall = true;
      const reply = await this.#invoke({ operation: method.operation, request: decoded.request, context });
      const headers = (): string[] => answerHeaders(requestId, dialect, notes);
      if (isStream(reply)) {
        const framing = {
          ...errorFraming(dialect.rest, method, reply, context),
          meter: this.#http.meters.streamsOf('rest'),
        };
        await this.#http.streams.serve(res, reply.events, framing, headers);
        return;
      }
      try {
        if (!method.result) throw new A2AError('internal');
        if (status === 204) {
          sendEmpty(res, status, headers());
          return;
        }
        const json = encodeAnswer(method.result, reply, notes, context);
        const body = typeof json === 'string' ? json : await json;
        const packing = sendBody(exchange, route, headers(), body);
        if (packing) await packing;
      } finally {
        notes.onAnswered?.();
      }
    } catch (thrown) {
      const error = A2AError.from(thrown);
      const known = { operation: method.operation, dialect: dialect.name };
      if (!isCall) this.#http.meters.refused('rest', error, { ...exchange, ...known });
      this.#fail(exchange, dialect, isDecoded ? inWireNames(error, method) : error, notes);
    }
  }

  #contextOf(
    exchange: Exchange,
    { dialect, method }: Route,
    {
      semantics,
      notes,
      tenant,
    }: Pick<Parameters<typeof contextOf>[1], 'semantics' | 'notes'> & { readonly tenant: string | undefined },
  ): CallContext {
    return contextOf(exchange, {
      binding: 'rest',
      dialect,
      semantics,
      streaming: method.stream !== undefined,
      notes,
      ...(tenant !== undefined && { tenant }),
    });
  }

  async #requestOf(exchange: Exchange, route: Route, variables: PathVariables) {
    const { req, query } = exchange;
    const { rule, requestType, dialect } = route;
    let body: unknown;
    if (rule.body !== undefined) {
      const type = mediaTypeOf(req);
      if (type !== undefined && !isJsonType(type)) {
        throw new A2AError('contentTypeNotSupported', `Send ${dialect.rest.mediaType}, not ${type.slice(0, 64)}`);
      }
      body = await this.#http.bodies.readJson(exchange);
    } else {
      const arriving = arrival(req);
      if (arriving) await arriving;
    }
    const pieces = { body, bodyField: rule.body, query, variables };
    return assembleRequest(dialect.rest.api.fields, requestType, pieces);
  }

  /** The path determines the dialect. A version that the request names must be one of this dialect. */
  #checkVersion(exchange: Exchange, dialect: WireProtocol): void {
    // Dialects without versions serve all of them.
    if (dialect.versions.length === 0) return;
    const version = versionOfRequest(exchange);
    const named = versionOf(this.#dialects, version, 'rest');
    if (!named || named === dialect) return;
    throw new A2AError('versionNotSupported', `This path speaks A2A ${dialect.versions.join(', ')}, not ${version}`);
  }

  async #refuseVerb(exchange: Exchange, allow: readonly string[]): Promise<void> {
    exchange.res.setHeader('Allow', allow.join(', '));
    const message = `${exchange.req.method} is not allowed here: ${allow.join(', ')}`;
    await this.#refuseRoute(exchange, new A2AError('verbNotAllowed', message));
  }

  async #refuseRoute(exchange: Exchange, error: A2AError): Promise<void> {
    this.#http.meters.refused('rest', error, exchange);
    this.#fail(exchange, (this.#ownerOf(exchange) ?? this.#routes[0]?.[1].dialect) as RestDialect, error);
  }

  #fail(exchange: Exchange, dialect: RestDialect, error: A2AError, notes?: ReplyNotes): void {
    const { requestId: request, principal } = exchange;
    logFailure(this.#http.logger, error, { request, binding: 'rest', principal: principal.id });
    sendRestError(exchange, dialect, error, notes);
  }

  readonly verbsOf = ({ path, pinned }: Pick<RefusedExchange, 'path' | 'pinned'>): readonly string[] | undefined => {
    const router = (pinned && this.#byPinned.get(pinned)) ?? this.#allRoutes;
    try {
      // No route accepts OPTIONS, so a match lists the methods of the path.
      return router.match('OPTIONS', path)?.allow;
    } catch {
      return undefined;
    }
  };

  readonly handle = (exchange: Exchange): false | Promise<void> => {
    const { req, path, pinned, atRoot } = exchange;
    if (path === '') return false;
    const chosen = pinned ?? this.#namedBy(exchange);
    const verb = req.method === 'HEAD' ? 'GET' : (req.method ?? 'GET');
    let match: RouteMatch<Route> | undefined;
    try {
      match = chosen && this.#byPinned.get(chosen)?.match(verb, path);
      // On a path of another dialect, its version is refused.
      if (!pinned && (!match || this.#isForeign(match))) match = this.#allRoutes.match(verb, path);
    } catch (thrown) {
      return this.#refuseRoute(exchange, A2AError.from(thrown));
    }
    if (!match) return false;
    if (match.allow) return this.#refuseVerb(exchange, match.allow);
    const { value: route, variables } = match;
    const { tenant } = variables;
    if (tenant !== undefined) {
      // At the root the first segment is an agent or a reserved word, never a tenant.
      if (atRoot) return false;
      if (!pinned && this.#isForeign(match)) return false;
    }
    // Streams have no length, so HEAD has nothing to report.
    if (req.method === 'HEAD' && route.method.stream) return this.#refuseVerb(exchange, [route.rule.verb]);
    return this.#serve(exchange, route, variables);
  };

  /** Answers on paths that begin like the routes of a dialect, in this dialect. */
  readonly refuse = (refused: RefusedExchange, error: A2AError): false | Promise<void> => {
    const owner = this.#ownerOf(refused);
    if (!owner) return false;
    this.#http.meters.refused('rest', error, refused);
    sendRestError(refused, owner, error);
    return Promise.resolve();
  };
}

/** Sends the body of a unary answer. Returns a promise if it is compressed first. */
function sendBody(
  { req, res }: Exchange,
  { dialect, status = 200 }: Route,
  headers: string[],
  body: string,
): Promise<void> | undefined {
  // The answer depends on the caller. A cache in front of the gateway does not know the header with its key.
  if (req.method === 'GET') headers.push('Cache-Control', 'no-store');
  const type = answerType(req.headers.accept, dialect.rest.mediaType);
  if (dialect.ofGateway && body.length >= packedFrom && accepts(req, 'gzip')) {
    headers.push('Content-Encoding', 'gzip');
    return gzipped(body).then((packed) => send(res, status, headers, type, packed));
  }
  send(res, status, headers, type, body);
  return undefined;
}

/** The dialects by the first segments of their routes, where these are literals. */
function ownersOf(routes: readonly Route[]): ReadonlyMap<string, RestDialect> {
  const owners = new Map<string, RestDialect>();
  for (const { rule, dialect } of routes) {
    const first = rule.path.split('/', 2)[1] ?? '';
    if (!first.startsWith('{') && !owners.has(first)) owners.set(first, dialect);
  }
  return owners;
}

/** A separate function, because its closure must not keep more than the stream needs. */
function errorFraming(
  binding: RestBinding,
  method: Method,
  reply: StreamReply,
  context: CallContext,
): Omit<StreamFraming, 'meter'> {
  if (!method.stream) throw new A2AError('internal');
  return {
    ...framingOf(method.stream, context.notes, reply, context),
    error: (thrown) => {
      const { body } = binding.error.encode(inWireNames(thrown, method), { losses: new Set() });
      return [{ event: 'error', data: JSON.stringify(body) }];
    },
  };
}
