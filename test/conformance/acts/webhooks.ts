import { createServer, type IncomingHttpHeaders } from 'node:http';
import { bodyOf, listenOn } from '../../support/peer.ts';
import { jsonOf } from './transports/transport.ts';
import type { Value } from './values.ts';

/** A request that a webhook received. */
export interface Delivery {
  readonly headers: IncomingHttpHeaders;
  readonly body: Value;
}

/** Receivers of push notifications, one for each test. */
export interface Webhooks {
  /** A new receiver. @param authorization the header that requests must have, else they are refused with 401 */
  open(): Webhook;
  close(): Promise<void>;
}

export interface Webhook {
  readonly url: string;
  /** The header `Authorization` that requests must have; others are refused with 401, and do not count. */
  authorization: string | undefined;
  /** The first delivery that meets a condition. Rejects after twenty seconds. */
  delivery(meets: (delivery: Delivery) => boolean): Promise<Delivery>;
}

/** Milliseconds until a notification must have come. */
const timeoutMs = 20_000;

export async function openWebhooks(): Promise<Webhooks> {
  const receivers = new Map<string, { readonly webhook: Webhook; receive(delivery: Delivery): void }>();
  const server = createServer(async (req, res) => {
    const receiver = receivers.get(req.url ?? '');
    const body = jsonOf(await bodyOf(req));
    const { authorization } = receiver?.webhook ?? {};
    const isAllowed = receiver !== undefined && [undefined, req.headers.authorization].includes(authorization);
    res.writeHead(isAllowed ? 200 : 401).end();
    if (isAllowed) receiver.receive({ headers: req.headers, body });
  });
  const { origin, close } = await listenOn(server);
  return {
    open() {
      const path = `/hooks/${crypto.randomUUID()}`;
      const deliveries: Delivery[] = [];
      const waiting = new Set<(delivery: Delivery) => void>();
      const webhook: Webhook = {
        url: `${origin}${path}`,
        authorization: undefined,
        delivery: (meets) =>
          new Promise((resolve, reject) => {
            const found = deliveries.find(meets);
            if (found) return resolve(found);
            const late = setTimeout(() => reject(new Error('no such notification came')), timeoutMs);
            waiting.add((delivery) => {
              if (!meets(delivery)) return;
              clearTimeout(late);
              resolve(delivery);
            });
          }),
      };
      receivers.set(path, {
        webhook,
        receive(delivery) {
          deliveries.push(delivery);
          for (const each of waiting) each(delivery);
        },
      });
      return webhook;
    },
    close,
  };
}
