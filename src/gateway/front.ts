import { readFileSync } from 'node:fs';
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import type { Config } from '../config/config.ts';
import type { Authenticate, CallerFacts } from '../core/admission.ts';
import type { Audit } from '../core/audit.ts';
import type { Invoke, Principal } from '../core/call.ts';
import { A2AError } from '../core/errors.ts';
import { mayCall } from '../core/permissions.ts';
import type { AgentDirectory, Logger, Store } from '../core/ports.ts';
import { limited, RequestLimiter } from '../core/request-limit.ts';
import type { Service } from '../core/service.ts';
import type { StreamLimit } from '../core/stream-limit.ts';
import type { Dialects } from '../dialects/registry.ts';
import { ArrivingBytes } from '../transports/arriving.ts';
import { createConnectHandlers } from '../transports/connect/server.ts';
import { createGrpcServer } from '../transports/grpc/server.ts';
import { createApp } from '../transports/http/app.ts';
import { mountOf, originOf, RequestFacts } from '../transports/http/caller.ts';
import type { CardSource } from '../transports/http/cards.ts';
import { createCors } from '../transports/http/cors.ts';
import { createDispatcher } from '../transports/http/dispatcher.ts';
import { createFiles, type FileHost } from '../transports/http/files.ts';
import { createHttpGround } from '../transports/http/ground.ts';
import { createKeySet } from '../transports/http/key-set.ts';
import { createTokenPage } from '../transports/http/oauth.ts';
import { createOAuthMetadata } from '../transports/http/oauth-metadata.ts';
import { ownOriginOf } from '../transports/http/own-host.ts';
import { createJsonRpcServer } from '../transports/jsonrpc/server.ts';
import { createPort } from '../transports/port.ts';
import { openApiOf } from '../transports/rest/openapi.ts';
import { createRestServer } from '../transports/rest/server.ts';
import { SlowReaders } from '../transports/slow-readers.ts';
import type { Access } from './access.ts';
import { healthOf } from './agents.ts';
import { createMcpFront } from './mcp.ts';

export interface FrontOptions {
  readonly config: Config;
  readonly agents: AgentDirectory;
  readonly dialects: Dialects;
  readonly invoke: Invoke;
  /** Where several dialects share a method name, the one in which the caller last used the task decides. */
  readonly dialectOf: Service['dialectOf'];
  readonly card: CardSource;
  readonly store: Store;
  /** Absent: inline bytes of tasks are served nowhere. */
  readonly files?: FileHost;
  readonly logger: Logger;
  readonly audit: Audit;
  /** Who gets in. */
  readonly access: Pick<Access, 'authenticate' | 'checkAgent' | 'tokens'>;
  /** What cards advertise; undefined while the gateway does not know. */
  readonly publicUrl: () => string | undefined;
  /** The public keys that verify its cards; undefined where they are not signed. */
  readonly keySet?: object | undefined;
  /** Absent: any number of streams. */
  readonly streams?: StreamLimit | undefined;
}

/** Middleware of Express 5, and of whatever else calls it like that. */
export type Middleware = (req: IncomingMessage, res: ServerResponse, next: (error?: unknown) => void) => void;

/** Every binding over one Invoke: on a port of its own, or as part of somebody's server. */
export interface Front {
  listen(): Promise<number>;
  readonly middleware: Middleware;
  attach(server: Server): void;
  /** New work is refused from now on; the port still answers, and says so. */
  retire(): void;
  close(drainMs: number): Promise<void>;
}

/** Puts all transports together over the same agents, dialects and callers. */
export function createFront(options: FrontOptions): Front {
  const { config, agents, dialects, invoke, card, store, logger, access } = options;
  const { listen, limits } = config;
  let draining = false;
  const admit = limitRequests(access.authenticate, options);
  const requireWork = (): void => {
    if (draining) throw new A2AError('unavailable', 'The gateway is stopping', { retryAfter: 5 });
  };
  const authenticate: Authenticate = (caller) => {
    requireWork();
    return admit(caller);
  };
  /** Who asks for what everybody may ask for; undefined: nobody who is let in. */
  const known = async (caller: CallerFacts): Promise<Principal | undefined> => {
    try {
      return await access.authenticate(caller);
    } catch {
      return undefined;
    }
  };
  const files = options.files && createFiles({ host: options.files, publicUrl: options.publicUrl, logger });
  const slow = new SlowReaders({ patience: limits.slowReader, buffered: limits.buffered, audit: options.audit });
  const arriving = new ArrivingBytes(limits.buffered);
  const ground = createHttpGround({
    logger,
    maxBody: limits.body,
    bodyTimeout: limits.requestTimeout,
    stall: limits.slowReader,
    arriving,
    ...(files && { files }),
  });
  const jsonrpc = createJsonRpcServer({
    dialects,
    invoke,
    ground,
    recall: ({ agent, principal }, taskId) => options.dialectOf({ agent, tenant: '', principal: principal.id }, taskId),
    card: ({ agent, req, base, pinned }, dialect) =>
      card({
        agent,
        dialects: [dialect],
        pinned,
        origin: listen.publicUrl ?? originOf(req),
        base: mountOf(req) + base,
      }),
  });
  const rest = createRestServer({ dialects, invoke, ground });
  const connect = createConnectHandlers({ dialects: dialects.spoken, invoke, agents, ground, limits });
  const grpc = createGrpcServer({
    dialects: dialects.spoken,
    invoke,
    authenticate,
    agents,
    logger,
    loadImage,
    limits: { ...limits, arrival: limits.requestTimeout },
    slow,
    arriving,
  });
  const cors = createCors(listen.cors, [config.auth.apiKeyHeader]);

  const metadata = createOAuthMetadata({
    issuer: config.auth.jwt?.issuer,
    grants: access.tokens !== undefined,
    origin: (req) => ownOriginOf(req, agents, options.publicUrl()) ?? options.publicUrl() ?? originOf(req),
    cors,
  });
  const mcp = createMcpFront({
    agents,
    dialects,
    invoke,
    ground,
    answer: limits.answer,
    streams: options.streams,
    origins: listen.cors,
    resourceMetadata: metadata.urlFor,
  });
  const dispatch = createDispatcher({
    agents,
    dialects,
    ground,
    authenticate,
    handlers: [jsonrpc.handle, mcp.handle, rest.handle, connect.handle],
    refusals: [jsonrpc.refuse, mcp.refuse, connect.refuse, rest.refuse],
    rootSegments: ['mcp'],
    cors,
    card,
    checkAgent: access.checkAgent,
    publicCards: config.auth.publicCards,
    publicUrl: listen.publicUrl,
  });

  const app = createApp({
    agents: async (req) => {
      const principal = await authenticate(new RequestFacts(req));
      return agents.names.filter((name) => mayCall(principal, name)).map((name) => describe(name, req));
    },
    openApi: () => {
      const face = dialects.list.find(({ rest: served }) => served)?.rest;
      if (!face) throw new A2AError('routeNotFound');
      const server = options.publicUrl() ?? '/';
      const beside = dialects.extensions.flatMap(({ rest: served }) => served ?? []);
      return openApiOf([face, ...beside], { title: 'a2a-gateway', version: '1.0', server });
    },
    ready: async (req) => {
      if (draining) throw new A2AError('unavailable', 'The gateway is stopping');
      await store.ping(AbortSignal.timeout(5_000));
      // Where the agents are, and what is wrong with them, is for those who may call them.
      const principal = await known(new RequestFacts(req));
      const seen = ([name]: [string, unknown]): boolean => principal !== undefined && mayCall(principal, name);
      return {
        store: 'ok',
        ...(principal && { agents: Object.fromEntries(Object.entries(healthOf(agents)).filter(seen)) }),
      };
    },
    cors,
    notFound: dispatch.notFound,
  });

  const describe = (name: string, req: IncomingMessage): object => {
    const origin = options.publicUrl() ?? `http://${req.headers.host ?? 'localhost'}`;
    const base = `${origin}/${name}`;
    const { name: title, description } = agents.get(name)?.card ?? {};
    return { name, title, description, url: base, card: `${base}/.well-known/agent-card.json` };
  };

  const keySet = options.keySet ? createKeySet(options.keySet, cors) : () => false;
  const tokens = access.tokens ? createTokenPage(access.tokens, requireWork) : () => false;
  const serves = (req: IncomingMessage, res: ServerResponse): boolean =>
    dispatch(req, res) || keySet(req, res) || tokens(req, res) || metadata.serve(req, res);
  const onRequest: RequestListener = (req, res) => {
    if (!serves(req, res)) app(req, res);
  };

  const port = createPort({
    host: listen.host,
    port: listen.port,
    tls: listen.tls && {
      cert: readFileSync(listen.tls.cert, 'utf8'),
      key: readFileSync(listen.tls.key, 'utf8'),
      clientCa: listen.tls.clientCa && readFileSync(listen.tls.clientCa, 'utf8'),
      certificateRequired: config.auth.mtls?.required,
    },
    onRequest,
    onHttp2: grpc.inject,
    limits: {
      headers: Math.min(headersTimeout, limits.requestTimeout),
      // Whoever reads the body has its own bound, and answers in the caller's words.
      request: limits.requestTimeout + headersTimeout,
      headerBytes: limits.headers,
      ...(limits.connections !== undefined && { connections: limits.connections }),
    },
    slow,
  });

  return {
    listen: () => port.listen(),
    middleware: (req, res, next) => {
      if (!serves(req, res)) next();
    },
    attach(server) {
      const others = server.listeners('request') as RequestListener[];
      server.removeAllListeners('request');
      server.on('request', (req, res) => {
        if (serves(req, res)) return;
        for (const other of others) other.call(server, req, res);
      });
    },
    retire() {
      draining = true;
      grpc.retire();
    },
    async close(drainMs) {
      this.retire();
      ground.streams.close();
      await mcp.close();
      // HTTP requests and gRPC calls end at the same time; gRPC tells its clients why, which takes a moment more.
      await Promise.all([grpc.drain(drainMs), port.close({ drainMs: drainMs + 1_000 })]);
      grpc.close();
    },
  };
}

/** Milliseconds that the headers of a request may take. */
const headersTimeout = 15_000;

/** Anonymous callers share a principal, and are told apart by their networks where anything is counted. */
function limitRequests(judge: Authenticate, { config: { limits }, audit, store }: FrontOptions): Authenticate {
  const { requestsPerMinute: perMinute, streams } = limits;
  if (perMinute === undefined && streams === undefined) return judge;
  return limited(judge, new RequestLimiter({ perMinute, audit, peers: store.peers }));
}

/** The descriptors that reflection and Connect read; loaded when somebody asks. */
async function loadImage(): Promise<Uint8Array> {
  const { image } = await import('../gen/image.ts');
  return Buffer.from(image, 'base64');
}
