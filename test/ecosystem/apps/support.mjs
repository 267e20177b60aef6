import { equal } from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
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

/** Builds an app of Next.js, and serves it as it is deployed while it is used. */
export async function servedByNext(folder, use) {
  const next = ['node_modules/next/dist/bin/next'];
  execFileSync(process.execPath, [...next, 'build', folder], { stdio: 'inherit' });
  const stdio = ['ignore', 'pipe', 'inherit'];
  const server = spawn(process.execPath, [...next, 'start', folder, '-p', '0'], { stdio });
  try {
    let said = '';
    for await (const chunk of server.stdout) {
      said += chunk;
      const origin = /http:\/\/localhost:\d+/.exec(said)?.[0];
      if (origin === undefined || !said.includes('Ready')) continue;
      await use(origin);
      break;
    }
  } finally {
    server.kill();
    if (server.exitCode === null) await once(server, 'exit');
  }
}
