import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Gateway } from '../../src/gateway/compose/gateway.ts';

/** Apps of the usual frameworks, each with a page of its own at `/`, `/own` and `/healthz`, that a gateway is mounted in. */

/** The used part of Express, of any version. */
interface Express {
  (): RequestListener & { use(handler: unknown): void; use(path: string, handler: unknown): void; get: Route };
  json(): unknown;
}
type Route = (path: string, handler: (req: unknown, res: { send(text: string): void }) => void) => void;

/** The used part of Fastify. */
type Fastify = (options?: object) => {
  readonly server: Server;
  get(path: string, handler: () => Promise<string>): void;
  addHook(
    name: 'onRequest',
    hook: (
      request: { raw: Parameters<RequestListener>[0] },
      reply: { raw: Parameters<RequestListener>[1]; hijack(): void },
      done: (error?: Error) => void,
    ) => void,
  ): void;
  ready(): Promise<void>;
};

/** The used part of Hono. */
type Hono = new () => {
  readonly fetch: unknown;
  get(path: string, handler: (context: { text(text: string): Response }) => Response): void;
};

// By a variable, so that a checkout without these packages can be type-checked.
const load = async <T>(name: string): Promise<T> => (await import(name)) as T;

export const ownPaths = ['/', '/own', '/healthz'] as const;
export const ownText = 'a page of the app';

async function express(version: 'express' | 'express4', gateway: Gateway, mounted: boolean, parse: boolean) {
  const { default: create } = await load<{ default: Express }>(version);
  const app = create();
  if (parse) app.use(create.json());
  if (mounted) app.use(gateway.middleware);
  for (const path of ownPaths) app.get(path, (_, res) => res.send(ownText));
  return createServer(app);
}

/** Makes the server of an app. `mounted`: with the gateway's middleware. */
export type MakeServer = (gateway: Gateway, mounted: boolean) => Promise<Server>;

export const apps: Readonly<Record<string, MakeServer>> = {
  'Express 5': (gateway, mounted) => express('express', gateway, mounted, false),
  'Express 5 after express.json()': (gateway, mounted) => express('express', gateway, mounted, true),
  'Express 4': (gateway, mounted) => express('express4', gateway, mounted, false),
  'Express 4 after express.json()': (gateway, mounted) => express('express4', gateway, mounted, true),
  async Fastify(gateway, mounted) {
    const { default: create } = await load<{ default: Fastify }>('fastify');
    const app = create();
    if (mounted) {
      app.addHook('onRequest', (request, reply, done) => {
        const passOn = (error?: unknown): void => done(error as Error | undefined);
        let passed = false;
        gateway.middleware(request.raw, reply.raw, (error) => {
          passed = true;
          passOn(error);
        });
        if (!passed) reply.hijack();
      });
    }
    for (const path of ownPaths) app.get(path, async () => ownText);
    await app.ready();
    return app.server;
  },
  async Hono(gateway, mounted) {
    const [{ Hono }, { createAdaptorServer, getRequestListener }] = await Promise.all([
      load<{ Hono: Hono }>('hono'),
      load<{
        createAdaptorServer(options: { fetch: unknown }): Server;
        getRequestListener(fetch: unknown): RequestListener;
      }>('@hono/node-server'),
    ]);
    const app = new Hono();
    for (const path of ownPaths) app.get(path, (context) => context.text(ownText));
    if (!mounted) return createAdaptorServer({ fetch: app.fetch });
    const rest = getRequestListener(app.fetch);
    return createServer((req, res) => gateway.middleware(req, res, () => rest(req, res)));
  },
  'plain http': async (gateway, mounted) => {
    const own: RequestListener = (req, res) => {
      const isOwn = ownPaths.some((path) => path === req.url);
      res.writeHead(isOwn ? 200 : 404).end(isOwn ? ownText : '');
    };
    return createServer(mounted ? (req, res) => gateway.middleware(req, res, () => own(req, res)) : own);
  },
};

/** Listens on a free port of loopback. */
export async function listenOn(server: Server): Promise<number> {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return (server.address() as AddressInfo).port;
}
