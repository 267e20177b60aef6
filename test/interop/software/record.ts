/**
 * Records by what the SDKs of A2A 0.3 can be recognized: what their agents answer when they are asked for a task that they
 * do not have, how they write a file, and the `User-Agent` of their clients. `node test/interop/software/record.ts` writes
 * `recorded.json`. It needs Go, Java with Maven, and Python, and the registries of all three. `--only TEXT` records the
 * SDKs again whose name and version have TEXT, and keeps the others.
 */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { type AddressInfo, createServer as createListener } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs, promisify } from 'node:util';
import * as grpc from '@grpc/grpc-js';
import { ClientFactory, ClientFactoryOptions } from 'a2a-sdk-0.3/client';
import { GrpcTransportFactory } from 'a2a-sdk-0.3/client/grpc';
import { fetch as undici } from 'undici';
import { openBrowser } from '../../support/browser.ts';
import { sdkAgents } from '../../support/sdk-agents.ts';
import { type Answer, file, readRecorded, recordedFile, type Sdk, service, unknownId } from './recorded.ts';

const run = promisify(execFile);
const servers = fileURLToPath(new URL('servers', import.meta.url));

/** An agent that runs, and calls the recorder as a client. */
interface Server {
  readonly grpc?: string;
  readonly rest?: string;
  close(): void | Promise<void>;
}

/** The recorder's address for the clients of one SDK. */
interface Listening {
  /** `host:port`. */
  readonly grpc: string;
  readonly http: string;
}

/** Listens for clients, and hears their `User-Agent`. */
async function listen() {
  const userAgents: { grpc?: string; http?: string } = {};
  const rpc = new grpc.Server();
  const getTask: grpc.handleUnaryCall<object, object> = ({ metadata }, callback) => {
    userAgents.grpc = String(metadata.get('user-agent')[0]);
    callback({ code: grpc.status.NOT_FOUND });
  };
  rpc.addService(service.service, { GetTask: getTask });
  const port = await promisify(rpc.bindAsync.bind(rpc))('127.0.0.1:0', grpc.ServerCredentials.createInsecure());
  const web = createServer((req, res) => {
    if (req.url !== '/favicon.ico') userAgents.http = String(req.headers['user-agent']);
    res.writeHead(404, { 'content-type': 'application/json' }).end('{}');
  }).listen(0, '127.0.0.1');
  await once(web, 'listening');
  return {
    at: { grpc: `127.0.0.1:${port}`, http: `http://127.0.0.1:${(web.address() as AddressInfo).port}` },
    /** The recorded values, when all have arrived or after some seconds. */
    async userAgents(wanted: number) {
      for (let waited = 0; Object.keys(userAgents).length < wanted && waited < 100; waited += 1) await delay(100);
      const { grpc: overGrpc, http } = userAgents;
      return { ...(overGrpc !== undefined && { grpc: overGrpc }), ...(http !== undefined && { http }) };
    },
    close(): void {
      rpc.forceShutdown();
      web.close();
      web.closeAllConnections();
    },
  };
}

const environment = ({ grpc: CALL_GRPC, http: CALL_HTTP }: Listening) => ({
  ...process.env,
  FILE: file,
  CALL_GRPC,
  CALL_HTTP,
});

/** Starts a program that prints its ports as JSON in its first line. */
async function start(command: string, args: readonly string[], at: Listening): Promise<Server> {
  const child = spawn(command, args, { env: environment(at), stdio: ['ignore', 'pipe', 'inherit'] });
  const exited = once(child, 'exit').then(([code]) => Promise.reject(new Error(`${command} ended with code ${code}`)));
  const [line] = await Promise.race([once(createInterface(child.stdout), 'line'), exited]);
  exited.catch(() => {});
  const { grpc: rpc, rest } = JSON.parse(line) as { grpc: number; rest?: number };
  return {
    grpc: `127.0.0.1:${rpc}`,
    ...(rest && { rest: `http://127.0.0.1:${rest}` }),
    close: () => void child.kill('SIGKILL'),
  };
}

/** Runs a Go program with one version of a module, in a folder of its own. */
async function startGo(program: string, module: string, folder: string, at: Listening): Promise<Server> {
  await copyFile(join(servers, program, 'main.go'), join(folder, 'main.go'));
  const go = (...args: string[]) => run('go', args, { cwd: folder });
  await go('mod', 'init', 'example.com/agent');
  await go('get', module);
  await go('mod', 'tidy');
  await go('build', '-o', 'agent', '.');
  return start(join(folder, 'agent'), [], at);
}

/** Runs a Python program with one version of a package. */
async function startPython(
  program: string,
  packages: readonly string[],
  folder: string,
  at: Listening,
): Promise<Server> {
  await run('python3', ['-m', 'venv', folder]);
  await run(join(folder, 'bin/pip'), ['install', '--quiet', ...packages]);
  return start(join(folder, 'bin/python'), [join(servers, program)], at);
}

/** Builds and runs the Java program with one version of the SDK. Both bindings have one port. */
async function startJava(version: string, folder: string, at: Listening): Promise<Server> {
  await mkdir(join(folder, 'src/main/java'), { recursive: true });
  await copyFile(join(servers, 'java/pom.xml'), join(folder, 'pom.xml'));
  await copyFile(join(servers, 'java/Agent.java'), join(folder, 'src/main/java/Agent.java'));
  await run('mvn', ['-q', '-B', `-Dsdk.version=${version}`, 'package'], { cwd: folder });
  const port = await freePort();
  const settings = [`-Dquarkus.http.port=${port}`, '-Dquarkus.grpc.server.use-separate-server=false'];
  const child = spawn('java', [...settings, '-jar', join(folder, 'target/quarkus-app/quarkus-run.jar')], {
    env: environment(at),
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  for await (const line of createInterface(child.stdout)) if (line.includes('Listening on')) break;
  child.stdout.resume();
  return { grpc: `127.0.0.1:${port}`, rest: `http://127.0.0.1:${port}`, close: () => void child.kill('SIGKILL') };
}

async function freePort(): Promise<number> {
  const listener = createListener().listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const { port } = listener.address() as AddressInfo;
  listener.close();
  await once(listener, 'close');
  return port;
}

/** The servers of the SDK for JavaScript, which are packages of this project. They answer `file` with a file. */
async function startJavaScript(_folder: string, at: Listening): Promise<Server> {
  for (const [preferredTransport, url] of [
    ['GRPC', at.grpc],
    ['HTTP+JSON', at.http],
  ] as const) {
    const options = ClientFactoryOptions.createFrom(ClientFactoryOptions.default, {
      transports: [new GrpcTransportFactory()],
    });
    const client = await new ClientFactory(options).createFromAgentCard({ ...minimal, url, preferredTransport });
    client.getTask({ id: 'any' }).catch(() => {});
  }
  const agents = await Promise.all([sdkAgents['sdk03-grpc']?.(), sdkAgents['sdk03-rest']?.()]);
  const urls = await Promise.all(
    agents.map(async (agent) => {
      const response = await fetch(`${agent?.url}/.well-known/agent-card.json`);
      return ((await response.json()) as { url: string }).url;
    }),
  );
  return {
    grpc: String(urls[0]),
    rest: String(urls[1]),
    close: async () => void (await Promise.all(agents.map((agent) => agent?.close()))),
  };
}

/** The parts of a card that clients need. */
const minimal = {
  name: 'Recorder',
  description: 'Listens',
  version: '1',
  protocolVersion: '0.3.0',
  capabilities: {},
  skills: [],
  defaultInputModes: [],
  defaultOutputModes: [],
};

/** A page in a browser, which is a client alone. */
async function startChromium(_folder: string, { http }: Listening): Promise<Server> {
  const browser = await openBrowser();
  await (await browser.newPage()).goto(http);
  return { close: () => browser.close() };
}

/** The HTTP client of Node as a package, which some use in place of the one that Node has. */
async function startUndici(_folder: string, { http }: Listening): Promise<Server> {
  await undici(http);
  return { close: () => {} };
}

const go = (program: string, module: string, version: string) => ({
  sdk: 'Go' as const,
  version,
  start: (folder: string, at: Listening) => startGo(program, `${module}@v${version}`, folder, at),
});
const python = (program: string, version: string, ...more: string[]) => ({
  sdk: 'Python' as const,
  version,
  start: (folder: string, at: Listening) =>
    startPython(program, [`a2a-sdk[grpc,http-server]==${version}`, 'uvicorn', ...more], folder, at),
});

const rows: readonly { sdk: Sdk; version: string; start(folder: string, at: Listening): Promise<Server> }[] = [
  ...['0.3.2', '0.3.3', '0.3.8', '0.3.12', '0.3.15'].map((version) =>
    go('go-0.3', 'github.com/a2aproject/a2a-go', version),
  ),
  go('go-2', 'github.com/a2aproject/a2a-go/v2', '2.4.0'),
  ...['0.3.8', '0.3.22', '0.3.26'].map((version) => python('python_0_3.py', version)),
  python('python_1.py', '1.3.0', 'fastapi'),
  { sdk: 'JavaScript', version: '0.3.14', start: startJavaScript },
  { sdk: 'JavaScript', version: 'with undici', start: startUndici },
  { sdk: 'JavaScript', version: 'in Chromium', start: startChromium },
  { sdk: 'Java', version: '0.3.2.Final', start: (folder, at) => startJava('0.3.2.Final', folder, at) },
];

const message = { messageId: 'm', role: 'ROLE_USER', content: [{ text: 'file' }] };

/** The bytes of the first file in an answer, wherever it stands. */
function bytesIn(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const bytes = (value as { fileWithBytes?: string | Buffer }).fileWithBytes;
  if (bytes !== undefined && bytes.length > 0) return Buffer.from(bytes as string, 'base64').toString('latin1');
  for (const inner of Object.values(value)) {
    const found = bytesIn(inner);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Whether the bytes on the wire are base64 text themselves. */
const isText = (bytes: string | undefined): boolean => bytes !== undefined && /^[A-Za-z0-9+/]+=*$/.test(bytes);

async function askGrpc(target: string): Promise<Answer> {
  const stub = new service(target, grpc.credentials.createInsecure()) as unknown as grpc.Client &
    Record<string, (request: object, then: (error: grpc.ServiceError | null, value: unknown) => void) => void>;
  const call = (rpc: string, request: object) =>
    new Promise<{ error: grpc.ServiceError | null; value: unknown }>((resolve) =>
      stub[rpc]?.call(stub, request, (error, value) => resolve({ error, value })),
    );
  try {
    const { error } = await call('GetTask', { name: `tasks/${unknownId}` });
    const { value } = await call('SendMessage', { request: message });
    return {
      // grpc-js leaves some characters as they are on the wire, such as %3A.
      unknownTask: { code: Number(error?.code), details: decodeURIComponent(String(error?.details)) },
      base64Bytes: isText(bytesIn(value)),
    };
  } finally {
    stub.close();
  }
}

/** Times differ from run to run. */
const times = /\d{4}-\d\d-\d\dT[\d:.]+Z/g;
const someTime = '2026-01-01T00:00:00Z';

async function askRest(url: string): Promise<Answer> {
  const unknown = await fetch(`${url}/v1/tasks/${unknownId}`);
  const answer = await fetch(`${url}/v1/message:send`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ message }),
  });
  return {
    unknownTask: { status: unknown.status, body: JSON.parse((await unknown.text()).replace(times, someTime)) },
    base64Bytes: isText(bytesIn(await answer.json())),
  };
}

const { values } = parseArgs({ options: { only: { type: 'string' } } });
const named = ({ sdk, version }: { sdk: string; version: string }) => `${sdk} ${version}`;
const chosen = (one: { sdk: string; version: string }) => named(one).includes(values.only ?? '');
const before = new Map(readRecorded().map((one) => [named(one), one]));
for (const { sdk, version, start: open } of rows.filter(chosen)) {
  const folder = await mkdtemp(join(tmpdir(), 'a2a-software-'));
  const listener = await listen();
  try {
    const server = await open(folder, listener.at);
    try {
      const rest = server.rest && (await askRest(server.rest));
      const rpc = server.grpc && (await askGrpc(server.grpc));
      const userAgents = await listener.userAgents(server.grpc ? 2 : 1);
      const one = { sdk, version, userAgents, ...(rpc && { grpc: rpc }), ...(rest && { rest }) };
      before.set(named(one), one);
      const recorded = rows.flatMap((row) => before.get(named(row)) ?? []);
      await writeFile(recordedFile, `${JSON.stringify(recorded, undefined, 2)}\n`);
      console.log(named(one), JSON.stringify(one));
    } finally {
      await server.close();
    }
  } finally {
    listener.close();
    await rm(folder, { recursive: true, force: true });
  }
}
// Clients may hold connections open.
process.exit();
