import { readdirSync, readFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { A2AError } from '../../core/model/errors.ts';
import { etagOf, isPath, type PageHandler, sendError } from '../../transports/http/headers.ts';
import { type ConsoleFile, consoleSecurity, createConsolePage } from '../../transports/pages/console.ts';
import type { ConsoleSettings } from '../../wire/console-settings.ts';
import type { HostSnapshot } from '../host.ts';
import type { Module, ModuleServer } from '../module.ts';
import type { SessionPage } from './session.ts';

/** Paths that serve the session: its caller, and signing in. */
const sessionPaths = ['/console/session', '/console/sign-in', '/console/signed-in'];

/** Folder into which the build writes the console. */
const folder = new URL('../../../dist/console/', import.meta.url);

const mediaTypes: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

let kept: ReadonlyMap<string, ConsoleFile> | undefined;

/** Returns the built files, which are read once for all gateways of the process. Undefined: the console was not built. */
function consoleFiles(): ReadonlyMap<string, ConsoleFile> | undefined {
  if (kept) return kept;
  const root = fileURLToPath(folder);
  const files = new Map<string, ConsoleFile>();
  let names: readonly string[];
  try {
    names = readdirSync(root, { recursive: true, encoding: 'utf8' });
  } catch {
    return undefined;
  }
  const all = new Set(names);
  for (const name of names) {
    const mediaType = mediaTypes[extname(name)];
    if (mediaType === undefined) continue;
    const body = readFileSync(join(root, name));
    const brotli = all.has(`${name}.br`) ? readFileSync(join(root, `${name}.br`)) : undefined;
    const path = name.replaceAll('\\', '/');
    const immutable = path.startsWith('assets/');
    files.set(path, { body, mediaType, etag: etagOf(body), immutable, ...(brotli && { brotli }) });
  }
  if (files.has('index.html')) kept = files;
  return kept;
}

/** Serves the console, unless the configuration turns it off. */
export const consolePages: Module = {
  name: 'console',
  open: () => ({
    http: (server) => {
      const page = server.active.computed((snapshot) => pageOf(snapshot, server.version));
      const hasConsole = (): boolean => server.active.snapshot.config.console !== false;
      const isOfSession = (req: IncomingMessage): boolean => sessionPaths.some((path) => isPath(req, path));
      const session = sessionPage(server);
      return { page: (req, res) => (isOfSession(req) && hasConsole() ? session(req, res) : page()(req, res)) };
    },
  }),
};

/** Serves the paths of the session. The first request for one of them loads the code. */
function sessionPage(server: ModuleServer): PageHandler {
  let page: SessionPage | undefined;
  const open = async (): Promise<SessionPage> => {
    const { SessionPage } = await import('./session.ts');
    page ??= new SessionPage(server, await server.sessions.open(), consoleSecurity);
    return page;
  };
  return (req, res) => {
    if (page) page.serve(req, res);
    else
      open().then(
        (opened) => opened.serve(req, res),
        (thrown: unknown) => sendError(res, A2AError.from(thrown), consoleSecurity),
      );
    return true;
  };
}

/** Returns the handler of one configuration's console. If the configuration has none, the handler serves nothing. */
function pageOf({ config, access }: HostSnapshot, version: string): PageHandler {
  const { auth, console: settings } = config;
  if (!settings) return () => false;
  const facts = {
    version,
    ...((auth.apiKeys.length > 0 || access.adminKey) && { apiKeyHeader: auth.apiKeyHeader }),
    madeKey: access.adminKey?.made === true,
    bearer: auth.jwt !== undefined || access.tokens !== undefined,
    ...(settings !== true && settings.signIn && auth.jwt && { signIn: new URL(auth.jwt.issuer).host }),
    ...(settings !== true && settings.traces !== undefined && { traces: settings.traces }),
    previews: config.preview,
    keepsCalls: config.calls !== false,
  };
  return createConsolePage({
    files: consoleFiles,
    settings: (files): ConsoleSettings => ({ ...facts, build: files.get('index.html')?.etag.slice(1, -1) ?? '' }),
  });
}
