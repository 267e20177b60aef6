import { once } from 'node:events';
import { createServer } from 'node:net';

/** Ports that are free: below the range that the system hands out, so that no client takes one of them meanwhile. */
export async function freePorts(count: number): Promise<number[]> {
  const ports = new Set<number>();
  while (ports.size < count) {
    const port = 15_000 + Math.floor(Math.random() * 15_000);
    const server = createServer();
    const free = await new Promise<boolean>((resolve) => {
      server.once('error', () => resolve(false));
      server.listen(port, '127.0.0.1', () => resolve(true));
    });
    if (!free) continue;
    ports.add(port);
    server.close();
    await once(server, 'close');
  }
  return [...ports];
}
