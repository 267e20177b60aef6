/** Next.js: a route handler passes requests to the gateway, in a build as it is deployed. */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { callOver } from './support.mjs';

const next = ['node_modules/next/dist/bin/next'];
execFileSync(process.execPath, [...next, 'build', 'next'], { stdio: 'inherit' });
const server = spawn(process.execPath, [...next, 'start', 'next', '-p', '0'], { stdio: ['ignore', 'pipe', 'inherit'] });
try {
  let said = '';
  for await (const chunk of server.stdout) {
    said += chunk;
    const url = /http:\/\/localhost:\d+/.exec(said)?.[0];
    if (url === undefined || !said.includes('Ready')) continue;
    await callOver(url, 'jsonrpc', 'rest');
    break;
  }
} finally {
  server.kill();
  if (server.exitCode === null) await once(server, 'exit');
}
