import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { accepts } from './proxies.ts';

/** The program `nginx`: `NGINX` of the environment, or the machine's. Undefined: there is none. */
export const nginx = [process.env.NGINX, 'nginx', '/usr/sbin/nginx', '/usr/local/bin/nginx'].find(
  (name) => name !== undefined && spawnSync(name, ['-v']).status === 0,
);

export interface RunningNginx {
  /** Replaces the content of `http` and lets nginx read it: new workers serve, and old ones end with their connections. */
  reload(http: string): void;
  close(): Promise<void>;
}

/** The whole configuration, with everything that nginx writes in a folder. */
function configOf(folder: string, http: string): string {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  const paths = temporary.map((name) => `${name}_temp_path ${join(folder, `nginx-${name}`)};`);
  return `
${process.getuid?.() === 0 ? 'user root;' : ''}
worker_processes 1;
pid ${join(folder, 'nginx.pid')};
error_log ${join(folder, 'nginx.log')};
events { worker_connections 1024; }
http {
  access_log off;
  ${paths.join(' ')}
  ${http}
}
`;
}

/**
 * Starts nginx. Rejects with its words when it refuses the configuration.
 *
 * @param folder where it keeps its files
 * @param http what its configuration has in `http`
 * @param port on which that listens
 */
export async function startNginx(folder: string, http: string, port: number): Promise<RunningNginx> {
  const [config, log] = [join(folder, 'nginx.conf'), join(folder, 'nginx.log')];
  const write = (content: string): void => writeFileSync(config, configOf(folder, content));
  write(http);
  const child = spawn(nginx ?? 'nginx', ['-p', folder, '-e', log, '-c', config, '-g', 'daemon off;'], {
    stdio: 'ignore',
  });
  const gone = once(child, 'exit');
  while (!(await accepts(port))) {
    if (child.exitCode !== null) throw new Error(`nginx ended: ${readFileSync(log, 'utf8')}`);
    await sleep(20);
  }
  return {
    reload(content) {
      write(content);
      child.kill('SIGHUP');
    },
    async close() {
      child.kill('SIGTERM');
      await gone;
    },
  };
}
