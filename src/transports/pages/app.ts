import { IncomingMessage, type RequestListener, ServerResponse } from 'node:http';
import { A2AError } from '../../core/model/errors.ts';
import type { Cors } from '../http/cors.ts';
import { sendError } from '../http/headers.ts';
import { Http2Request, Http2Response } from '../listener/http2-compat.ts';

/** The gateway's pages about itself. */
export interface AppOptions {
  /** The agents that the caller may see. Rejects with A2AError when the caller may see none. */
  readonly agents: (req: IncomingMessage) => Promise<unknown>;
  readonly openApi: () => unknown;
  /** Whether the gateway is ready for requests, with details. Does not depend on the caller. */
  readonly ready: (req: IncomingMessage) => Promise<{ readonly ready: boolean; readonly body: object }>;
  /** The HTML page at the root, for browsers. Absent: there is none. */
  readonly landing?: (req: IncomingMessage) => Promise<string>;
  /** Absent: scripts of other origins may not read these pages. */
  readonly cors?: Cors;
  /** Answers requests for other paths. */
  readonly notFound: RequestListener;
}

/**
 * The rarely used pages, as an Express 5 app behind the dispatcher: `/`, `/agents`, `/openapi.json`, `/healthz`, `/readyz`.
 * Express is loaded with the first request for one of them.
 */
export function createApp(options: AppOptions): RequestListener {
  const apps: { http1?: Promise<RequestListener>; http2?: Promise<RequestListener> } = {};
  return (req, res) => {
    const version = req instanceof Http2Request ? 'http2' : 'http1';
    apps[version] ??= build(options, prototypes[version]);
    apps[version].then(
      (listener) => listener(req, res),
      () => sendError(res, new A2AError('internal')),
    );
  };
}

/** The prototypes of requests and responses, which Express replaces with its own. */
const prototypes = {
  http1: { request: IncomingMessage.prototype as object, response: ServerResponse.prototype as object },
  http2: { request: Http2Request.prototype as object, response: Http2Response.prototype as object },
};

/** Express's methods, with another class as their prototype. */
const onTopOf = (base: object, methods: object): object =>
  Object.create(base, Object.getOwnPropertyDescriptors(methods));

/** The page depends on the caller, and contains no scripts or external resources. */
const landingHeaders = {
  'Content-Type': 'text/html; charset=utf-8',
  'Content-Security-Policy': "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'",
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Cache-Control': 'no-store',
  Vary: 'Accept',
};

async function build(
  { agents, openApi, ready, landing, cors, notFound }: AppOptions,
  { request, response }: typeof prototypes.http1,
): Promise<RequestListener> {
  const { default: express } = await import('express');
  const app = express();
  Object.setPrototypeOf(app.request, onTopOf(request, express.request));
  Object.setPrototypeOf(app.response, onTopOf(response, express.response));
  app.disable('x-powered-by');
  if (cors) {
    app.use(['/healthz', '/readyz', '/agents', '/openapi.json'], (req, res, next) => {
      cors.apply(req, res);
      if (req.method === 'OPTIONS') cors.options(req, res, ['GET', 'HEAD']);
      else next();
    });
  }
  app.get('/healthz', (_, res) => {
    res.json({ status: 'ok' });
  });
  app.get('/readyz', async (req, res) => {
    const { ready: isReady, body } = await ready(req);
    if (!isReady) res.status(503).set('Retry-After', '5');
    res.json({ status: isReady ? 'ready' : 'not ready', ...body });
  });
  app.get('/agents', async (req, res) => {
    res.json({ agents: await agents(req) });
  });
  app.get('/openapi.json', (_, res) => {
    res.json(openApi());
  });
  app.get('/', async (req, res, next) => {
    // Programs, which accept anything or JSON, get the answer of `notFound`.
    if (!landing || !req.headers.accept?.includes('text/html')) next();
    else res.set(landingHeaders).send(await landing(req));
  });
  app.use((req, res) => notFound(req, res));
  // Express recognizes an error handler by its four parameters. Its default handler answers in HTML.
  app.use((thrown: unknown, _req: IncomingMessage, res: ServerResponse, _next: unknown) => {
    sendError(res, A2AError.from(thrown));
  });
  return app;
}
