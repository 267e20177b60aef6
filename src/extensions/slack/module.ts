import { isNamed, principalIds, principalIdsNamed } from '../../auth/principals.ts';
import { shared } from '../../core/model/timing.ts';
import { onBehalfOfOwners } from '../../core/operations/on-behalf.ts';
import type { Delivery } from '../../core/ports/push-store.ts';
import type { SlackConfig } from '../../gen/settings.ts';
import { sealedTokens } from '../../net/credentials/sealed-tokens.ts';
import { createHttpClient, type HttpClient } from '../../net/http-client.ts';
import type { OwnWebhook } from '../../push/delivery-run.ts';
import { isPath } from '../../transports/http/headers.ts';
import type { Host } from '../host.ts';
import type { Module, ModuleHttp, OpenModule } from '../module.ts';
import type { AskedListener } from '../question-listener.ts';
import { type AskedWebhook, isDeliveryOf, webhookListener } from '../question-webhook.ts';
import type { SealedChoice } from './deliveries.ts';
import type { Interactions } from './interactions.ts';

/** Asks people in Slack, and carries out their decisions. */
export const slack: Module = { name: 'slack', open: () => new SlackModule() };

const path = '/approvals/slack';

const settingsOf = ({ active }: Host): SlackConfig | undefined => active.snapshot.config.approvals?.slack;

const tokensOf = async ({ store }: Host) => sealedTokens<SealedChoice>(await store.secret('slack'), 'slack');

/** Only the origin of the webhook's URL is stored, since the rest is a secret. */
const webhookOf = (host: Host): AskedWebhook => ({
  name: 'slack',
  store: host.store,
  urlOf: () => {
    const settings = settingsOf(host);
    return settings && new URL(settings.webhook.reveal()).origin;
  },
});

class SlackModule implements OpenModule {
  #http: HttpClient | undefined;
  #interactions: Interactions | undefined;

  askedListener(host: Host): AskedListener {
    return webhookListener(webhookOf(host));
  }

  async webhook(delivery: Delivery, host: Host): Promise<OwnWebhook | undefined> {
    const own = webhookOf(host);
    const settings = settingsOf(host);
    if (!settings || !isDeliveryOf(own.name, delivery)) return undefined;
    const { slackWebhook } = await import('./deliveries.ts');
    const { auth } = host.active.snapshot.config;
    const stands = (user: string, name: string): boolean =>
      principalIdsNamed(auth, user).some((id) => isNamed(auth, name, id));
    const mention = (name: string): string | undefined => {
      const users = Object.entries(settings.users).filter(([, user]) => stands(user, name));
      return users.map(([id]) => `<@${id}>`).join(' ') || undefined;
    };
    const { linkTo } = host.asked;
    return slackWebhook({ ...own, slack: settings, tokens: await tokensOf(host), mention, linkTo }, delivery);
  }

  http(server: Host): ModuleHttp {
    const open = shared(() => this.#open(server));
    return {
      page: (req, res) => {
        const settings = isPath(req, path) ? settingsOf(server) : undefined;
        if (!settings) return false;
        open().then(
          (interactions) => interactions.serve(req, res, settings),
          () => res.destroy(),
        );
        return true;
      },
    };
  }

  async closed(): Promise<void> {
    await this.#interactions?.close();
    this.#http?.close();
  }

  async #open(host: Host): Promise<Interactions> {
    if (this.#interactions) return this.#interactions;
    const [{ Interactions }, { Decisions }] = await Promise.all([
      import('./interactions.ts'),
      import('../asks/decide.ts'),
    ]);
    const { active, audit, guard, invoke, logger, store } = host;
    const auth = () => active.snapshot.config.auth;
    const decisions = Decisions.of(host);
    const owners = { store, agents: active.agents, anonymous: principalIds.anonymous };
    this.#http ??= createHttpClient({ guard });
    this.#interactions = new Interactions({
      store,
      audit,
      logger,
      auth,
      isNamed: decisions.isNamed,
      http: this.#http,
      tokens: await tokensOf(host),
      admit: (facts) => active.snapshot.access.countOpen(facts),
      // With the owner's present rights.
      answer: decisions.or(onBehalfOfOwners({ ...owners, invoke }).answer),
    });
    return this.#interactions;
  }
}
