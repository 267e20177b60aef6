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

/** The configuration of nginx in the documentation, in a real nginx in front of gateways. */

const page = readFileSync(fileURLToPath(new URL('../../docs/operate/operations.md', import.meta.url)), 'utf8');
const [whole = '', severalReplicas = ''] = blocksOf(page)
  .filter(({ language }) => language === 'nginx')
  .map(({ text }) => text);

/** A text in which something that it has is replaced everywhere. */
function replaced(text: string, from: string, to: string): string {
  if (!text.includes(from)) throw new Error(`the configuration in the documentation has no ${from}`);
  return text.replaceAll(from, to);
}

const authority = createAuthority('of nginx');
const key = 'key-of-alice';
const trusting = { apiKey: key, tls: { ca: authority.cert } } as const;

/** nginx with the configuration of the documentation, of which addresses and certificates are replaced. */
interface Proxy extends RunningNginx {
  readonly url: string;
  readonly http: string;
}

/** The configuration of the documentation, for one replica or for two. */
function configFor([first = 0, second]: readonly number[]): string {
  if (second === undefined) return replaced(whole, '127.0.0.1:8080', `127.0.0.1:${first}`);
  const withoutUpstreams = replaced(
    replaced(whole, 'upstream gateway_http { server 127.0.0.1:8080; keepalive 16; }', ''),
    'upstream gateway_grpc { server 127.0.0.1:8080; keepalive 16; }',
    '',
  );
  const upstreams = replaced(severalReplicas, '10.0.0.11:8080', `127.0.0.1:${first}`);
  return replaced(upstreams, '10.0.0.12:8080', `127.0.0.1:${second}`) + withoutUpstreams;
}

async function startProxy(port: number, replicas: readonly number[]): Promise<Proxy> {
  const folder = newFolder();
  const issued = authority.issue({ subject: [['CN', 'localhost']], altNames: [['dns', 'localhost']] });
  const file = async (name: string, text: string): Promise<string> => {
    const path = join(folder, name);
    await writeFile(path, text, { mode: 0o600 });
    return path;
  };
  let http = replaced(configFor(replicas), 'listen 443 ', `listen 127.0.0.1:${port} `);
  http = replaced(http, '/etc/ssl/certs/agents.example.com.pem', await file('cert.pem', issued.cert));
  http = replaced(http, '/etc/ssl/private/agents.example.com.key', await file('key.pem', issued.key));
  const running = await startNginx(folder, http, port);
  return { ...running, http, url: `https://localhost:${port}` };
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
/** nginx tells gRPC, by its content type, from the other bindings, and knows nothing of dialects: 0.3 has another gRPC service. */
const proxied = dialectBindings.filter(({ as, via }) => as === 'a2a-1.0' || (as === 'a2a-0.3' && via === 'grpc'));
const cases = proxied.map((each) => [nameOf(each), each] as const);

/** A client of the agent `demo`, or of another one. */
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

describe.skipIf(nginx === undefined)('a gateway behind nginx (needs nginx, as NGINX or in PATH)', () => {
  let proxy: Proxy;

  beforeAll(async () => {
    const port = await freePort();
    const gateway = await openGateway(settingsFor(`https://localhost:${port}`), { agents: { meter } });
    proxy = await startProxy(port, [gateway.port]);
  });
  afterAll(() => proxy.close());

  it.each(cases)(
    'a gateway behind nginx (needs nginx, as NGINX or in PATH) answers a message and a question about its task in %s',
    async (_, binding) => {
      const client = await clientOf(`${proxy.url}/as/${binding.as}`, binding);
      const { id } = await finished(client, 'hello');
      expect(textsOf((await client.getTask({ id })).artifacts)).toEqual(['5 characters']);
    },
  );

  it.each(cases)(
    'a gateway behind nginx (needs nginx, as NGINX or in PATH) passes on each event of a stream as it comes in %s',
    async (_, binding) => {
      gate = Promise.withResolvers();
      const client = await clientOf(`${proxy.url}/as/${binding.as}`, binding);
      const texts: string[] = [];
      for await (const event of client.sendStream('stream')) {
        texts.push(
          ...textsOf(event.artifactUpdate && [event.artifactUpdate.artifact]),
          ...textsOf(event.task?.artifacts),
        );
        // The agent says nothing more until this has arrived.
        if (texts.includes('one')) gate.resolve();
      }
      // One dialect says all text anew with each chunk.
      expect(texts.join('')).toMatch(/^one(one)?two$/);
    },
  );

  it.each(cases)(
    'a gateway behind nginx (needs nginx, as NGINX or in PATH) passes on messages as large as the gateway takes in %s',
    async (_, binding) => {
      const client = await clientOf(`${proxy.url}/as/${binding.as}`, binding);
      const size = 9 * 1024 * 1024;
      expect(textsOf((await finished(client, 'x'.repeat(size))).artifacts)).toEqual([`${size} characters`]);
    },
  );

  it.each(cases)(
    'a gateway behind nginx (needs nginx, as NGINX or in PATH) lets the gateway refuse a message that is too large, in the words of %s',
    async (_, binding) => {
      const client = await clientOf(`${proxy.url}/as/${binding.as}`, binding);
      await expect(client.send('x'.repeat(10.5 * 1024 * 1024))).rejects.toThrow(/10 MiB|limit|large/i);
    },
  );

  it.each(cases)(
    'a gateway behind nginx (needs nginx, as NGINX or in PATH) refuses callers without credentials in %s',
    async (_, { as, via }) => {
      const options = { as, via, tls: { ca: authority.cert } } as const;
      const refused = connect(`${proxy.url}/as/${as}`, options).then((client) => client.send('data'));
      await expect(refused).rejects.toMatchObject({ kind: 'unauthenticated' });
    },
  );

  it.each(cases)(
    'a gateway behind nginx (needs nginx, as NGINX or in PATH) keeps a stream when nginx reads its configuration again, in %s',
    async (_, binding) => {
      gate = Promise.withResolvers();
      const client = await clientOf(`${proxy.url}/as/${binding.as}`, binding);
      const texts: string[] = [];
      for await (const event of client.sendStream('stream')) {
        texts.push(
          ...textsOf(event.artifactUpdate && [event.artifactUpdate.artifact]),
          ...textsOf(event.task?.artifacts),
        );
        if (!texts.includes('one') || texts.includes('two')) continue;
        await reload(proxy);
        gate.resolve();
      }
      // One dialect says all text anew with each chunk.
      expect(texts.join('')).toMatch(/^one(one)?two$/);
    },
  );
});

/** Lets nginx read a changed configuration, and waits until its new workers serve. */
async function reload({ url, http, reload }: Proxy): Promise<void> {
  const mark = crypto.randomUUID();
  reload(replaced(http, 'location / {', `location / { add_header X-Mark ${mark} always;`));
  await expect.poll(() => markOf(url)).toBe(mark);
}

/** The mark in an answer on a connection of its own. */
async function markOf(url: string): Promise<string | undefined> {
  const sent = request(`${url}/healthz`, { ca: authority.cert, agent: false }).end();
  const [answer] = (await once(sent, 'response')) as [IncomingMessage];
  answer.resume();
  return String(answer.headers['x-mark']);
}

describe.skipIf(nginx === undefined)('a gateway for local callers behind nginx', () => {
  it('a gateway for local callers behind nginx takes no caller who comes through nginx for a local one', async () => {
    const port = await freePort();
    const gateway = await openGateway('agents: { demo: { kind: reference } }\n');
    const proxy = await startProxy(port, [gateway.port]);
    afterTest(() => proxy.close());
    for (const via of ['jsonrpc', 'rest', 'grpc', 'connect'] as const) {
      const refused = connect(proxy.url, { as: 'a2a-1.0', via, tls: { ca: authority.cert }, direct: true }).then(
        (client) => client.send('data'),
      );
      await expect(refused).rejects.toMatchObject({ kind: 'unauthenticated' });
    }
  });
});

describe.skipIf(nginx === undefined)('replicas behind nginx', () => {
  async function startReplica(port: number, publicUrl: string): Promise<Gateway> {
    const config = parseConfig(`${settingsFor(publicUrl, port)}store: "memory:"\nshutdown: { delay: 500ms }\n`, {
      file: '/gateway.yaml',
      env: {},
    });
    const gateway = createGateway(config, { agents: { meter }, logger: silent });
    await gateway.listen();
    afterTest(() => gateway.close({ drainMs: 0 }));
    return gateway;
  }

  it('replicas behind nginx are replaced one after the other without a call that fails', async () => {
    const ports = [await freePort(), await freePort()];
    const front = await freePort();
    const proxy = await startProxy(front, ports);
    afterTest(() => proxy.close());
    let replicas = await Promise.all(ports.map((port) => startReplica(port, proxy.url)));
    const answers: string[] = [];
    let isOver = false;
    const callOver = async (via: 'jsonrpc' | 'rest' | 'grpc' | 'connect'): Promise<void> => {
      const client = await clientOf(proxy.url, { as: 'a2a-1.0', via });
      while (!isOver) {
        const outcome = await finished(client, 'hi').then(
          ({ artifacts }) => textsOf(artifacts).join(),
          (error: Error) => `${via}: ${error.message}`,
        );
        answers.push(outcome);
      }
    };
    const load = Promise.all((['jsonrpc', 'rest', 'grpc', 'connect'] as const).map(callOver));
    for (const [at, port] of [...ports.entries(), ...ports.entries()]) {
      await replicas[at]?.close();
      replicas = replicas.with(at, await startReplica(port, proxy.url));
      const seen = answers.length;
      await expect.poll(() => answers.length).toBeGreaterThan(seen + 20);
    }
    isOver = true;
    await load;
    expect(answers.filter((answer) => answer !== '2 characters')).toEqual([]);
  });
});
