import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { defineAgent } from '../../src/agents/define.ts';
import { artifact, status } from '../../src/agents/events.ts';
import { hashOf, shownHash } from '../../src/auth/hash.ts';
import { type Client, type ConnectOptions, connect, type Task } from '../../src/client/index.ts';
import { parseConfig } from '../../src/config/parse.ts';
import { createGateway, type Gateway } from '../../src/gateway/compose/gateway.ts';
import { blocksOf } from '../readme/blocks.ts';
import { createAuthority } from '../support/certificates.ts';
import { answered, type DialectBinding, dialectBindings, taskOf } from '../support/conversations.ts';
import { silent } from '../support/core.ts';
import { newFolder } from '../support/folders.ts';
import { openGateway } from '../support/gateway.ts';
import { nginx, type RunningNginx, startNginx } from '../support/nginx.ts';
import { afterTest, freePort } from '../support/peer.ts';
import { sharedPostgres } from '../support/postgres.ts';
import { envoy, haproxy, type RunningProxy, startEnvoy, startHaproxy } from '../support/proxies.ts';

/** The configurations of `examples/proxies`, in real proxies in front of gateways, as they stand but for addresses and certificates. */

/** A text in which something that it has is replaced everywhere. */
function replaced(text: string, from: string, to: string): string {
  if (!text.includes(from)) throw new Error(`the configuration has no ${from}`);
  return text.replaceAll(from, to);
}

const example = (name: string): string =>
  readFileSync(fileURLToPath(new URL(`../../examples/proxies/${name}`, import.meta.url)), 'utf8');

/** What replaces the placeholders of a configuration. */
interface Place {
  readonly folder: string;
  readonly port: number;
  readonly replicas: readonly [number, number];
  readonly cert: string;
  readonly key: string;
  /** Both in one file. */
  readonly both: string;
}

interface Kind {
  readonly name: string;
  /** Undefined: this machine has no such program. */
  readonly program: string | undefined;
  /** Whether it has no health checks: a call may then cross the end of a replica's port, and is answered 502. */
  readonly repeats?: boolean;
  /** Whether the gateway cannot tell its connections from those of this machine: it adds no header. */
  readonly hidden?: boolean;
  config(place: Place): string;
  start(folder: string, config: string, port: number): Promise<RunningProxy>;
}

const withAddresses = (text: string, [first, second]: readonly [number, number]): string =>
  replaced(replaced(text, '10.0.0.11:8080', `127.0.0.1:${first}`), '10.0.0.12:8080', `127.0.0.1:${second}`);

const certificate = '/etc/ssl/certs/agents.example.com.pem';
const privateKey = '/etc/ssl/private/agents.example.com.key';

const kinds: readonly Kind[] = [
  {
    name: 'nginx',
    program: nginx,
    repeats: true,
    config({ port, replicas, cert, key }) {
      const text = replaced(withAddresses(example('nginx.conf'), replicas), 'listen 443 ', `listen 127.0.0.1:${port} `);
      return replaced(replaced(text, certificate, cert), privateKey, key);
    },
    start: startNginx,
  },
  {
    name: 'HAProxy',
    program: haproxy,
    hidden: true,
    config({ port, replicas, both }) {
      const text = replaced(withAddresses(example('haproxy.cfg'), replicas), 'bind :443 ', `bind 127.0.0.1:${port} `);
      return replaced(text, '/etc/haproxy/agents.example.com.pem', both);
    },
    start: startHaproxy,
  },
  {
    name: 'Envoy',
    program: envoy,
    config({ port, replicas: [first, second], cert, key }) {
      const listening = 'address: 0.0.0.0, port_value: 443';
      let text = replaced(example('envoy.yaml'), listening, `address: 127.0.0.1, port_value: ${port}`);
      for (const [host, replica] of [
        ['10.0.0.11', first],
        ['10.0.0.12', second],
      ] as const)
        text = replaced(text, `address: ${host}, port_value: 8080`, `address: 127.0.0.1, port_value: ${replica}`);
      return replaced(replaced(text, certificate, cert), privateKey, key);
    },
    start: startEnvoy,
  },
];

const authority = createAuthority('of a proxy');
const issued = authority.issue({ subject: [['CN', 'localhost']], altNames: [['dns', 'localhost']] });
const key = 'key-of-alice';
const trusting = { apiKey: key, tls: { ca: authority.cert } } as const;

interface Proxy extends RunningProxy {
  readonly url: string;
  readonly config: string;
}

async function startProxy(kind: Kind, port: number, replicas: readonly [number, number]): Promise<Proxy> {
  const folder = newFolder();
  const file = async (name: string, text: string): Promise<string> => {
    const path = join(folder, name);
    await writeFile(path, text, { mode: 0o600 });
    return path;
  };
  const cert = await file('cert.pem', issued.cert);
  const place = { folder, port, replicas, cert, key: await file('key.pem', issued.key) };
  const config = kind.config(Object.assign({ both: await file('both.pem', issued.cert + issued.key) }, place));
  const running = await kind.start(folder, config, port);
  return Object.assign({}, running, { config, url: `https://localhost:${port}` });
}

/** Lets the agent say its second chunk. */
let gate = Promise.withResolvers<void>();

const meter = defineAgent({
  name: 'meter',
  description: 'Says one chunk, waits, and says another one after `stream`; otherwise says how long the message was.',
  async *execute({ text }) {
    yield status('TASK_STATE_WORKING');
    if (text === 'stream') {
      yield artifact({ artifactId: 'a', content: 'one' });
      await gate.promise;
      yield artifact({ artifactId: 'a', content: 'two', append: true, lastChunk: true });
    } else {
      yield artifact({ artifactId: 'a', content: `${text.length} characters` });
    }
    yield status('TASK_STATE_COMPLETED');
  },
});

const settingsFor = (publicUrl: string, port = 0): string => `
listen: { host: 127.0.0.1, port: ${port}, publicUrl: "${publicUrl}" }
auth: { anonymous: false, apiKeys: [{ name: alice, hash: "${shownHash(hashOf(key))}" }] }
limits: { requestsPerMinute: unlimited }
agents: { meter: { kind: reference } }
`;

const nameOf = ({ as, via }: DialectBinding): string => `${as} over ${via}`;
/** Proxies tell gRPC from the other bindings at most, and know nothing of dialects: 0.3 has another gRPC service. */
const proxied = dialectBindings.filter(({ as, via }) => as === 'a2a-1.0' || (as === 'a2a-0.3' && via === 'grpc'));
const cases = proxied.map((each) => [nameOf(each), each] as const);

/** A client of the agent `meter`, or of another one. */
async function clientOf(url: string, { as, via }: Pick<DialectBinding, 'as' | 'via'>, options: ConnectOptions = {}) {
  const client = await connect(url, { ...trusting, as, via, ...options });
  afterTest(() => client.close());
  return client;
}

const textsOf = (artifacts: readonly { readonly parts: readonly { readonly text?: string }[] }[] = []): string[] =>
  artifacts.flatMap(({ parts }) => parts.flatMap(({ text }) => text ?? []));

/** The task of a message, when it has ended. */
async function finished(client: Client, text: string): Promise<Task> {
  return taskOf(await answered(client, text));
}

/** The texts of a stream, of which the agent says the second one when the first has arrived and `then` has ended. */
async function streamed(client: Client, then: () => Promise<void> = async () => {}): Promise<string> {
  gate = Promise.withResolvers();
  const texts: string[] = [];
  for await (const event of client.sendStream('stream')) {
    texts.push(...textsOf(event.artifactUpdate && [event.artifactUpdate.artifact]), ...textsOf(event.task?.artifacts));
    if (!texts.includes('one') || texts.includes('two')) continue;
    await then();
    gate.resolve();
  }
  return texts.join('');
}

/** One dialect says all text anew with each chunk. */
const whole = /^one(one)?two$/;

it.each(['nginx.conf', 'haproxy.cfg', 'envoy.yaml'])('the page about proxies shows the file %s', (name) => {
  const page = readFileSync(fileURLToPath(new URL('../../docs/operate/proxies.md', import.meta.url)), 'utf8');
  expect(blocksOf(page).map(({ text }) => text)).toContain(example(name));
});

describe.each(kinds)('a gateway behind $name', (kind) => {
  const needed = `needs ${kind.name}, as ${kind.name.toUpperCase()} or in PATH`;
  describe.skipIf(kind.program === undefined)(needed, () => {
    let proxy: Proxy;
    beforeAll(async () => {
      const port = await freePort();
      const gateway = await openGateway(settingsFor(`https://localhost:${port}`), { agents: { meter } });
      proxy = await startProxy(kind, port, [gateway.port, gateway.port]);
    });
    afterAll(() => proxy.close());

    it.each(cases)('answers a message and a question about its task in %s', async (_, binding) => {
      const client = await clientOf(`${proxy.url}/as/${binding.as}`, binding);
      const { id } = await finished(client, 'hello');
      expect(textsOf((await client.getTask({ id })).artifacts)).toEqual(['5 characters']);
    });

    it.each(cases)('passes on each event of a stream as it comes in %s', async (_, binding) => {
      expect(await streamed(await clientOf(`${proxy.url}/as/${binding.as}`, binding))).toMatch(whole);
    });

    it.each(cases)('passes on messages as large as the gateway takes in %s', async (_, binding) => {
      const client = await clientOf(`${proxy.url}/as/${binding.as}`, binding);
      const size = 9 * 1024 * 1024;
      expect(textsOf((await finished(client, 'x'.repeat(size))).artifacts)).toEqual([`${size} characters`]);
    });

    it.each(cases)('lets the gateway refuse a message that is too large, in the words of %s', async (_, binding) => {
      const client = await clientOf(`${proxy.url}/as/${binding.as}`, binding);
      await expect(client.send('x'.repeat(10.5 * 1024 * 1024))).rejects.toThrow(/10 MiB|limit|large/i);
    });

    it.each(cases)('refuses callers without credentials in %s', async (_, { as, via }) => {
      const options = { as, via, tls: { ca: authority.cert } } as const;
      const refused = connect(`${proxy.url}/as/${as}`, options).then((client) => client.send('data'));
      await expect(refused).rejects.toMatchObject({ kind: 'unauthenticated' });
    });

    it('has cards whose every address leads through it', async () => {
      const client = await connect(proxy.url, trusting);
      afterTest(() => client.close());
      const { supportedInterfaces } = client.card;
      expect(supportedInterfaces.map(({ protocolBinding }) => protocolBinding)).toContain('GRPC');
      for (const { url } of supportedInterfaces) expect(`https://${url.replace('https://', '')}`).toContain(proxy.url);
    });

    it.skipIf(kind.hidden)(
      'for local callers alone, it takes no caller who comes through the proxy for a local one',
      async () => {
        const gateway = await openGateway('agents: { demo: { kind: reference } }\n');
        const before = await startProxy(kind, await freePort(), [gateway.port, gateway.port]);
        afterTest(() => before.close());
        for (const via of ['jsonrpc', 'rest', 'grpc', 'connect'] as const) {
          const options = { as: 'a2a-1.0', via, tls: { ca: authority.cert }, direct: true } as const;
          const refused = connect(before.url, options).then((client) => client.send('data'));
          await expect(refused).rejects.toMatchObject({ kind: 'unauthenticated' });
        }
      },
    );

    it('two replicas on one database are replaced one after the other without a call or a stream that fails', async () => {
      const store = await (await sharedPostgres()).database();
      const ports = [await freePort(), await freePort()] as const;
      const front = await freePort();
      const start = (port: number): Promise<Gateway> =>
        startReplica(settingsFor(`https://localhost:${front}`, port), store);
      let replicas = await Promise.all(ports.map(start));
      // Health checks of a proxy that is there before the replicas would find them a second later.
      const before = await startProxy(kind, front, ports);
      afterTest(() => before.close());
      const load = await startLoad(before.url, kind);
      for (const [at, port] of [...ports.entries(), ...ports.entries()]) {
        await replicas[at]?.close();
        replicas = replicas.with(at, await start(port));
        await load.isServed();
      }
      expect(await load.end()).toEqual([]);
    });
  });
});

/** A replica with the stop of the page: it serves for `delay` after it says that it is not ready. */
async function startReplica(settings: string, store: string): Promise<Gateway> {
  const text = `${settings}store: "${store}"\nshutdown: { delay: 5s }\n`;
  const config = parseConfig(text, { file: '/gateway.yaml', env: {} });
  const gateway = createGateway(config, { agents: { meter }, logger: silent });
  await gateway.listen();
  afterTest(() => gateway.close({ drainMs: 0 }));
  return gateway;
}

/** Asks with a key by which a message that is repeated is executed once. */
type Ask = (client: Client, idempotencyKey: string) => Promise<string>;

/** A message, and a question to any replica about the task that it has made. */
const call: Ask = async (client, idempotencyKey) => {
  const { id } = taskOf(await client.send('hi', { idempotencyKey }));
  return textsOf((await client.getTask({ id })).artifacts).join();
};

const stream: Ask = async (client, idempotencyKey) => {
  let last = '';
  for await (const { task, artifactUpdate } of client.sendStream('hi', { idempotencyKey }))
    last = textsOf(artifactUpdate ? [artifactUpdate.artifact] : task?.artifacts).join() || last;
  return last;
};

/** Calls and streams over every binding, without a pause. */
async function startLoad(url: string, { repeats = false }: Kind) {
  const answers: string[] = [];
  let isOver = false;
  const answerTo = async (ask: Ask, client: Client): Promise<string> => {
    const idempotencyKey = crypto.randomUUID();
    try {
      return await ask(client, idempotencyKey);
    } catch (error) {
      if (!repeats || !/HTTP 502/.test(String(error))) throw error;
      return await ask(client, idempotencyKey);
    }
  };
  const repeat = async (via: DialectBinding['via'], ask: Ask): Promise<void> => {
    const client = await clientOf(url, { as: 'a2a-1.0', via });
    while (!isOver) answers.push(await answerTo(ask, client).catch((error: Error) => `${via}: ${error.message}`));
  };
  const vias = ['jsonrpc', 'rest', 'grpc', 'connect'] as const;
  const running = Promise.all(vias.flatMap((via) => [repeat(via, call), repeat(via, stream)]));
  return {
    /** Resolves when twenty more calls were answered. */
    async isServed(): Promise<void> {
      const seen = answers.length;
      await expect.poll(() => answers.length).toBeGreaterThan(seen + 20);
    },
    /** @returns answers that are not what was asked for */
    async end(): Promise<string[]> {
      isOver = true;
      await running;
      return answers.filter((answer) => answer !== '2 characters');
    },
  };
}

describe.skipIf(nginx === undefined)('nginx', () => {
  it.each(cases)('nginx keeps a stream when it reads its configuration again, in %s', async (_, binding) => {
    const port = await freePort();
    const gateway = await openGateway(settingsFor(`https://localhost:${port}`), { agents: { meter } });
    const proxy = await startProxy(kinds[0] as Kind, port, [gateway.port, gateway.port]);
    afterTest(() => proxy.close());
    const client = await clientOf(`${proxy.url}/as/${binding.as}`, binding);
    expect(await streamed(client, () => reload(proxy as Proxy & RunningNginx))).toMatch(whole);
  });
});

/** Lets nginx read a changed configuration, and waits until its new workers serve. */
async function reload({ url, config, reload }: Proxy & RunningNginx): Promise<void> {
  const mark = crypto.randomUUID();
  reload(replaced(config, 'location / {', `location / { add_header X-Mark ${mark} always;`));
  await expect.poll(() => markOf(url)).toBe(mark);
}

/** The mark in an answer on a connection of its own. */
async function markOf(url: string): Promise<string | undefined> {
  const sent = request(`${url}/healthz`, { ca: authority.cert, agent: false }).end();
  const [answer] = (await once(sent, 'response')) as [IncomingMessage];
  answer.resume();
  return String(answer.headers['x-mark']);
}
