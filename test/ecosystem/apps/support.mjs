import { equal } from 'node:assert/strict';
import { connect, createGateway } from 'a2a-gateway';

/** A gateway with the demo agent, of the package that the app has installed. */
export function gatewayWith(settings = {}, deps = {}) {
  return createGateway({ store: 'memory:', agents: { demo: { kind: 'reference' } }, ...settings }, deps);
}

/** Calls the demo agent of a gateway as a client of A2A does, over each of some bindings. */
export async function callOver(url, ...bindings) {
  for (const via of bindings) {
    const client = await connect(url, { via, as: 'a2a-1.0' });
    try {
      equal((await client.send('say hello')).message?.parts[0]?.text, 'hello', `an answer over ${via}`);
    } finally {
      await client.close();
    }
  }
}

/** The port on which a server listens. */
export async function listening(server) {
  await new Promise((resolve) => server.listen(0, 'localhost', resolve));
  return `http://localhost:${server.address().port}`;
}

/** Closes a server of Node with its connections. */
export function close(server) {
  server.close();
  server.closeAllConnections();
}
