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
  const apps = new Map<typeof http1, Promise<RequestListener>>();
  return (req, res) => {
    const classes = req instanceof Http2Request ? http2 : http1;
    const app = apps.get(classes) ?? build(options, classes);
    apps.set(classes, app);
    app.then(
      (listener) => listener(req, res),
      () => sendError(res, new A2AError('internal')),
    );
  };
}

/** The prototypes of requests and responses, which Express replaces with its own. */
const http1 = { request: IncomingMessage.prototype as object, response: ServerResponse.prototype as object };
const http2: typeof http1 = { request: Http2Request.prototype, response: Http2Response.prototype };

/** Express's methods, with another class as their prototype. */
const onTopOf = (base: object, methods: object): object =>
  Object.create(base, Object.getOwnPropertyDescriptors(methods));

/** Paths of the pages. */
const pages = ['/healthz', '/readyz', '/agents', '/openapi.json'];

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
  { request, response }: typeof http1,
): Promise<RequestListener> {
  const { default: express } = await import('express');
  const app = express();
  Object.setPrototypeOf(app.request, onTopOf(request, express.request));
  Object.setPrototypeOf(app.response, onTopOf(response, express.response));
  app.disable('x-powered-by');
  if (cors) {
    app.use(pages, (req, res, next) => {
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
    if (isReady) res.json({ status: 'ready', ...body });
    else
      res
        .status(503)
        .set('Retry-After', '5')
        .json({ status: 'not ready', ...body });
  });
  app.get('/agents', async (req, res) => {
    try {
      res.json({ agents: await agents(req) });
    } catch (thrown) {
      sendError(res, A2AError.from(thrown));
    }
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
