import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Random } from '../support/random.ts';
import type { Ledger } from './ledger.ts';

/** Reaction of a receiver to a notification. */
type Behavior = 'accept' | 'refuse' | 'reset' | 'take and reset';

export interface Webhooks {
  readonly url: string;
  /** From now on everything is accepted. */
  behave(): void;
  close(): Promise<void>;
}

/** Starts a receiver that fails now and then: it refuses, or breaks the connection before or after it took what came. */
export async function startWebhooks(ledger: Ledger, random: Random): Promise<Webhooks> {
  let good = false;
  const behavior = (): Behavior => {
    if (good || random.chance(0.8)) return 'accept';
    return random.pick(['refuse', 'refuse', 'reset', 'take and reset']);
  };
  const server = createServer(async (req, res) => {
    const what = behavior();
    try {
      const chunks: Buffer[] = [];
      for await (const chunk of req) chunks.push(chunk as Buffer);
      const accepted = what === 'accept' || what === 'take and reset';
      const body = JSON.parse(Buffer.concat(chunks).toString());
      ledger.notified.get(req.url?.slice(1) ?? '')?.push({ at: Date.now(), accepted, body });
    } catch {
      // The sender was killed in the middle of the request.
    }
    if (what === 'accept') res.writeHead(204).end();
    else if (what === 'refuse') res.writeHead(503, { 'retry-after': '1' }).end();
    else res.destroy();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { address, port } = server.address() as AddressInfo;
  return {
    url: `http://${address}:${port}`,
    behave() {
      good = true;
    },
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
