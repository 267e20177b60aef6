import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import { type Plugin, rolldown } from 'rolldown';
import { freePort } from '../../support/peer.ts';
import { suiteCache } from '../cache.ts';
import { areFetched, fetchSources, type Sources } from '../git.ts';

/**
 * a2a-itk, the A2A project's integration kit: agents that call one another by the instructions that they get. The agents in
 * TypeScript run here, with the official SDKs of A2A 1.0 and 0.3 that this project has.
 */

export const commit = 'cd1537f4035229839dd53a8a9fb49c1c4137ed12';

const sources: Sources = {
  repository: 'https://github.com/a2aproject/a2a-itk',
  commit,
  paths: ['agents/ts'],
};

export const isInstalled = (): boolean => areFetched(sources);

/** The agents of the kit, with the package that each imports as `@a2a-js/sdk`. */
const sdks = { ts_v10: '@a2a-js/sdk', ts_v03: 'a2a-sdk-0.3' } as const;

export type SdkName = keyof typeof sdks;

export const sdkNames = Object.keys(sdks) as SdkName[];

const modules = join(import.meta.dirname, '../../../node_modules');

/** Fetches the kit and bundles its agents. @throws Error that says why it cannot be had */
export async function installSuite(from?: string): Promise<void> {
  const folder = fetchSources(sources, from);
  for (const [name, sdk] of Object.entries(sdks)) {
    const agent = join(folder, 'agents/ts', name.replace('ts_', ''));
    await bundle(join(agent, 'main.ts'), sdk, `${name}.mjs`);
    await bundle(join(agent, 'pb/instruction.ts'), sdk, 'instruction.mjs');
  }
}

const bundled = (name: string): string => join(suiteCache('itk-bundles'), name);

async function bundle(input: string, sdk: string, name: string): Promise<void> {
  const build = await rolldown({
    input,
    platform: 'node',
    resolve: { modules: [modules], alias: { '@a2a-js/sdk': sdk } },
    plugins: [onLoopback],
    logLevel: 'silent',
  });
  await build.write({ file: bundled(name), format: 'esm' });
  await build.close();
}

/** The agents listen on every address otherwise. */
const onLoopback: Plugin = {
  name: 'on-loopback',
  transform: (code, id) =>
    id.endsWith('main.ts')
      ? code.replace('app.listen(httpPort,', "app.listen(httpPort, '127.0.0.1',").replace('0.0.0.0:', '127.0.0.1:')
      : undefined,
};

/** The kit's own message, as ts-proto has it. */
export interface InstructionType {
  encode(instruction: object): { finish(): Uint8Array };
}

/** The kit's protobuf message of instructions. */
export async function loadInstruction(): Promise<InstructionType> {
  return (await import(pathToFileURL(bundled('instruction.mjs')).href)).Instruction;
}

/** Starts an agent of the kit. */
export async function startAgent(name: SdkName) {
  const [httpPort, grpcPort] = [await freePort(), await freePort()];
  const args = [bundled(`${name}.mjs`), '--httpPort', `${httpPort}`, '--grpcPort', `${grpcPort}`];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'ignore'] });
  const started = new Set<string>();
  const closed = once(child, 'close');
  const lines = createInterface({ input: child.stdout });
  await new Promise<void>((resolve, reject) => {
    lines.on('line', (line) => {
      const [server] = /HTTP server|gRPC server|Server started/i.exec(line) ?? [];
      if (server !== undefined) started.add(/gRPC/i.test(server) ? 'grpc' : 'http');
      if (started.size === 2) resolve();
    });
    closed.then(() => reject(new Error(`the agent ${name} did not start`)));
  });
  return {
    url: `http://127.0.0.1:${httpPort}`,
    async close() {
      child.kill('SIGKILL');
      await closed;
    },
  };
}
