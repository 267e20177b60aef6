import type { CheckOperation } from '../../core/limits/admission.ts';
import { Reservation } from '../../core/limits/reservation.ts';
import { logFailure } from '../../core/middleware/logging.ts';
import { type Invoke, isStream, type ReplyNotes } from '../../core/model/call.ts';
import { A2AError } from '../../core/model/errors.ts';
import type { CodecContext, StreamShape } from '../../dialects/kernel/codec.ts';
import { versionOf } from '../../dialects/kernel/detect.ts';
import { inWireNames } from '../../dialects/kernel/fields.ts';
import type { Dialects } from '../../dialects/kernel/lookup.ts';
import type { Method, RestBinding, RestRoute, WireProtocol } from '../../dialects/kernel/wire.ts';
import type { HttpRule } from '../../gen/operations.ts';
import { createRouter, type PathVariables, type RouteMatch } from '../../wire/http-rule.ts';
import type { HttpContext } from '../http/context.ts';
import type { StreamFraming } from '../http/event-stream.ts';
import type { Exchange, ExchangeHandler, RefusalHandler, RefusedExchange } from '../http/exchange.ts';
import {
  answerHeaders,
  contextOf,
  errorHeaders,
  isJsonType,
  mediaTypeOf,
  newNotes,
  send,
  sendEmpty,
  versionOfRequest,
} from '../http/headers.ts';
import { answerType } from './accept.ts';
import { assembleRequest } from './request.ts';

export interface RestServerOptions {
  readonly dialects: Dialects;
  readonly invoke: Invoke;
  /** Asked before parameters are read. Default: every operation is allowed. */
  readonly checkOperation?: CheckOperation;
  readonly http: HttpContext;
}

interface Route extends RestRoute {
  readonly dialect: WireProtocol & { readonly rest: RestBinding };
}

export interface RestHandlers {
  readonly handle: ExchangeHandler;
  /** Answers what was turned away on paths that begin as routes of a dialect do, in that dialect. */
  readonly refuse: RefusalHandler;
}

/** The HTTP+JSON binding of every dialect that has one: routes by google.api.http (A2A 1.0.1 section 11). */
export function createRestServer({ dialects, invoke, checkOperation, http }: RestServerOptions): RestHandlers {
  const { bodies, streams, logger, meters, budget } = http;
  const routes = dialects.protocols.flatMap((dialect) =>
    (dialect.rest?.routes ?? []).map((route): [HttpRule, Route] => [
      route.rule,
      { ...route, dialect: dialect as Route['dialect'] },
    ]),
  );
  const everywhere = createRouter(routes);
  const isIn = (one: WireProtocol, { dialect }: Route): boolean =>
    dialect === one || dialects.extensions.includes(dialect);
  const pinnedTo = new Map(
    dialects.list.map((one) => [one, createRouter(routes.filter(([, route]) => isIn(one, route)))]),
  );

  const owners = ownersOf(routes.map(([, route]) => route));
  const ownerOf = ({ pinned, path }: RefusedExchange): Route['dialect'] | undefined =>
    pinned?.rest ? (pinned as Route['dialect']) : owners.get(path.split('/', 2)[1] ?? '');

  const handle: ExchangeHandler = (exchange) => {
    const { req, path, pinned, atRoot } = exchange;
    if (path === '') return false;
    const router = pinned ? pinnedTo.get(pinned) : everywhere;
    let match: RouteMatch<Route> | undefined;
    try {
      match = router?.match(req.method === 'HEAD' ? 'GET' : (req.method ?? 'GET'), path);
    } catch (thrown) {
      return turnAway(exchange, undefined, A2AError.from(thrown));
    }
    if (!match) return false;
    if (match.allow) return notAllowed(exchange, match.allow);
    const { tenant } = match.variables;
    // At the root the first segment is an agent or a word of ours, never a tenant.
    if (atRoot && tenant !== undefined) return false;
    // What another dialect's paths begin with is that one's, and no tenant either.
    if (!pinned && tenant !== undefined && (owners.get(tenant) ?? match.value.dialect) !== match.value.dialect) {
      return false;
    }
    // A stream has no end that its head could tell of.
    if (req.method === 'HEAD' && match.value.method.stream) return notAllowed(exchange, [match.value.rule.verb]);
    return serve(exchange, match.value, match.variables);
  };

  async function serve(exchange: Exchange, route: Route, variables: PathVariables): Promise<void> {
    const { dialect, method, status = 200 } = route;
    const notes = newNotes(dialect, exchange.req);
    let read = false;
    let called = false;
    try {
      requireVersion(exchange, dialect);
      checkOperation?.(exchange.principal, method.operation, exchange.requestId);
      const request = await requestOf(exchange, route, variables);
      const decoded = method.request.decode(request, notes);
      read = true;
      const streaming = method.stream !== undefined;
      const context = contextOf(exchange, {
        binding: 'rest',
        dialect,
        semantics: decoded.semantics,
        streaming,
        notes,
        budget,
        ...(variables.tenant !== undefined && { tenant: variables.tenant }),
      });
      called = true;
      const reply = await invoke({ operation: method.operation, request: decoded.request, context });
      const headers = (): string[] => answerHeaders(exchange.requestId, dialect, notes);
      if (isStream(reply)) {
        if (!method.stream) throw new A2AError('internal');
        const after = reply.after ?? (typeof context.replay === 'object' ? context.replay.after : 0);
        const { reservation } = context;
        const meter = meters.streams.rest;
        const told = { meter, onEnd: () => notes.onAnswered?.(), ...(reservation && { reservation }) };
        const framing = { ...framingOf(dialect.rest, method, method.stream, notes, after), ...told };
        await streams.serve(exchange.res, reply.events, framing, headers);
        return;
      }
      try {
        if (!method.result) throw new A2AError('internal');
        if (status === 204) {
          sendEmpty(exchange.res, status, headers());
          return;
        }
        const ready = method.result.verbatim ? reply.json : undefined;
        const body = ready ?? JSON.stringify(method.result.encode(reply, notes));
        context.reservation?.release();
        send(exchange.res, status, headers(), answerType(exchange.req.headers.accept, dialect.rest.mediaType), body);
      } finally {
        notes.onAnswered?.();
      }
    } catch (thrown) {
      const error = A2AError.from(thrown);
      if (!called) meters.refused('rest', error.kind, exchange);
      await fail(exchange, dialect, read ? inWireNames(error, method) : error, notes);
    }
  }

  async function requestOf(
    { req, res, principal, query }: Exchange,
    route: Route,
    variables: PathVariables,
  ): Promise<object> {
    const { rule, requestType, dialect } = route;
    let body: unknown;
    if (rule.body !== undefined) {
      const type = mediaTypeOf(req);
      if (type !== undefined && !isJsonType(type)) {
        throw new A2AError('contentTypeNotSupported', `Send ${dialect.rest.mediaType}, not ${type.slice(0, 64)}`);
      }
      body = await bodies.readJson(req, Reservation.for(res, budget, principal));
    }
    const pieces = { body, bodyField: rule.body, query, variables };
    return assembleRequest(dialect.rest.api.fields, requestType, pieces);
  }

  /** The path says which dialect it is; a version that is asked for besides must be that one. */
  function requireVersion(exchange: Exchange, dialect: WireProtocol): void {
    // What has no versions is the same in all of them.
    if (dialect.versions.length === 0) return;
    const version = versionOfRequest(exchange);
    const asked = versionOf(dialects, version, 'rest');
    if (!asked || asked === dialect) return;
    throw new A2AError('versionNotSupported', `This path speaks A2A ${dialect.versions.join(', ')}, not ${version}`);
  }

  async function notAllowed(exchange: Exchange, allow: readonly string[]): Promise<void> {
    exchange.res.setHeader('Allow', allow.join(', '));
    const error = new A2AError('verbNotAllowed', `${exchange.req.method} is not allowed here: ${allow.join(', ')}`);
    await turnAway(exchange, undefined, error);
  }

  function turnAway(exchange: RefusedExchange, dialect: Route['dialect'] | undefined, error: A2AError): Promise<void> {
    meters.refused('rest', error.kind, exchange);
    return fail(exchange, dialect, error);
  }

  async function fail(
    exchange: RefusedExchange & Partial<Pick<Exchange, 'principal'>>,
    dialect: Route['dialect'] | undefined,
    error: A2AError,
    notes?: ReplyNotes,
  ): Promise<void> {
    logFailure(logger, error, { request: exchange.requestId, binding: 'rest', principal: exchange.principal?.id });
    answerError(exchange, (dialect ?? ownerOf(exchange) ?? routes[0]?.[1].dialect) as Route['dialect'], error, notes);
  }

  function answerError(
    { res, requestId }: RefusedExchange,
    speaker: Route['dialect'],
    error: A2AError,
    notes?: ReplyNotes,
  ): void {
    const { status, body } = speaker.rest.error.encode(error, { losses: new Set() });
    const headers = [...answerHeaders(requestId, speaker, notes), ...errorHeaders(error)];
    const { mediaType, errorMediaType = mediaType } = speaker.rest;
    send(res, status, headers, errorMediaType, JSON.stringify(body));
  }

  return {
    handle,
    refuse(refused, error) {
      const owner = ownerOf(refused);
      if (!owner) return false;
      meters.refused('rest', error.kind, refused);
      answerError(refused, owner, error);
      return Promise.resolve();
    },
  };
}

/** By the first segment of their routes' paths, where that is a literal, the dialects that own what is below. */
function ownersOf(routes: readonly Route[]): ReadonlyMap<string, Route['dialect']> {
  const owners = new Map<string, Route['dialect']>();
  for (const { rule, dialect } of routes) {
    const first = rule.path.split('/', 2)[1] ?? '';
    if (!first.startsWith('{') && !owners.has(first)) owners.set(first, dialect);
  }
  return owners;
}

/** On its own, so that a stream keeps what it needs and not the whole call. */
const framingOf = (
  face: RestBinding,
  method: Method,
  stream: StreamShape,
  cx: CodecContext,
  after: number,
): StreamFraming => ({
  encoder: stream.encoder(cx),
  ...(stream.atOnce && { atOnce: true }),
  error: (thrown) => {
    const { body } = face.error.encode(inWireNames(thrown, method), { losses: new Set() });
    return [{ event: 'error', data: JSON.stringify(body) }];
  },
  after,
});
