import type { Client } from 'pg';
import type { NotificationConnection, NotificationStatement } from '../database.ts';

/**
 * Opens a connection outside the pool for LISTEN and NOTIFY. Rejects with the driver's errors.
 *
 * @param dial connects to the current server
 * @param onEnd called once when the connection is lost, not when it is closed
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
        // An error with a severity comes from the server: the connection works.
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
