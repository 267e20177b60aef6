import { IncomingMessage, type RequestListener, ServerResponse } from 'node:http';
import { A2AError } from '../../core/model/errors.ts';
import type { Cors } from '../http/cors.ts';
import { errorHeaders, send } from '../http/headers.ts';
import { Http2Request, Http2Response } from '../listener/http2-compat.ts';

/** What the gateway tells about itself, beside A2A. */
export interface AppOptions {
  /** The agents that the caller may see. Throws A2AError when the caller may see none. */
  readonly agents: (req: IncomingMessage) => Promise<unknown>;
  readonly openApi: () => unknown;
  /** Whether the gateway should get work, and what there is to say of it. Never depends on who asks. */
  readonly ready: (req: IncomingMessage) => Promise<{ readonly ready: boolean; readonly body: object }>;
  /** The page at the root, for people with browsers: HTML. Absent: there is none. */
  readonly landing?: (req: IncomingMessage) => Promise<string>;
  /** Whose scripts may read these pages; absent: nobody's but their own. */
  readonly cors?: Cors;
  /** Answers what is nobody's. */
  readonly notFound: RequestListener;
}

/**
 * The pages that are not hot, as an Express 5 app behind the dispatcher: `/`, `/agents`, `/openapi.json`, `/healthz`,
 * `/readyz`. Express is loaded with the first request for one of them.
 */
export function createApp(options: AppOptions): RequestListener {
  const apps = new Map<typeof http1, Promise<RequestListener>>();
  return (req, res) => {
    const classes = req instanceof Http2Request ? http2 : http1;
    const app = apps.get(classes) ?? build(options, classes);
    apps.set(classes, app);
    app.then(
      (listener) => listener(req, res),
      () => fail(res, new A2AError('internal')),
    );
  };
}

/** The classes of requests and responses, whose prototypes Express replaces by its own. */
const http1 = { request: IncomingMessage.prototype as object, response: ServerResponse.prototype as object };
const http2: typeof http1 = { request: Http2Request.prototype, response: Http2Response.prototype };

/** Express's methods on top of those of another class. */
const onTopOf = (base: object, methods: object): object =>
  Object.create(base, Object.getOwnPropertyDescriptors(methods));

/** Paths of the pages. */
const pages = ['/healthz', '/readyz', '/agents', '/openapi.json'];

/** What is shown depends on who asks, and nothing in it is loaded or run. */
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
      fail(res, A2AError.from(thrown));
    }
  });
  app.get('/openapi.json', (_, res) => {
    res.json(openApi());
  });
  app.get('/', async (req, res, next) => {
    // Programs ask for anything, or for JSON, and are told that nothing is served to GET.
    if (!landing || !req.headers.accept?.includes('text/html')) next();
    else res.set(landingHeaders).send(await landing(req));
  });
  app.use((req, res) => notFound(req, res));
  // Express tells an error handler by its four parameters, and would answer in HTML.
  app.use((thrown: unknown, _req: IncomingMessage, res: ServerResponse, _next: unknown) => {
    fail(res, A2AError.from(thrown));
  });
  return app;
}

function fail(res: ServerResponse, error: A2AError): void {
  const { http, grpc } = error.row;
  const body = { error: { code: http, status: grpc, message: error.message, details: error.details() } };
  send(res, http, errorHeaders(error), 'application/json', JSON.stringify(body));
}
