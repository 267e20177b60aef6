import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Halt, type PostgresServer, startPostgres } from '../support/postgres.ts';
import { freePorts } from './free-ports.ts';
import { GatewayProcess } from './gateway-process.ts';

const size = 3;

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

/** A gateway that ended although nobody had told it to. */
export interface Fall {
  readonly gateway: number;
  readonly how: string;
  /** Whether it had been ready before. */
  readonly wasReady: boolean;
}

/** Three gateways on one database, and the agents behind them. */
export class Cluster {
  readonly gateways: readonly GatewayProcess[];
  /** URL of the store. */
  readonly store: string;
  /** What the patient agent was told to do: a marker a line. */
  readonly executions: string;
  /** The agents behind the gateways. */
  readonly upstream: { readonly far: string; readonly sdk: string };
  readonly falls: Fall[] = [];
  readonly #database: PostgresServer;
  readonly #agents: ChildProcess;

  private constructor(
    folder: string,
    parts: { readonly database: PostgresServer; readonly store: string; readonly agents: ChildProcess },
    upstream: { readonly far: string; readonly sdk: string },
    ports: readonly number[],
  ) {
    this.#database = parts.database;
    this.#agents = parts.agents;
    this.store = parts.store;
    this.upstream = upstream;
    this.executions = join(folder, 'executions.txt');
    writeFileSync(this.executions, '');
    this.gateways = ports.map((port, gateway) => {
      const config = join(folder, `gateway-${gateway}.yaml`);
      writeFileSync(config, configOf(port, parts.store, upstream));
      return new GatewayProcess({
        config,
        port,
        logFile: join(folder, `gateway-${gateway}.log`),
        // Those that are started again are there sooner.
        env: { TORTURE_EXECUTIONS: this.executions, NODE_COMPILE_CACHE: join(folder, 'compiled') },
        onFall: (how, wasReady) => this.falls.push({ gateway, how, wasReady }),
      });
    });
  }

  /** Starts everything. What it writes is in `folder`. */
  static async start(folder: string): Promise<Cluster> {
    const database = await startPostgres();
    let agents: ChildProcess | undefined;
    try {
      agents = fork(here('upstream-process.ts'), { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
      const told = once(agents, 'message', { signal: AbortSignal.timeout(60_000) });
      const [[upstream], store, ports] = await Promise.all([
        Promise.race([told, ended(agents)]),
        database.database(),
        freePorts(size),
      ]);
      const cluster = new Cluster(folder, { database, store, agents }, upstream, ports);
      await cluster.startGateways().catch(async (thrown: unknown) => {
        await cluster.end();
        throw thrown;
      });
      return cluster;
    } catch (thrown) {
      agents?.kill('SIGKILL');
      await database.stop();
      throw thrown;
    }
  }

  /** Rejects when the agents behind the gateways are gone: then nothing can be told from what becomes of their tasks. */
  survive(): Promise<never> {
    return ended(this.#agents);
  }

  get ports(): readonly number[] {
    return this.gateways.map(({ port }) => port);
  }

  async startGateways(): Promise<void> {
    for (const gateway of this.gateways) gateway.start();
    await Promise.all(this.gateways.map((gateway) => gateway.ready()));
  }

  /** Ends the database, and starts it again after a while. */
  async restartDatabase(how: Halt, ms: number): Promise<void> {
    await this.#database.halt(how);
    await new Promise((resolve) => setTimeout(resolve, ms));
    await this.#database.resume();
  }

  /** Ends every process, whatever state it is in. */
  async end(): Promise<void> {
    await Promise.all(this.gateways.map((gateway) => gateway.end()));
    this.#agents.kill('SIGKILL');
    await this.#database.stop();
  }
}

async function ended(agents: ChildProcess): Promise<never> {
  const [code, signal] = await once(agents, 'exit');
  throw new Error(`the agents behind the gateways have ended: ${signal ?? `exit code ${code}`}`);
}

const configOf = (port: number, store: string, { far, sdk }: Cluster['upstream']): string => `
listen: { host: 127.0.0.1, port: ${port} }
store: ${JSON.stringify(store)}
log: { level: info }
defaultAgent: local
agents:
  local: { kind: reference }
  patient: { kind: module, path: ${JSON.stringify(here('agents/patient.ts'))} }
  far: { kind: upstream, url: ${JSON.stringify(far)} }
  sdk: { kind: upstream, url: ${JSON.stringify(sdk)} }
`;
