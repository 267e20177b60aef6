import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { newFolder } from './folders.ts';
import { paced } from './pace.ts';
import { afterTest, freePort } from './peer.ts';
import { query } from './postgres.ts';

/** The program `pgbouncer`: `PGBOUNCER` of the environment, or the one in PATH. Undefined: there is none. */
export const pgBouncer = [process.env.PGBOUNCER, 'pgbouncer', '/usr/sbin/pgbouncer'].find(
  (name) => name !== undefined && spawnSync(name, ['--version']).status === 0,
);

/** Starts PgBouncer in transaction mode before a database. Resolves with the URL of the database by way of it. */
export async function startPgBouncer(url: string, servers = 5): Promise<string> {
  const { hostname, port, username, password, pathname } = new URL(url);
  const folder = newFolder();
  const listenPort = await freePort();
  const config = join(folder, 'pgbouncer.ini');
  writeFileSync(join(folder, 'users.txt'), `"${username}" "${password}"\n`);
  writeFileSync(
    config,
    `[databases]
* = host=${hostname} port=${port}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${listenPort}
unix_socket_dir =
auth_type = plain
auth_file = ${join(folder, 'users.txt')}
pool_mode = transaction
default_pool_size = ${servers}
max_client_conn = 500
`,
  );
  chmodSync(folder, 0o755);
  // It refuses to run as root.
  const asNobody = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
  const child = spawn(pgBouncer ?? 'pgbouncer', [config], { stdio: 'ignore', ...asNobody });
  afterTest(() => child.kill('SIGKILL'));
  const through = `postgres://${username}:${password}@127.0.0.1:${listenPort}${pathname}`;
  const answers = (): Promise<boolean> =>
    query(through, 'select 1').then(
      () => true,
      () => false,
    );
  for (const until = Date.now() + paced(10_000); !(await answers()); await delay(50)) {
    if (Date.now() > until) throw new Error('PgBouncer did not start');
  }
  return through;
}
