import { once } from 'node:events';
import { type ClientRequest, createServer, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { expect, test } from 'vitest';
import { createGateway, type Gateway } from '../../src/gateway/compose/gateway.ts';
import { silent } from '../support/core.ts';
import { afterTest, freePort, listenOn } from '../support/peer.ts';
import { Changes } from '../support/until.ts';

/** A connection to a port. Undefined: it is refused. */
async function connectionTo(port: number): Promise<Socket | undefined> {
  const socket = connect({ port, host: '127.0.0.1' });
  const connected = await once(socket, 'connect').catch(() => undefined);
  return connected && socket;
}

/** A connection to the first of some ports that accepts one. */
async function firstOf(ports: readonly number[]): Promise<Socket> {
  for (const port of ports) {
    const socket = await connectionTo(port);
    if (socket) return socket;
  }
  throw new Error('no replica accepts connections');
}

/** A proxy without health checks, as nginx is: it goes to the next replica only where a connection is refused. */
async function startProxy(ports: readonly number[]) {
  let turn = 0;
  /** Answers so far, by the replica's port. */
  const answers = new Map<number | undefined, number>();
  const server = createServer(async (req, res) => {
    turn += 1;
    const order = turn % 2 === 0 ? ports : ports.toReversed();
    try {
      const socket = await firstOf(order);
      const port = socket.remotePort;
      const { method, url, headers } = req;
      const passed: ClientRequest = request({ createConnection: () => socket, method, path: url, headers });
      passed.on('response', (answer) => {
        answers.set(port, (answers.get(port) ?? 0) + 1);
        res.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(res);
      });
      passed.on('error', () => res.writeHead(502).end());
      req.pipe(passed);
    } catch {
      res.writeHead(502).end();
    }
  });
  return { url: (await listenOn(server)).origin, answers };
}

async function startReplica(port: number): Promise<Gateway> {
  const gateway = createGateway({
    listen: { port, publicUrl: 'http://agents.example.com' },
    store: 'memory:',
    auth: { anonymous: true },
    limits: { requestsPerMinute: 'unlimited' },
    agents: { demo: { kind: 'reference' } },
    logger: silent,
  });
  await gateway.listen();
  afterTest(() => gateway.close({ drainMs: 0 }));
  return gateway;
}

test('no call fails while replicas are replaced behind a proxy that knows nothing of their readiness', async () => {
  const ports = [await freePort(), await freePort()];
  let [first, second] = await Promise.all(ports.map(startReplica));
  const { url, answers } = await startProxy(ports);
  const statuses = new Map<number, number>();
  let isOver = false;
  const call = async (): Promise<void> => {
    const message = { messageId: crypto.randomUUID(), role: 'ROLE_USER', parts: [{ text: 'hello' }] };
    const headers = { 'content-type': 'application/json', 'a2a-version': '1.0' };
    while (!isOver) {
      const { status } = await fetch(`${url}/message:send`, {
        method: 'POST',
        headers,
        body: JSON.stringify({ message }),
      });
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }
  };
  const load = Promise.all(Array.from({ length: 4 }, call));
  /** Starts the replica again, and waits until the proxy has found it: the other one may stop then. */
  const replace = async (gateway: Gateway | undefined, port: number): Promise<Gateway> => {
    await gateway?.close();
    answers.delete(port);
    const next = await startReplica(port);
    await expect.poll(() => answers.get(port)).toBeGreaterThan(0);
    return next;
  };
  for (let round = 0; round < 3; round += 1) {
    first = await replace(first, ports[0] ?? 0);
    second = await replace(second, ports[1] ?? 0);
  }
  isOver = true;
  await load;
  expect([...statuses.keys()]).toEqual([200]);
  expect(statuses.get(200)).toBeGreaterThan(20);
});

/** The first line of the answer to a message on a connection of its own, or why there is none. */
async function answerOn(socket: Socket): Promise<string> {
  const message = { messageId: crypto.randomUUID(), role: 'ROLE_USER', parts: [{ text: 'hello' }] };
  const body = JSON.stringify({ message });
  const headers = `Host: x\r\nContent-Type: application/json\r\nA2A-Version: 1.0\r\nContent-Length: ${body.length}`;
  socket.write(`POST /message:send HTTP/1.1\r\n${headers}\r\n\r\n${body}`);
  const answered = once(socket, 'data').then(([chunk]) => String(chunk).split('\r\n', 1)[0] ?? '');
  const answer = await Promise.race([answered, once(socket, 'end').then(() => 'the connection ended')]).catch(String);
  socket.destroy();
  return answer;
}

test('a gateway that stops answers every call whose connection it has accepted, however many clients connect', async () => {
  const port = await freePort();
  const gateway = await startReplica(port);
  const answers: string[] = [];
  const answered = new Changes();
  const callUntilRefused = async (): Promise<void> => {
    for (let socket = await connectionTo(port); socket; socket = await connectionTo(port)) {
      answers.push(await answerOn(socket));
      answered.happened();
    }
  };
  const load = Promise.all(Array.from({ length: 50 }, callUntilRefused));
  await answered.until(() => answers.length > 100);
  await gateway.close({ drainMs: 10_000 });
  await load;
  expect(new Set(answers)).toEqual(new Set(['HTTP/1.1 200 OK']));
});
