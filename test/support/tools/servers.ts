import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

/** The reference servers of MCP, as npm brings them. */

const modules = fileURLToPath(new URL('../../../node_modules/@modelcontextprotocol/', import.meta.url));
const preload = fileURLToPath(new URL('./on-loopback.cjs', import.meta.url));

/** Paths of their programs. */
export const programs = {
  everything: `${modules}server-everything/dist/index.js`,
  filesystem: `${modules}server-filesystem/dist/index.js`,
  modern: fileURLToPath(new URL('./modern-server.ts', import.meta.url)),
  asking: fileURLToPath(new URL('./asking-server.ts', import.meta.url)),
  hostile: fileURLToPath(new URL('./hostile-server.ts', import.meta.url)),
} as const;

/** A server over HTTP. */
export interface HttpServer {
  readonly origin: string;
  close(): Promise<void>;
}

/** Starts `server-everything` over HTTP on a loopback port of its own. */
export async function startEverything(transport: 'sse' | 'streamableHttp', port = 0): Promise<HttpServer> {
  const child = spawn(process.execPath, ['-r', preload, programs.everything, transport], {
    env: { ...process.env, PORT: String(port) },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  for await (const line of createInterface(child.stderr)) {
    const [, found] = /^PORT (\d+)$/.exec(line) ?? [];
    if (found === undefined) continue;
    child.stderr.resume();
    return {
      origin: `http://127.0.0.1:${found}`,
      async close() {
        const gone = once(child, 'exit');
        child.kill('SIGKILL');
        await gone;
      },
    };
  }
  throw new Error('the server did not start');
}
