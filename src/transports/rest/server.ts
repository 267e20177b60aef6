import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { Reservation } from '../../core/limits/memory-budget.ts';
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
import type { HttpBinding, HttpBindingOptions } from '../http/context.ts';
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

/** Characters from which an answer of a service of the gateway is compressed, where the caller accepts it. */
const packedFrom = 4_096;

interface RestServerOptions extends HttpBindingOptions {
  readonly dialects: Dialects;
}

type RestDialect = WireProtocol & { readonly rest: RestBinding };

interface Route extends RestRoute {
  readonly dialect: RestDialect;
}

/** The HTTP+JSON binding of every dialect that has one: routes by google.api.http (A2A 1.0.1 section 11). */
export function createRestServer({ dialects, invoke, checkOperation, http }: RestServerOptions): HttpBinding {
  const { bodies, streams, logger, meters, budget } = http;
  const routes = dialects.protocols.flatMap((dialect) =>
    (dialect.rest?.routes ?? []).map((route): [HttpRule, Route] => [
      route.rule,
      { ...route, dialect: dialect as RestDialect },
    ]),
  );
  const allRoutes = createRouter(routes.filter(([, { dialect }]) => !dialect.needsVersion));
  const isIn = (one: WireProtocol, { dialect }: Route): boolean =>
    dialect === one || dialects.extensions.includes(dialect);
  const byPinned = new Map(
    dialects.list.map((one) => [one, createRouter(routes.filter(([, route]) => isIn(one, route)))]),
  );
  const owners = ownersOf(routes.map(([, route]) => route));
  const needingVersion = dialects.list.filter(({ needsVersion, rest }) => needsVersion && rest);
  /** The dialect that a request names by its version, where other dialects have the same paths. */
  const namedBy = (exchange: RefusedExchange): Dialect | undefined => {
    if (needingVersion.length === 0) return undefined;
    const version = majorMinor(versionOfRequest(exchange) ?? '');
    return needingVersion.find(({ versions }) => versions.includes(version));
  };
  const ownerOf = (exchange: RefusedExchange): RestDialect | undefined => {
    const { pinned, path } = exchange;
    if (pinned?.rest) return pinned as RestDialect;
    const owner = owners.get(path.split('/', 2)[1] ?? '');
    return owner && ((namedBy(exchange) as RestDialect | undefined) ?? owner);
  };

  /** Whether a tenant is the first segment of another dialect's paths. */
  const isForeign = (match: RouteMatch<Route>): boolean => {
    if (match.allow) return false;
    const { dialect } = match.value;
    return (owners.get(match.variables.tenant ?? '') ?? dialect) !== dialect;
  };

  async function serve(exchange: Exchange, route: Route, variables: PathVariables): Promise<void> {
    const { req, res, requestId, principal } = exchange;
    const { dialect, method, status = 200 } = route;
    const notes = newNotes(dialect, { userAgent: req.headers['user-agent'] });
    if (status !== 200) notes.status = status;
    let isDecoded = false;
    let isCall = false;
    try {
      checkVersion(exchange, dialect);
      checkOperation?.(principal, method.operation, requestId);
      const received = await requestOf(exchange, route, variables);
      const decoded = method.request.decode(received, notes);
      noteLostDigits(received, decoded.request, notes);
      isDecoded = true;
      const { tenant } = variables;
      const context = contextOf(exchange, {
        binding: 'rest',
        dialect,
        semantics: decoded.semantics,
        streaming: method.stream !== undefined,
        notes,
        budget,
        ...(tenant !== undefined && { tenant }),
      });
      isCall = true;
      const reply = await invoke({ operation: method.operation, request: decoded.request, context });
      const headers = (): string[] => answerHeaders(requestId, dialect, notes);
      if (isStream(reply)) {
        const framing = { ...errorFraming(dialect.rest, method, reply, context), meter: meters.streams.rest };
        await streams.serve(res, reply.events, framing, headers);
        return;
      }
      try {
        if (!method.result) throw new A2AError('internal');
        if (status === 204) {
          sendEmpty(res, status, headers());
          return;
        }
        const json = encodeAnswer(method.result, reply, notes, context.reservation);
        const body = typeof json === 'string' ? json : await json;
        const sent = headers();
        // It depends on the caller, whose key a cache in front of the gateway does not know.
        if (req.method === 'GET') sent.push('Cache-Control', 'no-store');
        const isPacked = dialect.ofGateway && body.length >= packedFrom && accepts(req, 'gzip');
        if (isPacked) sent.push('Content-Encoding', 'gzip');
        const type = answerType(req.headers.accept, dialect.rest.mediaType);
        send(res, status, sent, type, isPacked ? await gzipped(body) : body);
      } finally {
        notes.onAnswered?.();
      }
    } catch (thrown) {
      const error = A2AError.from(thrown);
      const known = { operation: method.operation, dialect: dialect.name };
      if (!isCall) meters.refused('rest', error, { ...exchange, ...known });
      fail(exchange, dialect, isDecoded ? inWireNames(error, method) : error, notes);
    }
  }

  async function requestOf({ req, res, principal, query }: Exchange, route: Route, variables: PathVariables) {
    const { rule, requestType, dialect } = route;
    let body: unknown;
    if (rule.body !== undefined) {
      const type = mediaTypeOf(req);
      if (type !== undefined && !isJsonType(type)) {
        throw new A2AError('contentTypeNotSupported', `Send ${dialect.rest.mediaType}, not ${type.slice(0, 64)}`);
      }
      body = await bodies.readJson(req, Reservation.for(res, budget, principal));
    } else {
      const arriving = arrival(req);
      if (arriving) await arriving;
    }
    const pieces = { body, bodyField: rule.body, query, variables };
    return assembleRequest(dialect.rest.api.fields, requestType, pieces);
  }

  /** The path determines the dialect. A version that the request names must be one of this dialect. */
  function checkVersion(exchange: Exchange, dialect: WireProtocol): void {
    // Dialects without versions serve all of them.
    if (dialect.versions.length === 0) return;
    const version = versionOfRequest(exchange);
    const named = versionOf(dialects, version, 'rest');
    if (!named || named === dialect) return;
    throw new A2AError('versionNotSupported', `This path speaks A2A ${dialect.versions.join(', ')}, not ${version}`);
  }

  async function refuseVerb(exchange: Exchange, allow: readonly string[]): Promise<void> {
    exchange.res.setHeader('Allow', allow.join(', '));
    const message = `${exchange.req.method} is not allowed here: ${allow.join(', ')}`;
    await refuseRoute(exchange, new A2AError('verbNotAllowed', message));
  }

  async function refuseRoute(exchange: Exchange, error: A2AError): Promise<void> {
    meters.refused('rest', error, exchange);
    fail(exchange, (ownerOf(exchange) ?? routes[0]?.[1].dialect) as RestDialect, error);
  }

  function fail(exchange: Exchange, dialect: RestDialect, error: A2AError, notes?: ReplyNotes): void {
    const { requestId: request, principal } = exchange;
    logFailure(logger, error, { request, binding: 'rest', principal: principal.id });
    sendRestError(exchange, dialect, error, notes);
  }

  return {
    verbsOf({ path, pinned }) {
      const router = (pinned && byPinned.get(pinned)) ?? allRoutes;
      try {
        // No route is for OPTIONS, so that a match lists the methods of the path.
        return router.match('OPTIONS', path)?.allow;
      } catch {
        return undefined;
      }
    },
    handle(exchange) {
      const { req, path, pinned, atRoot } = exchange;
      if (path === '') return false;
      const chosen = pinned ?? namedBy(exchange);
      const verb = req.method === 'HEAD' ? 'GET' : (req.method ?? 'GET');
      let match: RouteMatch<Route> | undefined;
      try {
        match = chosen && byPinned.get(chosen)?.match(verb, path);
        // On a path of another dialect, its version is refused.
        if (!pinned && (!match || isForeign(match))) match = allRoutes.match(verb, path);
      } catch (thrown) {
        return refuseRoute(exchange, A2AError.from(thrown));
      }
      if (!match) return false;
      if (match.allow) return refuseVerb(exchange, match.allow);
      const { value: route, variables } = match;
      const { tenant } = variables;
      if (tenant !== undefined) {
        // At the root the first segment is an agent or a reserved word, never a tenant.
        if (atRoot) return false;
        if (!pinned && isForeign(match)) return false;
      }
      // Streams have no length, so HEAD has nothing to report.
      if (req.method === 'HEAD' && route.method.stream) return refuseVerb(exchange, [route.rule.verb]);
      return serve(exchange, route, variables);
    },
    /** Answers on paths that begin like the routes of a dialect, in this dialect. */
    refuse(refused, error) {
      const owner = ownerOf(refused);
      if (!owner) return false;
      meters.refused('rest', error, refused);
      sendRestError(refused, owner, error);
      return Promise.resolve();
    },
  };
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

/** A function of its own, because its closure must keep no more than the stream needs. */
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
