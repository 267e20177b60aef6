import { TaskWatch } from '../../admin/watch.ts';
import { OpenStreams } from '../../auth/stream-expiry.ts';
import { StreamLimit } from '../../core/limits/stream-limit.ts';
import { createService } from '../../core/operations/service.ts';
import { RefusedUpdates } from '../../knowledge/refused-updates.ts';
import { type UrlGuard, UrlRefused } from '../../net/guard.ts';
import { createCardFactory, signCards } from '../cards/card-source.ts';
import { createGatewayKnowledge } from '../knowledge/services.ts';
import { createAdmin } from './admin.ts';
import type { Opened } from './open.ts';
import { throughPipeline } from './pipeline.ts';

export type Built = ReturnType<typeof build>;

/** Phase two: builds the services and the pipeline in front of them. Nothing is served yet. */
export function build(opened: Opened) {
  const { active, audit, budget, guard, logger, signer, store, traces } = opened;
  const { agents } = active;
  const limits = active.select('limits');
  const streams = new StreamLimit(active.select('limits', { audit }));
  const refused = new RefusedUpdates();
  const knowledge = createGatewayKnowledge({
    agents,
    known: () => active.snapshot.knowledge,
    streams,
    limits,
    refused,
  });
  const unsigned = createCardFactory({ ...opened, languagesOf: knowledge.languagesOf });
  const cards = signer ? signCards(unsigned, signer, agents, opened) : unsigned;
  const service = createService({
    store,
    agents,
    logger,
    limits,
    budget,
    streams,
    judgeWebhook: (url) => refusalOf(guard, url),
    traces: traces.turns,
    fetch: opened.fetch,
    extendedCard: cards.extended,
  });
  /** Streams that end when their callers lose access. */
  const ongoing = new OpenStreams();
  const { keyed } = service;
  const watch = new TaskWatch({ store });
  const admin = createAdmin(opened, { service, knowledge, cards, streams, watch, refused });
  const invoke = throughPipeline(service.invoke, { ...opened, ongoing, keyed, knowledge: knowledge.invoke, admin });
  return { service, knowledge, watch, streams, ongoing, cards, invoke };
}

/** Why the guard refuses a webhook that is being registered; undefined when it does not. */
function refusalOf(guard: UrlGuard, url: string): string | undefined {
  try {
    guard.check(url);
    return undefined;
  } catch (thrown) {
    if (thrown instanceof UrlRefused) return thrown.message;
    throw thrown;
  }
}
