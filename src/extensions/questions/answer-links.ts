import { principalIdsNamed } from '../../auth/principals.ts';
import type { OpenAsk } from '../../core/model/ask.ts';
import { shared } from '../../core/model/timing.ts';
import type { onBehalfOfOwners } from '../../core/operations/on-behalf.ts';
import type { Delivery } from '../../core/ports/push-store.ts';
import type { OwnWebhook } from '../../push/delivery-run.ts';
import type { PageHandler } from '../../transports/http/headers.ts';
import { asksFor, type Decisions } from '../asks/decide.ts';
import type { Host } from '../host.ts';
import type { AskedPosition } from '../question-listener.ts';
import { type AskedWebhook, isDeliveryOf, webhookListener } from '../question-webhook.ts';
import { createLinks, linkPath } from './links.ts';
import { type AskedCall, questionWebhook } from './webhook.ts';

/** An app that the gateway is mounted in may have other pages below this path, with shorter names. */
const isLink = (url = ''): boolean => {
  const [, path, token = ''] = /^(\/\w+)\/([\w-]+)(?:\?|$)/.exec(url) ?? [];
  return path === linkPath && token.length >= 80;
};

/** Milliseconds in which an answer on behalf of a task's owner must be given. */
const answerTimeout = 30_000;

type Answer = ReturnType<typeof onBehalfOfOwners>['answer'];

/**
 * Creates the webhooks that get questions, and the pages behind their links. The first opened link loads the code of the pages.
 */
export function questionLinks(host: Host, decisions: Decisions, answer: Answer) {
  const { active, logger, publicUrl, store } = host;
  // An agent that a program has added may have no settings.
  const configOf = (agent: string) => {
    const { agents, questions } = active.snapshot.config;
    return (agents.get(agent)?.questions ?? questions)?.webhook;
  };
  const webhookOf = (agent: string) => {
    const webhook = configOf(agent);
    if (!webhook) return undefined;
    const { url, token, authentication } = webhook;
    return {
      url,
      ...(token && { token: token.reveal() }),
      ...(authentication && {
        authentication: { scheme: authentication.scheme, credentials: authentication.credentials.reveal() },
      }),
    };
  };
  const isConfigured = (): boolean =>
    active.snapshot.config.agents.keys().some((agent) => configOf(agent) !== undefined);
  if (isConfigured() && publicUrl() === undefined && !host.state.listens) {
    logger.warn({}, 'questions are delivered without links: set listen.publicUrl to the URL of the gateway');
  }
  let pages: PageHandler | undefined;
  const openPages = shared(async () => {
    const { createLinkPages } = await import('./link-pages.ts');
    pages = createLinkPages({
      logger,
      links: () => createLinks(store),
      admit: (caller) => active.snapshot.access.countOpen(caller),
      answer: (task, given, requestId) =>
        answer(task, given, { requestId, hops: 0, signal: AbortSignal.timeout(answerTimeout) }),
    });
    return pages;
  });
  const page: PageHandler = (req, res) => {
    if (!isLink(req.url) || !isConfigured()) return false;
    if (pages) return pages(req, res);
    openPages().then(
      (opened) => opened(req, res),
      () => res.destroy(),
    );
    return true;
  };
  async function linkTo(agent: string, question: AskedPosition): Promise<string | undefined> {
    const url = publicUrl();
    const longest = configOf(agent)?.links;
    if (url === undefined || longest === undefined) return undefined;
    const { seal } = await createLinks(store);
    return `${url}${linkPath}/${seal(question, longest)}`;
  }
  async function linksTo(agent: string, ask: OpenAsk, { key, until, owner }: AskedCall): Promise<object | undefined> {
    const { auth } = active.snapshot.config;
    const names = ask.asks.flatMap(({ of, delegate }) => [...of, ...(delegate === undefined ? [] : [delegate])]);
    const ids = [...new Set(names.flatMap((name) => principalIdsNamed(auth, name)))];
    const able = ids.filter((id) => !id.endsWith('*') && asksFor(ask, id, owner, decisions.isNamed).length > 0);
    const to = (by: string) => linkTo(agent, { key, seq: ask.seq, at: ask.since, until, by });
    const links = await Promise.all(able.map(async (by) => [by, await to(by)] as const));
    return links.some(([, link]) => link !== undefined) ? Object.fromEntries(links) : undefined;
  }
  const own: AskedWebhook = { name: 'questions', store, urlOf: (agent) => configOf(agent)?.url };
  return {
    listener: webhookListener(own),
    page,
    linkTo,
    async webhook(delivery: Delivery): Promise<OwnWebhook | undefined> {
      if (!isDeliveryOf(own.name, delivery)) return undefined;
      return questionWebhook({ ...own, webhookOf, linkTo, linksTo }, delivery);
    },
  };
}
