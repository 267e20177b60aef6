import { spawnSync } from 'node:child_process';

/** The program `nginx`: `NGINX` of the environment, or the machine's. Undefined: there is none. */
export const nginx = [process.env.NGINX, 'nginx', '/usr/sbin/nginx', '/usr/local/bin/nginx'].find(
  (name) => name !== undefined && spawnSync(name, ['-v']).status === 0,
);
