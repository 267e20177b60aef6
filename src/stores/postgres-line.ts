import type { ClientConfig } from 'pg';
import type { Line } from './database.ts';

/**
 * Opens a connection outside the pool. Rejects with the driver's own errors.
 *
 * @param onEnd called once, when an open line is lost, and not when it is closed
 */
export async function openLine(config: ClientConfig, onEnd: () => void): Promise<Line> {
  const { default: pg } = await import('pg');
  const client = new pg.Client(config);
  let over = false;
  const end = (): void => {
    if (over) return;
    over = true;
    // What is left of it is of no use to anybody.
    client.end().catch(() => undefined);
    onEnd();
  };
  let connected = false;
  client.on('error', () => {
    if (connected) end();
  });
  try {
    await client.connect();
  } catch (error) {
    client.end().catch(() => undefined);
    throw error;
  }
  connected = true;
  client.on('end', end);
  return {
    async run(text, values = []) {
      try {
        await client.query(text, [...values]);
      } catch (error) {
        // Only what the server says has a severity, and says that the line is in order.
        if (!(error instanceof Error && 'severity' in error)) end();
        throw error;
      }
    },
    onNotice(listener) {
      client.on('notification', ({ channel, payload = '' }) => listener(channel, payload));
    },
    async close() {
      over = true;
      await client.end().catch(() => undefined);
    },
  };
}
