/**
 * Records what agents of the SDKs answer over A2A 0.3 when they are asked for a task that they do not have, and how they
 * write a file: `node test/interop/software/record.ts` writes `recorded.json`. It needs Go and Python, and the registries
 * of both. `-- --only TEXT` records the SDKs again whose name and version have TEXT, and keeps the others.
 */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { parseArgs, promisify } from 'node:util';
import * as grpc from '@grpc/grpc-js';
import { sdkAgents } from '../../support/sdk-agents.ts';
import { type Answer, file, readRecorded, recordedFile, type Sdk, service, unknownId } from './recorded.ts';

const run = promisify(execFile);
const servers = fileURLToPath(new URL('servers', import.meta.url));

/** A server that runs. */
interface Server {
  readonly grpc?: string;
  readonly rest?: string;
  close(): void | Promise<void>;
}

/** Starts a program that prints its ports as JSON in its first line. */
async function start(command: string, args: readonly string[]): Promise<Server> {
  const child = spawn(command, args, { env: { ...process.env, FILE: file }, stdio: ['ignore', 'pipe', 'inherit'] });
  const exited = once(child, 'exit').then(([code]) => Promise.reject(new Error(`${command} ended with code ${code}`)));
  const [line] = await Promise.race([once(createInterface(child.stdout), 'line'), exited]);
  exited.catch(() => {});
  const { grpc: rpc, rest } = JSON.parse(line) as { grpc: number; rest?: number };
  return {
    grpc: `127.0.0.1:${rpc}`,
    ...(rest && { rest: `http://127.0.0.1:${rest}` }),
    close: () => void child.kill(),
  };
}

/** Runs a Go program with one version of a module, in a folder of its own. */
async function startGo(program: string, module: string, folder: string): Promise<Server> {
  await copyFile(join(servers, program, 'main.go'), join(folder, 'main.go'));
  const go = (...args: string[]) => run('go', args, { cwd: folder });
  await go('mod', 'init', 'example.com/agent');
  await go('get', module);
  await go('mod', 'tidy');
  await go('build', '-o', 'agent', '.');
  return start(join(folder, 'agent'), []);
}

/** Runs a Python program with one version of a package. */
async function startPython(program: string, packages: readonly string[], folder: string): Promise<Server> {
  await run('python3', ['-m', 'venv', folder]);
  await run(join(folder, 'bin/pip'), ['install', '--quiet', ...packages]);
  return start(join(folder, 'bin/python'), [join(servers, program)]);
}

/** The servers of the SDK for JavaScript, which are packages of this project. They answer `file` with a file. */
async function startJavaScript(): Promise<Server> {
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

const go = (program: string, module: string, version: string) => ({
  sdk: 'Go' as const,
  version,
  start: (folder: string) => startGo(program, `${module}@v${version}`, folder),
});
const python = (program: string, version: string, ...more: string[]) => ({
  sdk: 'Python' as const,
  version,
  start: (folder: string) =>
    startPython(program, [`a2a-sdk[grpc,http-server]==${version}`, 'uvicorn', ...more], folder),
});

const rows: readonly { sdk: Sdk; version: string; start(folder: string): Promise<Server> }[] = [
  ...['0.3.2', '0.3.3', '0.3.8', '0.3.12', '0.3.15'].map((version) =>
    go('go-0.3', 'github.com/a2aproject/a2a-go', version),
  ),
  go('go-2', 'github.com/a2aproject/a2a-go/v2', '2.4.0'),
  ...['0.3.8', '0.3.22', '0.3.26'].map((version) => python('python_0_3.py', version)),
  python('python_1.py', '1.3.0', 'fastapi'),
  { sdk: 'JavaScript', version: '0.3.14', start: startJavaScript },
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
      unknownTask: { code: Number(error?.code), details: String(error?.details) },
      base64Bytes: isText(bytesIn(value)),
    };
  } finally {
    stub.close();
  }
}

async function askRest(url: string): Promise<Answer> {
  const unknown = await fetch(`${url}/v1/tasks/${unknownId}`);
  const answer = await fetch(`${url}/v1/message:send`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ message }),
  });
  return {
    unknownTask: { status: unknown.status, body: await unknown.json() },
    base64Bytes: isText(bytesIn(await answer.json())),
  };
}

const { values } = parseArgs({ options: { only: { type: 'string' } } });
const named = ({ sdk, version }: { sdk: string; version: string }) => `${sdk} ${version}`;
const kept =
  values.only === undefined ? [] : readRecorded().filter((one) => !named(one).includes(values.only as string));
const recorded = [...kept];
for (const { sdk, version, start: open } of rows) {
  if (values.only !== undefined && !named({ sdk, version }).includes(values.only)) continue;
  const folder = await mkdtemp(join(tmpdir(), 'a2a-software-'));
  try {
    const server = await open(folder);
    try {
      const rest = server.rest && (await askRest(server.rest));
      const rpc = server.grpc && (await askGrpc(server.grpc));
      recorded.push({ sdk, version, ...(rpc && { grpc: rpc }), ...(rest && { rest }) });
      await writeFile(recordedFile, `${JSON.stringify(recorded, undefined, 2)}\n`);
      console.log(named({ sdk, version }), JSON.stringify(recorded.at(-1)));
    } finally {
      await server.close();
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
