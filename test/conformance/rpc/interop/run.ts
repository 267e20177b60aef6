import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { dialectsOf } from '../../../../src/dialects/kernel/detect.ts';
import { createDialects } from '../../../../src/dialects/registry.ts';
import { serveDialects } from '../../../support/served-api.ts';
import type { Outcome } from '../suite.ts';
import { runCase } from './client.ts';
import { programs } from './programs.ts';
import { createTestService } from './service.ts';

/** gRPC's interoperability cases: its client against the project's server, and the project's client against its server. */

const cases = [
  'empty_unary',
  'large_unary',
  'client_streaming',
  'server_streaming',
  'ping_pong',
  'empty_stream',
  'timeout_on_sleeping_server',
  'cancel_after_begin',
  'cancel_after_first_response',
  'status_code_and_message',
  'special_status_message',
  'custom_metadata',
  'unimplemented_method',
  'unimplemented_service',
] as const;

const pathOf = (name: string): string => fileURLToPath(new URL(name, import.meta.url));
const pem = (name: string): string => pathOf(`../../../support/tls/${name}`);
const known = pathOf('../../known-failures/grpc-interop.txt');

/** Milliseconds for one case. */
const timeoutMs = 20_000;

const execute = promisify(execFile);

/** Runs all cases with the programs that are installed, and compares what fails with the list. */
export async function runInterop(): Promise<Outcome> {
  const failures = new Map<string, string>();
  const names: string[] = [];
  const attempt = async (name: string, run: () => Promise<unknown>): Promise<void> => {
    names.push(name);
    await run().catch((thrown: Error) => failures.set(name, thrown.message.trim()));
  };
  for (const security of ['plain', 'tls'] as const) {
    await withOwnServer(security === 'tls', async (args) => {
      for (const each of cases) {
        const all = [...args, `--test_case=${each}`];
        await attempt(`server/${security}/${each}`, () => execute(programs.client, all, { timeout: timeoutMs }));
      }
    });
    await withTheirServer(security === 'tls', async (port) => {
      const tls = security === 'tls' ? { ca: readFileSync(pem('ca.pem')) } : undefined;
      for (const each of cases) await attempt(`client/${security}/${each}`, () => runCase(each, port, tls));
    });
  }
  const listed = readFileSync(known, 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'));
  const unexpected = [
    ...[...failures].filter(([name]) => !listed.includes(name)).map(([name, words]) => `${name}: ${words}`),
    ...listed.filter((name) => !failures.has(name)).map((name) => `${name} passes: take it off the list`),
  ];
  return { cases: names, failures, unexpected, problem: undefined };
}

async function withOwnServer(secure: boolean, use: (args: readonly string[]) => Promise<void>): Promise<void> {
  const { protocol, answer, admit } = createTestService();
  const { list, extensions } = createDialects();
  const tls = { cert: pem('server.pem'), key: pem('server.key') };
  const served = await serveDialects(dialectsOf(list, [...extensions, protocol]), answer, {
    listen: secure ? { tls } : {},
    admit,
  });
  const ofTls = ['--use_tls', '--use_test_ca', `--ca_file=${pem('ca.pem')}`, '--server_host_override=localhost'];
  try {
    await use(['--server_host=127.0.0.1', `--server_port=${served.port}`, ...(secure ? ofTls : [])]);
  } finally {
    await served.close();
  }
}

async function withTheirServer(secure: boolean, use: (port: number) => Promise<void>): Promise<void> {
  const port = await freePort();
  const ofTls = ['--use_tls', `--tls_cert_file=${pem('server.pem')}`, `--tls_key_file=${pem('server.key')}`];
  const child = spawn(programs.server, [`--port=${port}`, ...(secure ? ofTls : [])], { stdio: 'ignore' });
  try {
    await untilListening(port);
    await use(port);
  } finally {
    child.kill();
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0);
  await once(server, 'listening');
  const { port } = server.address() as { readonly port: number };
  server.close();
  await once(server, 'close');
  return port;
}

/** Rejects when nothing listens after ten seconds. */
async function untilListening(port: number): Promise<void> {
  for (let attempt = 0; attempt < 200; attempt += 1) {
    const socket = connect(port, '127.0.0.1');
    try {
      await once(socket, 'connect');
      return;
    } catch {
      await sleep(50);
    } finally {
      socket.destroy();
    }
  }
  throw new Error(`the server does not listen at ${port}`);
}
