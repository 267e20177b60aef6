import type { Client } from 'pg';
import type { NotificationConnection, NotificationStatement } from '../database.ts';

/**
 * Opens a connection outside the pool. Rejects with the driver's own errors.
 *
 * @param dial connects, wherever the database is
 * @param onEnd called once, when an open line is lost, and not when it is closed
 */
export async function openNotificationConnection(
  dial: () => Promise<Client>,
  onEnd: () => void,
): Promise<NotificationConnection> {
  const client = await dial();
  let over = false;
  const end = (): void => {
    if (over) return;
    over = true;
    // What is left of it is of no use to anybody.
    client.end().catch(() => undefined);
    onEnd();
  };
  client.on('error', end);
  client.on('end', end);
  return {
    async run<Row extends object>({ values = [], ...statement }: NotificationStatement) {
      try {
        return (await client.query<Row>({ ...statement, values: [...values] })).rows;
      } catch (error) {
        // Only what the server says has a severity, and says that the line is in order.
        if (!(error instanceof Error && 'severity' in error)) end();
        throw error;
      }
    },
    onNotification(listener) {
      client.on('notification', ({ channel, payload = '' }) => listener(channel, payload));
    },
    async close() {
      over = true;
      await client.end().catch(() => undefined);
    },
  };
}
