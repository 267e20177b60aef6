import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { freePort } from '../../support/peer.ts';
import { startPostgres } from '../../support/postgres.ts';
import { dump } from './dump.ts';
import { configOf, openUpstream, work } from './work.ts';

/**
 * Writes entries of the corpus: `node test/stores/formats/write.ts COMMIT …`, run by hand when a test says that the schema
 * or a stored form has changed, with the commit that changed it. The program of each commit runs from a worktree of its
 * own, does the work, and is killed.
 */

const root = fileURLToPath(new URL('../../../', import.meta.url));
/** The gateway's host name gets into the database. */
const hook = `import os from 'node:os'; import { syncBuiltinESMExports } from 'node:module';
os.hostname = () => 'corpus'; syncBuiltinESMExports();`;

/** Starts the program, and resolves with its URL. */
async function start(tree: string, config: string): Promise<{ child: ChildProcess; url: string }> {
  const port = await freePort();
  const file = join(tree, 'corpus.yaml');
  writeFileSync(file, `listen: { host: 127.0.0.1, port: ${port} }\n${config}`);
  const hooked = ['--import', `data:text/javascript,${encodeURIComponent(hook)}`];
  const args = [...hooked, 'bin/a2a-gateway.js', 'serve', '--config', file];
  const child = spawn(process.execPath, args, { cwd: tree, stdio: 'inherit' });
  const url = `http://127.0.0.1:${port}`;
  for (let i = 0; i < 600; i += 1) {
    const isReady = await fetch(`${url}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    );
    if (isReady) return { child, url };
    await delay(100);
  }
  child.kill('SIGKILL');
  throw new Error(`the program of ${tree} does not start`);
}

const folder = mkdtempSync(join(tmpdir(), 'a2a-gateway-formats-'));
const postgres = await startPostgres();
const upstream = await openUpstream();
try {
  for (const commit of process.argv.slice(2)) {
    const id = execFileSync('git', ['-C', root, 'rev-parse', '--short=8', commit], { encoding: 'utf8' }).trim();
    const tree = join(folder, id);
    execFileSync('git', ['-C', root, 'worktree', 'add', '--detach', tree, id], { stdio: 'ignore' });
    try {
      symlinkSync(join(root, 'node_modules'), join(tree, 'node_modules'));
      const { newestMigration } = await import(join(tree, 'src/stores/migrations/index.ts'));
      const schema = Number(newestMigration);
      const agent = readFileSync(new URL('counter-agent.ts', import.meta.url), 'utf8');
      writeFileSync(join(tree, 'counter-agent.ts'), agent.replace('../../../src/', './src/'));
      const show = ['-C', root, 'show', '-s', '--format=%cd', '--date=format:%Y%m%d%H%M%S', id];
      const date = execFileSync('git', show, { encoding: 'utf8' }).trim();
      const name = `${String(schema).padStart(4, '0')}-${date}-${id}`;
      const entry = fileURLToPath(new URL(`corpus/${name}`, import.meta.url));
      mkdirSync(entry, { recursive: true });
      for (const kind of ['sqlite', 'postgres']) {
        const path = join(tree, 'corpus.db');
        const store = kind === 'sqlite' ? `sqlite:${path}` : await postgres.database();
        const { child, url } = await start(tree, configOf(schema, store, upstream.url));
        const done = await work(url, schema).finally(async () => {
          // Until the first attempts of deliveries have failed, and what is written behind is written.
          await delay(1_500);
          child.kill('SIGKILL');
          await once(child, 'exit');
        });
        const at = Date.now();
        const add = (file: string, content: string | Buffer): void =>
          writeFileSync(join(entry, `${file}.gz`), gzipSync(content, { level: 9 }));
        add(`${kind}.json`, JSON.stringify({ schema, at, done }));
        if (kind === 'postgres') add('postgres.sql', await dump(store));
        else {
          const database = new DatabaseSync(path);
          database.exec('pragma wal_checkpoint(truncate); pragma journal_mode = delete');
          database.close();
          add('sqlite.db', readFileSync(path));
        }
      }
      console.log(name);
    } finally {
      execFileSync('git', ['-C', root, 'worktree', 'remove', '--force', tree]);
    }
  }
} finally {
  upstream.server.close();
  await postgres.stop();
  rmSync(folder, { recursive: true, force: true });
}
