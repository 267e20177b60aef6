import type { Client } from 'pg';
import { addressOf, type Channel, type ChannelOptions } from '../cluster/channel.ts';
import { isServerError } from './errors.ts';

/**
 * Milliseconds between two probes of the connection. Without probes, a connection that only listens does not notice that it is
 * dead.
 */
const probeEvery = 10_000;

/** The name of a replica's channel. Channels are shared by all schemas and users of a database. */
export const channelOf = (secret: string, instance: string): string => `a2a_${addressOf(secret, instance)}`;

/**
 * A channel by LISTEN and NOTIFY, on a connection outside the pool. Rejects with the driver's errors.
 *
 * @param dial connects to the current server
 */
export async function openNotify(
  dial: () => Promise<Client>,
  { secret, instance, onMessage, onEnd }: ChannelOptions,
): Promise<Channel> {
  const client = await dial();
  let over = false;
  const end = (): void => {
    if (over) return;
    over = true;
    clearInterval(probing);
    client.end().catch(() => undefined);
    onEnd();
  };
  /** Runs a statement. Ends the channel if the connection is dead. */
  const run = async (text: string, values: readonly unknown[] = [], name?: string): Promise<void> => {
    try {
      await client.query({ text, values: [...values], ...(name && { name }) });
    } catch (error) {
      if (!isServerError(error)) end();
      throw error;
    }
  };
  const probing = setInterval(() => void run('select 1').catch(() => undefined), probeEvery).unref();
  const close = async (): Promise<void> => {
    over = true;
    clearInterval(probing);
    await client.end().catch(() => undefined);
  };
  client.on('error', end);
  client.on('end', end);
  client.on('notification', ({ payload = '' }) => onMessage(payload));
  try {
    await run(`listen ${channelOf(secret, instance)}`);
  } catch (error) {
    await close();
    throw error;
  }
  return {
    // PostgreSQL's limit is 8,000.
    maxBytes: 7_900,
    async publish(messages) {
      const text = 'select pg_notify(c, p) from unnest($1::text[], $2::text[]) as n(c, p)';
      const channels = messages.map(([to]) => channelOf(secret, to));
      await run(text, [channels, messages.map(([, payload]) => payload)], 'a2a_notify');
    },
    close,
  };
}
