import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import { bodyOf, listenOn } from '../support/peer.ts';

/** A notification as it came. */
export interface Notification {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  // biome-ignore lint/suspicious/noExplicitAny: what comes is what the test looks into
  readonly body: any;
}

/** A receiver's answer: a status, or a function that handles the request. */
export type Answer = number | ((req: IncomingMessage, res: ServerResponse) => void);

/** A webhook's receiver. */
export interface Receiver {
  readonly url: string;
  /** Everything that came, whatever it was answered. */
  readonly got: Notification[];
  /** Resolves when what came, from the beginning, is enough. */
  until(enough: (got: readonly Notification[]) => boolean): Promise<readonly Notification[]>;
  close(): Promise<void>;
}

/**
 * Starts a receiver on loopback.
 *
 * @param answer 204 by default; gets the number of earlier notifications
 * @param port 0: any
 */
export async function startReceiver(
  answer: (notification: Notification, before: number) => Answer = () => 204,
  port = 0,
): Promise<Receiver> {
  const got: Notification[] = [];
  const waiting = new Set<() => void>();
  const server = createServer(async (req, res) => {
    const body = JSON.parse(await bodyOf(req));
    const notification = { path: req.url ?? '', headers: req.headers, body };
    const what = answer(notification, got.length);
    got.push(notification);
    if (typeof what === 'number') res.writeHead(what).end();
    else what(req, res);
    for (const look of waiting) look();
  });
  const { origin, close } = await listenOn(server, port);
  return {
    url: origin,
    got,
    async until(enough) {
      const { promise, resolve } = Promise.withResolvers<void>();
      const look = (): void => {
        if (enough(got)) resolve();
      };
      waiting.add(look);
      look();
      await promise;
      waiting.delete(look);
      return got;
    },
    close,
  };
}
