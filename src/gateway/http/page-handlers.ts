import type { IncomingMessage } from 'node:http';
import { agentsOfResource } from '../../auth/principals.ts';
import type { Authenticate } from '../../core/limits/admission.ts';
import type { AgentCard } from '../../core/model/a2a.ts';
import { type CardSource, cardPath } from '../../transports/http/cards.ts';
import type { Cors } from '../../transports/http/cors.ts';
import type { AgentDocument } from '../../transports/http/exchange.ts';
import type { PageHandler } from '../../transports/http/headers.ts';
import { mountOf } from '../../transports/http/request-facts.ts';
import { createKeySet } from '../../transports/pages/key-set.ts';
import { createMetricsPage, type MetricsPageOptions } from '../../transports/pages/metrics.ts';
import { createOAuthMetadata, type OAuthMetadata } from '../../transports/pages/oauth-metadata.ts';
import { createTokenPage } from '../../transports/pages/oauth-token.ts';
import { createOwnPages, type OwnPage, ownPages } from '../../transports/pages/own-pages.ts';
import type { WorkerGroup } from '../process/workers.ts';
import type { ActiveConfig } from '../reload/active-config.ts';
import {
  admitReader,
  type CheckReadiness,
  PageContent,
  type PagesOptions,
  readinessOf,
  requireReady,
} from './pages.ts';

export interface PageHandlersOptions extends Pick<PagesOptions, 'active' | 'dialects' | 'publicUrl' | 'store'> {
  /** Authenticates callers. Refuses them while the gateway stops. */
  readonly authenticate: Authenticate;
  /** Throws A2AError `unavailable` while the gateway refuses new work. */
  readonly requireAccepting: () => void;
  /** Throws A2AError `unavailable` once the gateway is about to stop. */
  readonly requireServing: () => void;
  readonly card: CardSource;
  readonly servesGrpc: (req: IncomingMessage) => boolean;
  /** Scheme and authority under which the client of a request reaches the gateway. */
  readonly originFor: (req: IncomingMessage) => string;
  readonly cors: () => Cors;
  readonly metadata: () => OAuthMetadata;
  /** The public keys that verify the cards. Undefined: cards are not signed. */
  readonly keySet: object | undefined;
  readonly readMetrics: MetricsPageOptions['read'];
  readonly workers: WorkerGroup | undefined;
  readonly documents: readonly AgentDocument[];
  /** Pages of modules. */
  readonly added: readonly PageHandler[];
}

/** Handlers of pages about a gateway, by the server at which a request arrived. */
export interface PageHandlers {
  /** For the gateway's own listener. */
  readonly listener: PageHandler;
  /** For an app, which serves the root itself. */
  readonly mounted: PageHandler;
  /** For a server to which the gateway is attached. Pages that apps often have are left to it, unless they are named. */
  readonly attached: PageHandler;
  /** Pages that are left to a server to which the gateway is attached. */
  readonly leftToApp: () => readonly OwnPage[];
}

/** Creates the handlers of all pages about the gateway itself, and not about an agent. */
export function createPageHandlers(options: PageHandlersOptions): PageHandlers {
  const { active, cors, metadata } = options;
  const checkReadiness = readinessFor(options);
  const pages = new PageContent({ ...options, checkReadiness, signaturesOf: signaturesFor(options) });
  // The root belongs to the app that the gateway is part of.
  const { landing: _, ...withoutLanding } = pages;
  const admitToMetrics = active.computed(admitReader);
  const metrics = createMetricsPage({ admit: (caller) => admitToMetrics()(caller), read: options.readMetrics });
  const tokens = tokenPage(options);
  const keySet = options.keySet ? createKeySet(options.keySet, cors) : () => false;
  const hasPages = (): boolean => active.snapshot.config.pages !== false;
  const servesPage = (page: OwnPage, isAttached: boolean): boolean => {
    const { pages: wanted } = active.snapshot.config;
    return typeof wanted === 'boolean' ? wanted && !(isAttached && ownPages[page].ofApps) : wanted.includes(page);
  };
  const pagesOf = (shown: typeof withoutLanding, isAttached: boolean): PageHandler => {
    const own = createOwnPages({ ...shown, cors, serves: (page) => servesPage(page, isAttached) });
    return (req, res) =>
      keySet(req, res) ||
      tokens()(req, res) ||
      metadata().serve(req, res) ||
      options.added.some((page) => page(req, res)) ||
      (servesPage('/metrics', isAttached) && metrics(req, res)) ||
      (hasPages() && own(req, res));
  };
  return {
    listener: pagesOf(pages, false),
    mounted: pagesOf(withoutLanding, false),
    attached: pagesOf(withoutLanding, true),
    leftToApp: () => (hasPages() ? (Object.keys(ownPages) as OwnPage[]).filter((page) => !servesPage(page, true)) : []),
  };
}

/** The check of readiness. With workers, a gateway is ready when all of them are. */
function readinessFor({ store, workers, requireServing }: PageHandlersOptions): CheckReadiness {
  const checks = { serving: requireServing, store: () => store.ping(AbortSignal.timeout(5_000)) };
  const checkOwn = readinessOf(checks);
  if (!workers) return checkOwn;
  workers.answer('ready', async () => (await checkOwn()).ready);
  return readinessOf({ ...checks, workers: () => requireReady(workers) });
}

/** The signatures in the cards of agents, for the dialects whose cards are at the usual path. */
function signaturesFor({ card, dialects, keySet, servesGrpc }: PageHandlersOptions): PagesOptions['signaturesOf'] {
  const [first, ...others] = dialects.list.filter((one) => one.card.paths.includes(cardPath));
  return (req, agent, origin) => {
    if (!keySet || !first) return undefined;
    const base = `${mountOf(req)}/${agent}`;
    const grpc = servesGrpc(req);
    const document = card({ agent, dialects: [first, ...others], pinned: undefined, origin, base, grpc });
    return (document as AgentCard).signatures;
  };
}

/** The endpoint where clients get tokens, if one is configured. */
function tokenPage({ active, originFor, requireAccepting }: PageHandlersOptions): () => PageHandler {
  const { agents } = active;
  const agentsOf = (req: IncomingMessage, resource: string) => {
    const place = { url: originFor(req) + mountOf(req), agent: agents.forHost(req.headers.host ?? '') };
    return agentsOfResource(resource, place, agents);
  };
  return active.computed(({ access }) =>
    access.tokens ? createTokenPage(access.tokens, requireAccepting, agentsOf) : () => false,
  );
}

/** The metadata of OAuth, for clients that look for a place to get tokens. */
export const oauthMetadataOf = (
  active: ActiveConfig,
  cors: PageHandlersOptions['cors'],
  originFor: PageHandlersOptions['originFor'],
): (() => OAuthMetadata) =>
  active.computed(({ config, access }) =>
    createOAuthMetadata({
      issuer: config.auth.jwt?.issuer,
      grants: access.tokens !== undefined,
      scopes: config.auth.jwt?.clientScopes ?? [],
      origin: originFor,
      cors,
    }),
  );
