import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { A2AError } from '../../core/errors.ts';

/** What the gateway tells about itself, beside A2A. */
export interface AppOptions {
  /** The agents that the caller may see. Throws A2AError when the caller may see none. */
  readonly agents: (req: IncomingMessage) => Promise<unknown>;
  readonly openApi: () => unknown;
  /** Rejects when the gateway cannot take work, with what is wrong. */
  readonly ready: () => Promise<unknown>;
  /** Answers what is nobody's. */
  readonly notFound: RequestListener;
}

/**
 * The pages that are not hot, as an Express 5 app behind the dispatcher: `/agents`, `/openapi.json`, `/healthz`,
 * `/readyz`. Express is loaded with the first request for one of them.
 */
export function createApp(options: AppOptions): RequestListener {
  let app: Promise<RequestListener> | undefined;
  return (req, res) => {
    app ??= build(options);
    app.then(
      (listener) => listener(req, res),
      () => fail(res, new A2AError('internal')),
    );
  };
}

async function build({ agents, openApi, ready, notFound }: AppOptions): Promise<RequestListener> {
  const { default: express } = await import('express');
  const app = express();
  app.disable('x-powered-by');
  app.get('/healthz', (_, res) => {
    res.json({ status: 'ok' });
  });
  app.get('/readyz', async (_, res) => {
    try {
      res.json({ status: 'ready', ...((await ready()) as object) });
    } catch (thrown) {
      const error = A2AError.from(thrown);
      res.status(503).set('Retry-After', '5').json({ status: 'not ready', reason: error.message });
    }
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
  app.use((req, res) => notFound(req, res));
  return app;
}

function fail(res: ServerResponse, error: A2AError): void {
  const { http, reason } = error.row;
  const headers: Record<string, string> = { 'Content-Type': 'application/json' };
  if (http === 401) headers['WWW-Authenticate'] = 'Bearer realm="a2a-gateway"';
  res.writeHead(http, headers);
  res.end(JSON.stringify({ error: { code: http, status: reason, message: error.message } }));
}
