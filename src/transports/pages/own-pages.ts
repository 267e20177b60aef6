import type { IncomingMessage, ServerResponse } from 'node:http';
import { A2AError } from '../../core/model/errors.ts';
import { type Cors, withCors } from '../http/cors.ts';
import { etagOf, type PageHandler, send, sendDocument, sendError } from '../http/headers.ts';
import {
  aiCatalog,
  aiCatalogPath,
  aiCatalogType,
  apiCatalog,
  apiCatalogPath,
  apiCatalogType,
  type CatalogContent,
} from './catalogs.ts';

/**
 * The gateway's pages about itself. Each has the readers that are permitted if callers need credentials (`of cards`: readers who
 * may read cards), and whether an app to which the gateway is attached may have a page of its own at the path.
 */
export const ownPages = {
  '/healthz': { readers: 'everybody', ofApps: true },
  '/readyz': { readers: 'everybody', ofApps: true },
  '/openapi.json': { readers: 'everybody', ofApps: true },
  '/agents': { readers: 'callers', ofApps: false },
  '/metrics': { readers: 'callers', ofApps: true },
  [aiCatalogPath]: { readers: 'of cards', ofApps: true },
  [apiCatalogPath]: { readers: 'of cards', ofApps: true },
} as const;

export type OwnPage = keyof typeof ownPages;

/** The gateway's pages about itself, without metrics, whose handler is separate. */
export interface OwnPagesOptions {
  /** The agents that the caller may see. Rejects with A2AError when the caller may see none. */
  readonly agents: (req: IncomingMessage) => Promise<unknown>;
  readonly openApi: () => unknown;
  /** Returns the catalogs' content for the caller. Rejects with A2AError if the caller may not read cards. */
  readonly catalog: (req: IncomingMessage) => Promise<CatalogContent>;
  /** Whether the gateway is ready for requests, with details. Does not depend on the caller. */
  readonly ready: (req: IncomingMessage) => Promise<{ readonly ready: boolean; readonly body: object }>;
  /** The HTML page at the root, for browsers. Absent: there is none. */
  readonly landing?: (req: IncomingMessage) => Promise<string>;
  /** Admits the reader of a page that only callers may read. Rejects with A2AError. */
  readonly admit: (req: IncomingMessage) => Promise<unknown>;
  readonly serves: (page: OwnPage) => boolean;
  /** Origins whose scripts may read the pages, except that at the root. */
  readonly cors: () => Cors;
}

/** The page depends on the caller, and contains no scripts or external resources. */
const landingHeaders = [
  ...[
    'Content-Security-Policy',
    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'",
  ],
  ...['X-Content-Type-Options', 'nosniff', 'Referrer-Policy', 'no-referrer'],
  ...['Cache-Control', 'no-store', 'Vary', 'Accept'],
];

/** Headers of pages that depend on the caller: a cache in front of the gateway does not know the headers with its keys. */
const ofCaller = ['Cache-Control', 'private, no-cache'];

type Page = (req: IncomingMessage, res: ServerResponse) => Promise<void>;

/** Serves `/` and the gateway's pages about itself. */
export function createOwnPages(options: OwnPagesOptions): PageHandler {
  const { admit, agents, catalog, openApi, ready, landing, serves, cors } = options;
  const pages: Readonly<Record<Exclude<OwnPage, '/metrics'>, Page>> = {
    '/healthz': async (req, res) => sendJson(req, res, { status: 'ok' }),
    '/readyz': async (req, res) => {
      const { ready: isReady, body } = await ready(req);
      if (isReady) sendJson(req, res, { status: 'ready', ...body }, ofCaller);
      else send(res, 503, ['Retry-After', '5', ...ofCaller], json, JSON.stringify({ status: 'not ready', ...body }));
    },
    '/agents': async (req, res) => sendJson(req, res, { agents: await agents(req) }, ofCaller),
    '/openapi.json': async (req, res) => sendJson(req, res, openApi()),
    [aiCatalogPath]: async (req, res) => {
      res.appendHeader('Vary', 'Authorization');
      sendJson(req, res, aiCatalog(await catalog(req)), ofCaller, aiCatalogType);
    },
    [apiCatalogPath]: async (req, res) => {
      res.appendHeader('Vary', 'Authorization');
      const content = await catalog(req);
      const served = new Set((Object.keys(ownPages) as OwnPage[]).filter(serves));
      const link = ['Link', `<${content.base}${apiCatalogPath}>; rel="api-catalog"`];
      sendJson(req, res, apiCatalog(content, served), [...ofCaller, ...link], apiCatalogType);
    },
  };
  return (req, res) => {
    const path = pathOf(req);
    const page = Object.hasOwn(pages, path) ? (path as keyof typeof pages) : undefined;
    if (page !== undefined) {
      if (!serves(page)) return false;
      return withCors(cors(), req, res, () => serve(guarded(page), req, res));
    }
    // Programs, which accept any type or JSON, get the answer that there is nothing at the root.
    if (path !== '/' || !landing || !isRead(req) || !req.headers.accept?.includes('text/html')) return false;
    const show: Page = async () => {
      await admit(req);
      send(res, 200, [...landingHeaders], 'text/html; charset=utf-8', await landing(req));
    };
    serve(show, req, res);
    return true;
  };

  function guarded(page: keyof typeof pages): Page {
    if (ownPages[page].readers !== 'callers') return pages[page];
    return async (req, res) => {
      await admit(req);
      await pages[page](req, res);
    };
  }
}

const json = 'application/json';

const isRead = ({ method }: IncomingMessage): boolean => method === 'GET' || method === 'HEAD';

/** The path of a request, without the query and without a slash at its end. */
function pathOf({ url = '/' }: IncomingMessage): string {
  const [path = ''] = url.split('?', 1);
  return path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path;
}

function serve(page: Page, req: IncomingMessage, res: ServerResponse): void {
  page(req, res).catch((thrown: unknown) => sendError(res, A2AError.from(thrown)));
}

function sendJson(
  req: IncomingMessage,
  res: ServerResponse,
  value: unknown,
  headers: readonly string[] = [],
  mediaType = json,
): void {
  const body = Buffer.from(JSON.stringify(value));
  sendDocument(req, res, { body, mediaType, etag: etagOf(body) }, [...headers]);
}
