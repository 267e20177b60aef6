import pg from 'pg';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import type { Channel, OpenChannel } from '../../../src/stores/cluster/channel.ts';
import { openNats, readNatsUrl } from '../../../src/stores/cluster/nats.ts';
import { openNotify } from '../../../src/stores/postgres/notify.ts';
import { natsServer, startNats } from '../../support/nats.ts';
import { paced } from '../../support/pace.ts';
import { afterTest } from '../../support/peer.ts';
import { sharedPostgres } from '../../support/postgres.ts';
import { startProxy } from '../../support/proxy.ts';

beforeAll(sharedPostgres);

const soon = { timeout: paced(15_000), interval: 10 };

/** A server that carries channels, and what ends and hinders it. */
interface Carrier {
  readonly open: OpenChannel;
  kill(): Promise<void>;
  freeze(): void;
  thaw(): void;
}

async function postgres(): Promise<Carrier> {
  const { url } = await sharedPostgres();
  const proxy = await startProxy(Number(new URL(url).port));
  afterTest(() => proxy.close());
  const dial = async (): Promise<pg.Client> => {
    const client = new pg.Client({ connectionString: proxy.via(url), query_timeout: 5_000 } as pg.ClientConfig);
    client.on('error', () => undefined);
    await client.connect();
    return client;
  };
  return {
    open: (options) => openNotify(dial, options),
    async kill() {
      proxy.mode = 'refuse';
      proxy.cut();
    },
    freeze: () => proxy.freeze(),
    thaw: () => proxy.thaw(),
  };
}

async function nats(): Promise<Carrier> {
  const server = await startNats();
  afterTest(() => server.kill());
  return { ...server, open: (options) => openNats(readNatsUrl(server.url), options) };
}

/** Opens a channel, and collects what arrives on it. */
async function listen({ open }: Pick<Carrier, 'open'>, instance: string, secret = 'of the store') {
  const received: string[] = [];
  const onEnd = vi.fn();
  const channel: Channel = await open({ secret, instance, onEnd, onMessage: (payload) => received.push(payload) });
  afterTest(() => channel.close());
  return { ...channel, received, onEnd };
}

describe.each([
  ['PostgreSQL', postgres, true],
  ['NATS (needs nats-server, as NATS_SERVER or in PATH)', nats, natsServer !== undefined],
] as const)('a channel over %s', (name, start, isThere) => {
  describe.skipIf(!isThere)('with a server', () => {
    it(`a channel over ${name} with a server carries each message to its replica alone, in order, up to its limit`, async () => {
      const carrier = await start();
      const one = await listen(carrier, 'one');
      const two = await listen(carrier, 'two');
      const three = await listen(carrier, 'three');
      const payloads = ['{}', '"ünïcödé 🜚 \'\\', ...Array.from({ length: 100 }, (_, i) => `${i}`)];
      await one.publish(payloads.map((payload) => ['two', payload]));
      const longest = 'x'.repeat(one.maxBytes);
      await one.publish([
        ['two', longest],
        ['three', 'last'],
      ]);
      await vi.waitFor(() => expect(two.received).toEqual([...payloads, longest]), soon);
      await vi.waitFor(() => expect(three.received).toEqual(['last']), soon);
      expect(one.received).toEqual([]);
    });

    it(`a channel over ${name} with a server brings nothing of another store`, async () => {
      const carrier = await start();
      const mine = await listen(carrier, 'one');
      const others = await listen(carrier, 'one', 'of another store');
      await others.publish([['one', 'theirs']]);
      await mine.publish([['one', 'mine']]);
      await vi.waitFor(() => expect([...mine.received, ...others.received]).toEqual(['mine', 'theirs']), soon);
    });

    it(`a channel over ${name} with a server reports once that its server was killed, and refuses to publish`, async () => {
      const carrier = await start();
      const one = await listen(carrier, 'one');
      await carrier.kill();
      await vi.waitFor(() => expect(one.onEnd).toHaveBeenCalledTimes(1), soon);
      await expect(one.publish([['two', 'x']])).rejects.toThrow();
      await expect(listen(carrier, 'one')).rejects.toThrow();
      expect(one.onEnd).toHaveBeenCalledTimes(1);
    });

    it(`a channel over ${name} with a server does not wait forever for a server that stands still`, async () => {
      const carrier = await start();
      const one = await listen(carrier, 'one');
      carrier.freeze();
      const publishing = (async () => {
        for (;;) await one.publish([['two', 'x']]);
      })();
      await expect(publishing).rejects.toThrow();
      await vi.waitFor(() => expect(one.onEnd).toHaveBeenCalledTimes(1), soon);
      carrier.thaw();
    });

    it(`a channel over ${name} with a server says nothing when it is closed`, async () => {
      const one = await listen(await start(), 'one');
      await one.close();
      await new Promise((resolve) => setTimeout(resolve, 100));
      expect(one.onEnd).not.toHaveBeenCalled();
    });
  });
});
